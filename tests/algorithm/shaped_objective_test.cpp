// Objective perturbation with noise that has the shape of a record, and for a record that is there or not.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "algorithm/heavy_tails/limited_objective.hpp"
#include "support/seeded_bits.hpp"
#include "support/shapes.hpp"
#include "tacit/core.hpp"
#include "tacit/method.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::heavy_tails {
namespace {

const LossSpec logistic = Link{LinkKind::logistic, 0};
constexpr std::size_t knots = 9;
constexpr Neighbours relations[] = {Neighbours::replace_one, Neighbours::zero_out, Neighbours::add_remove};

// `columns` numbers with nine hats each, and the intercept.
FeatureBlocks hats(std::size_t columns) {
  return FeatureBlocks::with_intercept(std::vector<FeatureBlock>(columns, {knots, 1}), 1);
}

Shape shaped(std::size_t records, std::size_t columns, const LossSpec& loss = logistic) {
  Shape shape = testing::linear_shape(records, knots * columns + 1, loss);
  shape.blocks = hats(columns);
  return shape;
}

double epsilon_of(const Step& step) { return std::get<PureEvent>(step.event).epsilon; }

ObjectiveOptions options_for(Neighbours relation, double epsilon, std::int64_t records) {
  ObjectiveOptions options{.common = {.epsilon = epsilon, .neighbours = relation}};
  if (relation == Neighbours::add_remove) options.common.records = records;
  return options;
}

TEST(ShapedObjective, CostsWhatTheProofSaysUnderEachRelation) {
  for (const LossSpec& loss : {logistic, LossSpec(Softmax{4})})
    for (const double epsilon : {0.1, 1.0, 10.0})
      for (const Neighbours relation : relations) {
        const Shape shape = shaped(5000, 3, loss);
        const ObjectivePlan plan = plan_limited_objective(shape, options_for(relation, epsilon, 5000));
        const double s = plan.limits.slope, strength = 5000 * plan.regularisation;
        const double jacobian =
            static_cast<double>(shape.outputs) * std::log1p(plan.limits.curvature / strength);
        const double shift = relation == Neighbours::replace_one ? 2 * s : s;
        EXPECT_EQ(plan.perturbation.sensitivity.total(), shift);
        EXPECT_EQ(plan.perturbation.sensitivity.norm, Norm::gauge);
        EXPECT_EQ(plan.limits.blocks, shape.blocks);
        EXPECT_GE(epsilon_of(plan.perturbation), (shift / plan.perturbation.scale + jacobian) * (1 - 1e-14));
        EXPECT_LE(epsilon_of(plan.perturbation) + plan.cover_epsilon, epsilon);
        EXPECT_GE(epsilon_of(plan.perturbation) + plan.cover_epsilon, epsilon * (1 - 1e-9));
      }
}

TEST(ShapedObjective, NoiseIsShorterThanIsotropicNoiseForTheSameRecords) {
  // Blocks of nine at the same λ: 2.5 times shorter for one replaced record, and half of that for one that is
  // there or not.
  const Shape shape = shaped(30000, 12);
  const double rows = shape.blocks.l2_bound(), d = static_cast<double>(shape.parameters());
  const auto isotropic =
      plan_limited_objective(shape, {.epsilon = 1, .regularisation = 1e-3, .row_norm_bound = rows});
  EXPECT_TRUE(isotropic.limits.blocks.empty());
  const double isotropic_size = isotropic.perturbation.scale * std::sqrt(d * (d + 1));
  for (const Neighbours relation : {Neighbours::replace_one, Neighbours::zero_out}) {
    ObjectiveOptions options = options_for(relation, 1, 0);
    options.common.regularisation = 1e-3;
    const auto plan = plan_limited_objective(shape, options);
    const double size = plan.perturbation.scale * std::sqrt(shape.blocks.mean_square(1));
    EXPECT_NEAR(isotropic_size / size, relation == Neighbours::replace_one ? 2.4 : 4.8, 0.2);
  }
}

FeatureBlocks full_hats(std::size_t columns, std::size_t size) {
  return FeatureBlocks::with_intercept(std::vector<FeatureBlock>(columns, {size, 1, true}), 1);
}

TEST(ShapedObjective, FullBlocksHaveNoiseInTheirPlaneForOneOutputAlone) {
  Shape shape = shaped(5000, 3);
  shape.blocks = full_hats(3, knots);
  ObjectiveOptions options = options_for(Neighbours::zero_out, 1, 0);
  options.common.radius = 1;  // so that the length of the noise sets λ
  const ObjectivePlan plan = plan_limited_objective(shape, options),
                      before = plan_limited_objective(shaped(5000, 3), options);
  EXPECT_EQ(plan.limits.blocks.text(), "3*9=1,1=1");
  EXPECT_NE(plan.perturbation.sensitivity.reason.find("of dimension 25"), std::string::npos);
  EXPECT_EQ(plan.perturbation.dimension, 28u) << "b has a number for each parameter";
  EXPECT_LT(plan.regularisation, 0.9 * before.regularisation) << "shorter noise needs less of it";
  EXPECT_EQ(plan.perturbation.sensitivity.total(), before.perturbation.sensitivity.total());

  Shape softmax = shaped(5000, 3, LossSpec(Softmax{4}));
  softmax.blocks = full_hats(3, knots);
  EXPECT_EQ(plan_limited_objective(softmax, options).limits.blocks.text(), "3*9:1,1:1");

  // One full block alone has no plane, and a law of too high a degree is not tabulated.
  Shape alone = testing::linear_shape(5000, 1, logistic);
  alone.blocks = FeatureBlocks({{1, 1, true}});
  EXPECT_EQ(plan_limited_objective(alone, options).limits.blocks.text(), "1:1");
  Shape many = shaped(5000, 129);
  many.blocks = full_hats(129, knots);
  EXPECT_EQ(plan_limited_objective(many, options).limits.blocks.text(), "129*9:1,1:1");
}

TEST(ShapedObjective, RefusesWhatItCannotProve) {
  const Shape shape = shaped(1000, 2);
  EXPECT_THROW(
      plan_limited_objective(shape, ObjectiveOptions{.common = {.neighbours = Neighbours::add_remove}}),
      UsageError);
  Shape other = shape;
  other.features += 1;
  EXPECT_THROW(plan_limited_objective(other, options_for(Neighbours::zero_out, 1, 0)), UsageError);
}

// One number in [0, 1] as nine hats, sparse; the label depends on it by a wave that no line follows.
Dataset waves(std::size_t n, const LossSpec& loss, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<> uniform;
  SparseRows rows{.rows = n, .columns = knots};
  Dataset data;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = uniform(random), place = x * (knots - 1);
    const auto left = std::min(static_cast<std::size_t>(place), knots - 2);
    const double right_share = place - static_cast<double>(left);
    rows.column.insert(rows.column.end(),
                       {static_cast<std::uint32_t>(left), static_cast<std::uint32_t>(left + 1)});
    rows.value.insert(rows.value.end(), {1 - right_share, right_share});
    rows.start.push_back(rows.value.size());
    const bool high = std::sin(4 * M_PI * x) > 0;
    data.labels.push_back(std::holds_alternative<Softmax>(loss) ? (high ? 2 : 0) : high ? 1 : -1);
  }
  data.features = Features(std::move(rows));
  return data;
}

Release fit(const Dataset& data, const LossSpec& loss, Neighbours relation, Facts facts, Meter& meter) {
  facts.set("epsilon", 1.0);
  facts.set("label_bound", 1.0);
  facts.set("threads", std::int64_t{1});
  if (relation == Neighbours::add_remove) facts.set("records", std::int64_t{30000});
  const Problem problem{.data = &data, .loss = loss, .blocks = full_hats(1, knots)};
  return find_method("limited-objective").fit(problem, facts, meter);
}

TEST(ShapedObjective, FitsACurveAndItsStepsAreRebuiltFromItsCertificate) {
  for (const LossSpec& loss : {logistic, LossSpec(Softmax{3}), LossSpec(Link{LinkKind::squared, 0})})
    for (const Neighbours relation : relations) {
      const Dataset data = waves(20000, loss, 1);
      const auto bits = testing::seeded_bits(5);
      RootMeter meter({Pure{1}, Unit::item, relation}, *bits);
      const Release release = fit(data, loss, relation, {}, meter);
      const Certificate& certificate = release.certificate;
      EXPECT_EQ(certificate.options.text("feature_blocks"),
                std::holds_alternative<Softmax>(loss) ? "9:1,1:1" : "9=1,1=1");
      EXPECT_EQ(certificate.options.text("neighbours"), name(relation));
      EXPECT_EQ(certificate.assumed_public.integer("records"),
                relation == Neighbours::add_remove ? 30000 : 20000);
      EXPECT_LE(std::get<Pure>(certificate.guarantee).epsilon, 1.0);
      EXPECT_EQ(certificate.assumptions.size(), relation == Neighbours::add_remove ? 1u : 0u);

      const std::vector<Step> rebuilt =
          find_method("limited-objective").rebuild_steps(certificate.options, certificate.assumed_public);
      ASSERT_EQ(rebuilt.size(), certificate.steps.size());
      for (std::size_t k = 0; k < rebuilt.size(); ++k) {
        EXPECT_EQ(rebuilt[k].event, certificate.steps[k].event);
        EXPECT_EQ(rebuilt[k].scale, certificate.steps[k].scale);
        EXPECT_EQ(rebuilt[k].grid, certificate.steps[k].grid);
        EXPECT_EQ(rebuilt[k].sensitivity.norm, certificate.steps[k].sensitivity.norm);
        EXPECT_EQ(rebuilt[k].sensitivity.reason, certificate.steps[k].sensitivity.reason);
      }

      if (loss.index() != logistic.index()) continue;
      std::size_t right = 0;
      const Problem problem{.data = &data, .loss = loss};
      for (std::size_t i = 0; i < data.size(); ++i) {
        double z = 0;
        scores(problem, i, release.parameters.value(), {&z, 1});
        right += (z > 0) == (data.labels[i] > 0);
      }
      EXPECT_GT(static_cast<double>(right), 0.9 * 20000);  // any line is right on 3 in 4 at most
    }
}

TEST(ShapedObjective, ThePublicNumberOfRecordsCoversTheData) {
  const Dataset data = waves(100, logistic, 2);
  const auto bits = testing::seeded_bits(6);
  Facts facts;
  facts.set("epsilon", 1.0);
  facts.set("records", std::int64_t{99});
  const Problem problem{.data = &data, .loss = logistic, .blocks = hats(1)};
  for (const Neighbours relation : relations) {
    RootMeter meter({Pure{1}, Unit::item, relation}, *bits);
    EXPECT_THROW(find_method("limited-objective").fit(problem, facts, meter), UsageError);
    EXPECT_TRUE(meter.steps().empty());
  }
}

}  // namespace
}  // namespace tacit::heavy_tails
