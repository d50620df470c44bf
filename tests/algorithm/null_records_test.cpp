// Methods that divide by the number of records, or keep a place for each, where a record may be null.

#include <gtest/gtest.h>

#include <cmath>

#include "algorithm/heavy_tails/double_output.hpp"
#include "algorithm/heavy_tails/localized.hpp"
#include "algorithm/heavy_tails/localized_exponential.hpp"
#include "algorithm/heavy_tails/net_exponential.hpp"
#include "algorithm/partition.hpp"
#include "algorithm/tuning.hpp"
#include "support/adversarial.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/method.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::testing {
namespace {

using Pairs = std::vector<std::pair<std::string, FactValue>>;

// A method, and options besides those that all runs have.
struct Variant {
  std::string method;
  Pairs options = {};
  LossSpec loss = Link{LinkKind::absolute, 0};
  double least = 0.5;  // of what is claimed, that some pair moves: with half of the noise it would be found

  Facts facts() const {
    Facts facts;
    facts.set("epsilon", 1.0);
    facts.set("row_norm_bound", 2.0);
    facts.set("label_bound", 10.0);
    facts.set("radius", 2.0);
    facts.set("threads", std::int64_t{1});
    for (const auto& [key, value] : options) facts.set(key, value);
    return facts;
  }
  std::string in_words() const {
    std::string text = method;
    for (const auto& [key, value] : options)
      if (const auto* word = std::get_if<std::string>(&value)) text += " " + *word;
    return text;
  }
};
void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.in_words(); }

std::string text(const char* word) { return word; }

// Few iterations for the oracles that count them: a small domain, a strong pull.
Pairs counted(const char* oracle) {
  return {{"oracle", text(oracle)}, {"slope_limit", 1.0}, {"curvature_limit", 1.0}, {"regularisation", 4.0},
          {"gradient_bound", 2.0},  {"radius", 0.5},      {"iteration_limit", 1e9}};
}

std::vector<Variant> variants() {
  const Pairs strong = {{"regularisation", 10.0}};
  const auto with = [&](Pairs more) {
    more.insert(more.end(), strong.begin(), strong.end());
    return more;
  };
  return {
      {"double-output", strong},
      {"double-output", with({{"domain", text("box:-2,2")}})},
      {"double-output", with({{"oracle", text("extension")}})},
      {"localized", strong},
      {"localized", with({{"solver", text("double-output")}})},
      {"localized", with({{"solver", text("double-output")}, {"oracle", text("extension")}})},
      {"localized", with({{"solver", text("limited-output")}, {"domain", text("ball:2")}})},
      {"localized", {{"solver", text("net-exponential")}, {"net_points", std::int64_t{100}}}},
      {"localized",
       {{"solver", text("net-exponential")}, {"net_points", std::int64_t{100}}, {"smoothing", text("ball")}}},
      {"net-exponential", {{"net_points", std::int64_t{100}}}},
      {"net-exponential", {{"net_points", std::int64_t{100}}, {"smoothing", text("ball")}}},
      {"net-exponential", {{"net_points", std::int64_t{100}}}, Link{LinkKind::logistic, 0}, 0.4},
      {"localized-exponential", {{"cells", std::int64_t{16384}}}},
      {"tuned", {{"settings", text("limited-output:regularisation=10")}, {"validation", 0.25}}},
      {"tuned", {{"settings", text("localized:regularisation=10; double-output")}, {"validation", 0.5}}},
  };
}

class NullRecords : public ::testing::TestWithParam<Variant> {};

// The same plan and the same public facts, and what is opened moves by no more than is claimed.
TEST_P(NullRecords, MoveWhatIsOpenedWithinTheClaimAndChangeNothingPublic) {
  const Variant& variant = GetParam();
  const auto bits = seeded_bits(5);
  double tightest = 0;
  std::size_t compared = 0;
  for (const auto& pair : audit::presence_pairs(audit::adversarial_pairs(variant.loss, 8, 1, 2))) {
    audit::Subject subject{.method = &find_method(variant.method),
                           .loss = variant.loss,
                           .facts = variant.facts(),
                           .budget = {Pure{1}, Unit::item, Neighbours::zero_out},
                           .released_facts = {"chosen", "noisy_score"},
                           .adaptive = variant.method != "net-exponential",
                           .keeps_places = true};
    subject.facts.set("records", std::int64_t{8});
    for (int k = 0; k < 4; ++k) {
      const audit::Replayed replayed = audit::replay(subject, pair, *bits);
      ASSERT_TRUE(replayed.runs[0].release && replayed.runs[1].release)
          << replayed.runs[0].failure << replayed.runs[1].failure;
      EXPECT_EQ(replayed.runs[0].release->certificate.neighbours, Neighbours::zero_out);
      EXPECT_EQ(replayed.problems[0].data->size(), replayed.problems[1].data->size() + 1);
      for (const audit::Check& check : audit::check_replay(replayed)) {
        EXPECT_TRUE(check.ok()) << pair.what << ": " << check.what << ": " << check.measured << " of "
                                << check.bound;
        if (check.kind != audit::CheckKind::movement) continue;
        ++compared;
        tightest = std::max(tightest, check.measured / check.bound);
      }
    }
  }
  EXPECT_GT(compared, 50u);
  EXPECT_GT(tightest, variant.least);
}

INSTANTIATE_TEST_SUITE_P(Methods, NullRecords, ::testing::ValuesIn(variants()));

// The oracles that count their iterations take long even on a few records. A third, and three quarters, of
// what is claimed is the record's: the rest is their accuracy.
TEST(LongNullRecords, MoveWhatIteratedOraclesFindWithinTheClaim) {
  for (const char* oracle : {"structured", "subgradient"}) {
    const Variant variant{"double-output", counted(oracle)};
    const auto bits = seeded_bits(5);
    double tightest = 0;
    for (const auto& pair : audit::presence_pairs(audit::adversarial_pairs(variant.loss, 2, 1, 2))) {
      audit::Subject subject{.method = &find_method(variant.method),
                             .loss = variant.loss,
                             .facts = variant.facts(),
                             .budget = {Pure{1}, Unit::item, Neighbours::zero_out},
                             .adaptive = true,
                             .keeps_places = true};
      subject.facts.set("records", std::int64_t{2});
      for (const audit::Check& check : audit::check_replay(audit::replay(subject, pair, *bits))) {
        EXPECT_TRUE(check.ok()) << pair.what << ": " << check.what;
        if (check.kind == audit::CheckKind::movement)
          tightest = std::max(tightest, check.measured / check.bound);
      }
    }
    EXPECT_GT(tightest, 0.2) << oracle;
  }
}

heavy_tails::Options planned_for(Neighbours neighbours) {
  heavy_tails::Options options{.epsilon = 1, .slope_limit = 3.0, .curvature_limit = 2.0};
  options.neighbours = neighbours;
  options.regularisation = 0.25;
  options.radius = 2;
  return options;
}

Shape shape_of_1000() {
  return {.records = 1000, .features = 2, .outputs = 1, .loss = Link{LinkKind::absolute, 0}, .intercept = 1};
}

// One record's part against 0, not against another's: half of the value, the same slack. The noise is for
// both together.
void expect_half(const Step& null, const Step& replaced) {
  EXPECT_EQ(null.mechanism, replaced.mechanism);
  EXPECT_NEAR(2 * null.sensitivity.value, replaced.sensitivity.value, 1e-12 * replaced.sensitivity.value);
  EXPECT_NEAR(null.scale / replaced.scale, null.sensitivity.total() / replaced.sensitivity.total(), 1e-6);
}

TEST(NullRecordPlans, HaveHalfOfTheSensitivityOfReplacedOnes) {
  const auto null = planned_for(Neighbours::zero_out), replaced = planned_for(Neighbours::replace_one);
  const Shape shape = shape_of_1000();
  for (const auto oracle : {heavy_tails::ExtensionOracle::limited, heavy_tails::ExtensionOracle::extension}) {
    auto a = null, b = replaced;
    a.extension.oracle = b.extension.oracle = oracle;
    const auto first = heavy_tails::plan_double_output(shape, a).noise;
    const auto second = heavy_tails::plan_double_output(shape, b).noise;
    expect_half(first.localisation, second.localisation);
    expect_half(first.release, second.release);
    EXPECT_DOUBLE_EQ(second.release.sensitivity.value, 2 * 3 / 250.0);
    EXPECT_LT(first.release.scale, 0.51 * second.release.scale);
  }
  expect_half(heavy_tails::plan_net_exponential(shape, null).choice,
              heavy_tails::plan_net_exponential(shape, replaced).choice);
  EXPECT_DOUBLE_EQ(heavy_tails::plan_net_exponential(shape, null).choice.sensitivity.value, 3 / 1000.0);

  for (const char* solver : {"limited-output", "limited-objective", "double-output", "net-exponential"}) {
    const auto a = heavy_tails::plan_localized(shape, {.common = null, .solver = solver});
    const auto b = heavy_tails::plan_localized(shape, {.common = replaced, .solver = solver});
    ASSERT_EQ(a.phases.size(), b.phases.size()) << solver;
    EXPECT_NEAR(2 * a.phases[0].block.inner[0].sensitivity.value,
                b.phases[0].block.inner[0].sensitivity.value, 1e-12)
        << solver;
  }

  // A ball of half the radius, and one part of a record in it.
  const auto a = heavy_tails::plan_localized_exponential(shape, {.common = null});
  const auto b = heavy_tails::plan_localized_exponential(shape, {.common = replaced});
  expect_half(a.first.release, b.first.release);
  EXPECT_NEAR(a.choice.cells.radius / b.choice.cells.radius, 0.5, 0.01);
  EXPECT_EQ(a.second.sensitivity.value, a.record_bound);
  EXPECT_EQ(b.second.sensitivity.value, 2 * b.record_bound);
}

// α₁ and α₂ are the paper's: 3 and 4/3 times C/(nλ), where a replaced record has 4 and 7/3.
TEST(NullRecordPlans, KeepTheAccuraciesOfTheIteratedOracles) {
  auto options = planned_for(Neighbours::zero_out);
  options.extension = {.oracle = heavy_tails::ExtensionOracle::structured, .iteration_limit = 1e15};
  Shape shape = shape_of_1000();
  shape.records = 10;
  const auto plan = heavy_tails::plan_double_output(shape, options).noise;
  const double unit = 3 / (10 * 0.25);
  EXPECT_NEAR(plan.localisation.sensitivity.total(), 3 * unit, 1e-9);
  EXPECT_NEAR(plan.release.sensitivity.total(), 4 * unit / 3, 1e-9);
}

TEST(NullRecordPlans, OfAChoiceCountANullRecordAsHalfAPoint) {
  Facts facts, assumed = shape_facts(shape_of_1000());
  facts.set("epsilon", 1.0);
  facts.set("settings", std::string("limited-output:regularisation=1"));
  facts.set("chosen", std::int64_t{0});
  facts.set("validation", 0.2);
  assumed.set("row_norm_bound", 2.0);
  assumed.set("records_held_out", std::int64_t{250});
  const auto score = [&](const char* relation) {
    facts.set("neighbours", std::string(relation));
    const Step candidate = find_method("tuned").rebuild_steps(facts, assumed).at(0).inner.at(0);
    return candidate.inner.at(1);
  };
  EXPECT_DOUBLE_EQ(score("replace_one").sensitivity.value, 1 / 250.0);
  EXPECT_DOUBLE_EQ(score("zero_out").sensitivity.value, 0.5 / 250.0);
  expect_half(score("zero_out"), score("replace_one"));
}

Dataset a_few(std::size_t records) {
  return audit::adversarial_pairs(Link{LinkKind::logistic, 0}, records, 2, 1).front().first;
}

Release run_of(const std::string& method, const Dataset& data, Facts facts, Neighbours neighbours) {
  const auto bits = seeded_bits(9);
  RootMeter meter({Pure{1}, Unit::item, neighbours}, *bits);
  return find_method(method).fit({.data = &data, .loss = Link{LinkKind::logistic, 0}}, facts, meter);
}

Facts usual(std::int64_t records) {
  Facts facts;
  facts.set("epsilon", 1.0);
  facts.set("row_norm_bound", 2.0);
  facts.set("records", records);
  facts.set("threads", std::int64_t{1});
  return facts;
}

// Blocks, and the part that fits, may then be without a single record: nothing tells.
TEST(NullRecordsEverywhere, AreNoFailure) {
  const Dataset data = a_few(2);
  for (const char* solver : {"limited-output", "limited-objective", "double-output", "net-exponential"}) {
    Facts facts = usual(40);
    facts.set("solver", std::string(solver));
    const Release release = run_of("localized", data, facts, Neighbours::zero_out);
    EXPECT_EQ(release.certificate.assumed_public.integer("records"), 40) << solver;
  }
  for (const char* settings :
       {"limited-output", "limited-objective", "localized", "net-exponential", "localized-exponential",
        "double-output", "posterior-exact:regularisation=1"}) {
    Facts facts = usual(40);
    facts.set("settings", std::string(settings));
    facts.set("validation", 0.9);
    facts.set("mean_runs", 1.5);
    const Release release = run_of("tuned", data, facts, Neighbours::zero_out);
    EXPECT_EQ(release.certificate.assumed_public.integer("records"), 4) << settings;
    EXPECT_EQ(release.certificate.assumed_public.integer("records_held_out"), 36) << settings;
  }
}

TEST(NullRecordsEverywhere, AddRowsThatContributeNothing) {
  for (const bool columns : {true, false}) {
    Dataset data = a_few(3);
    if (!columns) data.features = Features(DenseRows{3, 0, {}});
    const Dataset filled = with_null_rows(data, 7);
    ASSERT_EQ(filled.size(), 7u);
    const Problem own{.data = &data, .loss = Link{LinkKind::logistic, 0}};
    const Problem all{.data = &filled, .loss = Link{LinkKind::logistic, 0}};
    EXPECT_NO_THROW(validate(all));
    const auto p = static_cast<Eigen::Index>(shape_of(own).parameters());
    const Vector w = Vector::Constant(p, 0.3);
    Vector gradient[2];
    for (const Problem* problem : {&own, &all})
      LimitedObjective(*problem, {.slope = 1, .curvature = 1}, {.strength = 0, .center = w}, Vector::Zero(p),
                       1, 1)
          .gradient(w, gradient[problem == &all], nullptr);
    EXPECT_GT(gradient[0].norm(), 0.1);
    EXPECT_EQ(gradient[0], gradient[1]);
  }
  EXPECT_EQ(with_null_rows(a_few(3), 2).size(), 3u);
}

TEST(NullRecordsEverywhere, ANumberOfRecordsThatContradictsTheDataOrTheRelationIsRefused) {
  const Dataset data = a_few(12);
  for (const std::string method :
       {"double-output", "localized", "net-exponential", "localized-exponential", "tuned"}) {
    EXPECT_THROW(run_of(method, data, usual(11), Neighbours::zero_out), UsageError) << method;
    EXPECT_THROW(run_of(method, data, usual(13), Neighbours::replace_one), UsageError) << method;
    EXPECT_THROW(run_of(method, data, usual(13), Neighbours::add_remove), UsageError) << method;
    EXPECT_EQ(find_method(method).neighbours, (std::vector{Neighbours::zero_out, Neighbours::replace_one}))
        << method;
  }
}

TEST(NullRecordsEverywhere, AChoiceAsksAllItsSettingsForTheSame) {
  const Dataset data = a_few(12);
  Facts facts = usual(12);
  facts.set("settings", std::string("limited-output; limited-output:records=12"));
  EXPECT_THROW(run_of("tuned", data, facts, Neighbours::zero_out), UsageError);
  // user-phased has one relation. (That it is not pure is found earlier, where settings are read.)
  tuning::Options options{.settings = {{.method = "limited-output"}, {.method = "user-phased"}},
                          .mean_runs = 2};
  options.neighbours = Neighbours::zero_out;
  try {
    options.validate();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("setting 2, user-phased"), std::string::npos) << error.what();
  }
  options.neighbours = Neighbours::replace_one;
  EXPECT_NO_THROW(options.validate());
}

}  // namespace
}  // namespace tacit::testing
