// Audits of records with weights: replays on pairs that differ in one record, its weight included. Weights
// that were not divided by their bound, as if a sensitivity left it out, must be caught.

#include <gtest/gtest.h>

#include "settings.hpp"
#include "tacit/root_meter.hpp"
#include "undivided_weights.hpp"

namespace tacit {
namespace {

using testing::weight_bound;
const std::vector<const char*> weighing = {"limited-objective", "limited-output", "dp-sgd", "dp-gd"};

// Six records, the first of which differs. Weights are in [0, most].
Dataset records(const LossSpec& loss, const std::vector<double>& first, int label, double weight,
                double most) {
  const std::vector<std::vector<double>> rows = {first, {0.5, 0.1}, {-1, 2}, {0.3, 0.3}, {1, -1}, {0, 0}};
  DenseRows dense{rows.size(), 2, {}};
  Dataset data;
  for (const auto& row : rows) dense.values.insert(dense.values.end(), row.begin(), row.end());
  for (std::size_t i = 0; i < rows.size(); ++i)
    data.labels.push_back(audit::extreme_label(loss, i == 0 ? label : static_cast<int>(i)));
  data.features = Features(std::move(dense));
  data.weights = {weight, 0.5, 1, 0, 0.25, 1};
  for (double& part : data.weights) part *= most;
  return data;
}

// The record has another weight alone, another label and weight, or is another altogether.
std::vector<audit::NeighbourPair> pairs(const LossSpec& loss, Neighbours relation, double most) {
  const std::vector<double> row = {1, 1}, far = {-1e30, 1e3};
  std::vector<audit::NeighbourPair> pairs;
  pairs.push_back({"another weight", records(loss, row, 0, 1, most), records(loss, row, 0, 0.125, most)});
  pairs.push_back({"no weight", records(loss, row, 1, 1, most), records(loss, row, 1, 0, most)});
  pairs.push_back({"another label", records(loss, row, 0, 1, most), records(loss, row, 1, 0.75, most)});
  pairs.push_back({"a far row", records(loss, far, 0, 1, most), records(loss, row, 1, 1, most)});
  return relation == Neighbours::replace_one ? pairs : audit::presence_pairs(pairs);
}

// With a delta, and without one where the method can.
std::vector<Guarantee> guarantees_of(const std::string& method) {
  if (method.starts_with("dp-")) return {Approx{1, 1e-3}};
  return {Pure{1}, Approx{1, 1e-3}};
}

Facts facts_for(const std::string& method, const Guarantee& guarantee) {
  Facts facts = audit::find_audit(method).replayed;
  set_target(facts, guarantee);
  facts.set("threads", std::int64_t{1});
  facts.set("records", std::int64_t{6});
  if (method.starts_with("dp-")) return facts;
  facts.set("row_norm_bound", 2.0);
  facts.set("label_bound", 10.0);
  facts.set("regularisation", 5.0);
  return facts;
}

std::string failures_on(const audit::NeighbourPair& pair, const audit::Subject& subject,
                        const audit::AuditedMethod& row, BitSource& bits) {
  const audit::Replayed replayed = audit::replay(subject, pair, bits);
  std::string text = replayed.runs[0].failure + replayed.runs[1].failure;
  if (!text.empty()) return text;
  std::vector<audit::Check> checks = audit::check_replay(replayed);
  if (row.ideal_checks)
    for (audit::Check& check : row.ideal_checks(replayed)) checks.push_back(std::move(check));
  for (const audit::Check& check : checks)
    if (!check.ok())
      text +=
          fmt::format("{} ({}): bound {}, measured {}\n", check.what, pair.what, check.bound, check.measured);
  return text;
}

// The names of the checks that failed. `most` = 1: parts of the bound; else weights that nobody divided.
std::string failures(const std::string& name, const Guarantee& guarantee, const LossSpec& loss,
                     Neighbours relation, double most) {
  Method method = find_method(name);
  if (most > 1) method.fit = testing::undivided(name);
  const audit::AuditedMethod& row = audit::find_audit(name);
  const audit::Subject subject{.method = &method,
                               .loss = loss,
                               .facts = facts_for(name, guarantee),
                               .budget = {guarantee, Unit::item, relation},
                               .released_facts = row.released_facts,
                               .adaptive = name.starts_with("dp-")};
  const auto bits = testing::seeded_bits(11);
  std::string text;
  for (const audit::NeighbourPair& pair : pairs(loss, relation, most)) {
    text += failures_on(pair, subject, row, *bits);
  }
  return text;
}

TEST(WeightsReplay, PassesForEveryMethodLossAndRelation) {
  for (const std::string name : weighing)
    for (const Neighbours relation : find_method(name).neighbours)
      for (const LossSpec& loss : testing::every_loss())
        for (const Guarantee& guarantee : guarantees_of(name))
          EXPECT_EQ(failures(name, guarantee, loss, relation, 1), "")
              << describe(guarantee, Unit::item, relation) << ", " << name << ", "
              << testing::loss_name(loss);
}

TEST(WeightsReplay, CatchesWeightsThatWereNotDividedByTheirBound) {
  for (const std::string name : weighing)
    for (const Neighbours relation : find_method(name).neighbours)
      for (const LossSpec& loss : {LossSpec(Link{LinkKind::logistic, 0}), LossSpec(Softmax{3})}) {
        const char* what = name.starts_with("dp-")    ? "how far the sum of clipped gradients moves"
                           : name == "limited-output" ? "how far the value moves"
                                                      : "log-densities";
        for (const Guarantee& guarantee : guarantees_of(name)) {
          const std::string failed = failures(name, guarantee, loss, relation, weight_bound);
          EXPECT_NE(failed.find(what), std::string::npos) << name << ": " << failed;
        }
      }
}

// People with weighted records: one who holds half of all of them, or another in their place. The control
// weighs a person after their clip.
std::string failures_of_people(const LossSpec& loss, Neighbours relation, bool control) {
  Method method = find_method("user-sgd");
  if (control) method.fit = testing::weighed_after_the_clip;
  const audit::AuditedMethod& row = audit::find_audit("user-sgd");
  Facts facts = row.replayed;
  facts.set("epsilon", 1.0);
  facts.set("delta", 1e-3);
  facts.set("threads", std::int64_t{1});
  facts.set("user_count", std::int64_t{6});
  const audit::Subject subject{.method = &method,
                               .loss = loss,
                               .facts = facts,
                               .budget = {Approx{1, 1e-3}, Unit::user, relation},
                               .released_facts = row.released_facts,
                               .adaptive = true};
  const auto bits = testing::seeded_bits(12);
  std::string text;
  for (const audit::NeighbourPair& pair :
       audit::user_pairs(pairs(loss, Neighbours::replace_one, 1), relation)) {
    EXPECT_EQ(pair.first.weights.size(), pair.first.size());
    text += failures_on(pair, subject, row, *bits);
  }
  return text;
}

TEST(WeightsReplay, PassesForPeopleAndCatchesAWeightAfterTheClip) {
  for (const Neighbours relation : find_method("user-sgd").neighbours) {
    for (const LossSpec& loss : testing::every_loss())
      EXPECT_EQ(failures_of_people(loss, relation, false), "")
          << testing::loss_name(loss) << ", " << tacit::name(relation);
    EXPECT_NE(failures_of_people(Link{LinkKind::logistic, 0}, relation, true).find("how far"),
              std::string::npos)
        << tacit::name(relation);
  }
}

TEST(WeightsReplay, AWeightBeyondTheBoundIsRefusedByEveryMethod) {
  const LossSpec loss = Link{LinkKind::logistic, 0};
  const Dataset data = records(loss, {1, 1}, 0, 1, weight_bound);
  const Problem problem{.data = &data, .loss = loss};
  EXPECT_THROW(validate(problem), DataError);
}

}  // namespace
}  // namespace tacit
