// Audits of records with weights: replays on pairs that differ in one record, its weight included, and black
// boxes on a lone record. Weights that were not divided by their bound, as if a sensitivity left it out, must
// be caught by both.

#include <gtest/gtest.h>

#include <numeric>

#include "algorithm/clipping/dp_sgd.hpp"
#include "algorithm/heavy_tails/limited_objective.hpp"
#include "algorithm/heavy_tails/limited_output.hpp"
#include "algorithm/user_level/user_sgd.hpp"
#include "domain/onto_ball.hpp"
#include "settings.hpp"
#include "solver/certified.hpp"
#include "solver/clipped_sums.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/root_meter.hpp"

namespace tacit {
namespace {

constexpr double weight_bound = 10;
const std::vector<const char*> weighing = {"limited-objective", "limited-output", "dp-sgd", "dp-gd"};

// The methods as they would be if weights in [0, 10] were taken for parts of the bound: the same plans, for
// records whose losses are up to ten times as steep. They check nothing.
Release undivided_objective(const Problem& problem, const Facts& facts, Meter& meter) {
  auto options = heavy_tails::ObjectiveOptions::from(facts);
  options.common.neighbours = meter.budget().neighbours;
  const Shape shape = heavy_tails::public_shape(problem, options.common);
  const heavy_tails::ObjectivePlan plan = heavy_tails::plan_limited_objective(shape, options);
  const Vector b = noise::perturb(plan.perturbation, meter).value;
  const double strength = static_cast<double>(shape.records) * plan.regularisation;
  LimitedObjective objective(problem, plan.limits, {.strength = strength, .center = Vector::Zero(b.size())},
                             b, options.common.label_bound.value_or(0), 1);
  const Ideal<Vector> ideal(onto_ball(minimise(objective, {}).point, plan.radius), plan.distance, "claimed");
  Released<Vector> released = noise::cover(ideal, Pure{plan.cover_epsilon}, plan.range, meter);
  return {std::move(released),
          certify("limited-objective", meter, heavy_tails::certified_options(plan, options),
                  heavy_tails::public_facts(shape, options.common))};
}

Release undivided_output(const Problem& problem, const Facts& facts, Meter& meter) {
  auto options = heavy_tails::Options::from(facts);
  options.neighbours = meter.budget().neighbours;
  const Shape shape = heavy_tails::public_shape(problem, options);
  Released<Vector> released = heavy_tails::limited_output_around(
      Vector::Zero(static_cast<Eigen::Index>(shape.parameters())), 0, problem, options, meter);
  const heavy_tails::OutputPlan plan = heavy_tails::plan_limited_output(shape, options);
  return {std::move(released), certify("limited-output", meter, heavy_tails::certified_options(plan, options),
                                       heavy_tails::public_facts(shape, options))};
}

Release undivided_descent(const Problem& problem, const Facts& facts, Meter& meter) {
  auto options = clipping::Options::from(facts);
  options.neighbours = meter.budget().neighbours;
  Shape shape = shape_of(problem);
  shape.records = static_cast<std::size_t>(*options.records);
  const clipping::Plan plan = clipping::plan_dp_sgd(shape, options);
  Released<Vector> released =
      clipping::train(clipped_sums(problem, plan.clip, 1), problem.data->size(),
                      Vector::Zero(static_cast<Eigen::Index>(shape.parameters())), plan, options, meter, {});
  options.batch = plan.batch;
  options.epochs = plan.epochs;
  options.step_length = plan.step_length;
  options.noise_multiplier = std::get<PoissonGaussianEvent>(plan.release.event).noise_multiplier;
  return {std::move(released),
          certify("dp-sgd", meter, clipping::Options::table().certified(options), shape_facts(shape))};
}

using Fit = Release (*)(const Problem&, const Facts&, Meter&);
Fit undivided(const std::string& method) {
  return method == "dp-sgd"           ? undivided_descent
         : method == "limited-output" ? undivided_output
                                      : undivided_objective;
}

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

Facts facts_for(const std::string& method) {
  Facts facts = audit::find_audit(method).replayed;
  facts.set("epsilon", 1.0);
  facts.set("threads", std::int64_t{1});
  facts.set("records", std::int64_t{6});
  if (method.starts_with("dp-")) {
    facts.set("delta", 1e-3);
    return facts;
  }
  facts.set("row_norm_bound", 2.0);
  facts.set("label_bound", 10.0);
  facts.set("regularisation", 5.0);
  return facts;
}

Budget budget_for(const std::string& method, Neighbours relation) {
  const Guarantee limit = method.starts_with("dp-") ? Guarantee(Approx{1, 1e-3}) : Guarantee(Pure{1});
  return {limit, Unit::item, relation};
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
std::string failures(const std::string& name, const LossSpec& loss, Neighbours relation, double most) {
  Method method = find_method(name);
  if (most > 1) method.fit = undivided(name);
  const audit::AuditedMethod& row = audit::find_audit(name);
  const audit::Subject subject{.method = &method,
                               .loss = loss,
                               .facts = facts_for(name),
                               .budget = budget_for(name, relation),
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
        EXPECT_EQ(failures(name, loss, relation, 1), "")
            << name << ", " << testing::loss_name(loss) << ", " << tacit::name(relation);
}

TEST(WeightsReplay, CatchesWeightsThatWereNotDividedByTheirBound) {
  for (const std::string name : {"limited-objective", "limited-output", "dp-sgd"})
    for (const Neighbours relation : find_method(name).neighbours)
      for (const LossSpec& loss : {LossSpec(Link{LinkKind::logistic, 0}), LossSpec(Softmax{3})}) {
        const std::string failed = failures(name, loss, relation, weight_bound);
        const char* what = name == "dp-sgd"           ? "how far the sum of clipped gradients moves"
                           : name == "limited-output" ? "how far the value moves"
                                                      : "log-densities";
        EXPECT_NE(failed.find(what), std::string::npos) << name << ": " << failed;
      }
}

// People with weighted records: one who holds half of all of them, or another in their place. The control
// weighs a person after their clip, by a weight that nobody divided.
Release weighed_after_the_clip(const Problem& problem, const Facts& facts, Meter& meter) {
  auto options = user_level::SgdOptions::from(facts);
  options.common.neighbours = meter.budget().neighbours;
  const auto users = static_cast<std::size_t>(*options.common.records);
  const Shape shape = user_level::public_shape(problem, users, options.records_per_user);
  const clipping::Plan plan = user_level::plan_user_sgd(users, shape.parameters(), options);
  const UserRecords records =
      user_level::bounded_records(*problem.data, users, options.records_per_user, meter.bits());
  const BatchSums clipped = user_level::user_sgd_sums(problem, records, plan, options);
  const BatchSums sums = [clipped](const Vector& w, std::span<const std::uint32_t> batch, Vector& sum) {
    clipped(w, batch, sum);
    sum *= weight_bound;
  };
  Released<Vector> released =
      clipping::train(sums, records.users(), Vector::Zero(static_cast<Eigen::Index>(shape.parameters())),
                      plan, options.common, meter, {});
  options.common.batch = plan.batch;
  options.common.epochs = plan.epochs;
  options.common.step_length = plan.step_length;
  options.common.noise_multiplier = std::get<PoissonGaussianEvent>(plan.release.event).noise_multiplier;
  return {std::move(released), certify("user-sgd", meter, user_level::SgdOptions::table().certified(options),
                                       user_level::public_facts(shape, users, options.records_per_user))};
}

std::string failures_of_people(const LossSpec& loss, Neighbours relation, bool control) {
  Method method = find_method("user-sgd");
  if (control) method.fit = weighed_after_the_clip;
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

// A lone record, there or not, beside one that contributes nothing; with this weight. 4000 runs on each,
// confidence 0.9999.
double lower_bound(const std::string& method, Fit fit, double weight) {
  const LossSpec loss = Link{LinkKind::logistic, 0};
  Dataset with, without;
  with.features = Features(DenseRows{2, 1, {0, 1}});
  without.features = Features(DenseRows{1, 1, {0}});
  with.labels = {1, 1};
  without.labels = {1};
  with.weights = {0, weight};
  without.weights = {0};
  Facts facts = audit::find_audit(method).exposing;
  facts.set("epsilon", 1.0);
  facts.set("threads", std::int64_t{1});
  facts.set("records", std::int64_t{2});
  facts.set("row_norm_bound", 2.0);
  const auto run = [&](const Dataset& data) {
    return [&data, &loss, &facts, fit](BitSource& bits) {
      const Problem problem{.data = &data, .loss = loss};
      RootMeter meter({Pure{1}, Unit::item, Neighbours::zero_out}, bits);
      return fit(problem, facts, meter).parameters.value();
    };
  };
  return audit::black_box(run(with), run(without), 0, testing::seeded_black_box(4000, 0.9999, 9)).lower_bound;
}

TEST(WeightsBlackBox, HoldsItsClaimAndCatchesWeightsThatWereNotDivided) {
  for (const std::string name : {"limited-objective", "limited-output"}) {
    const Fit fit = find_method(name).fit;
    const double whole = lower_bound(name, fit, 1);
    EXPECT_LE(whole, 1) << name;
    EXPECT_GT(whole, 0.1) << name;
    EXPECT_LT(lower_bound(name, fit, 0.25), whole) << name << ": a small weight must show less";
    EXPECT_GT(lower_bound(name, undivided(name), weight_bound), 1) << name;
  }
}

}  // namespace
}  // namespace tacit
