#include "algorithm/intervals/intervals.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "algorithm/heavy_tails/limited_output.hpp"
#include "algorithm/intervals/fit_noise.hpp"
#include "algorithm/intervals/mixture.hpp"
#include "experiments/support/interval_coverage.hpp"
#include "noise/shaped_laplace.hpp"
#include "stated_fit.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/root_meter.hpp"

namespace tacit {
namespace {

const LossSpec logistic = Link{LinkKind::logistic, 0}, squared = Link{LinkKind::squared, 0};

TEST(MixtureHalfWidth, IsThatOfLaplaceAndOfANormal) {
  EXPECT_NEAR(intervals::mixture_half_width(0.95, std::numeric_limits<double>::infinity()), 1.959964, 1e-5);
  // Laplace noise of scale 1 has variance 2, and |z| ≤ ln 20 with probability 0.95.
  EXPECT_NEAR(std::sqrt(2.0) * intervals::mixture_half_width(0.95, 2), std::log(20), 2e-3);
  EXPECT_NEAR(std::sqrt(2.0) * intervals::mixture_half_width(0.5, 2), std::log(2), 2e-2);
}

// 40000 draws: the deviation of a mean square is below 2.5 % of it, of a mean fourth power about 10 %.
TEST(NoiseMoments, AreThoseOfShapedNoise) {
  const FeatureBlocks blocks({{.size = 3, .bound = 1}, {.size = 1, .bound = 0.5}, {.size = 1, .bound = 1}});
  Vector u(5);
  u << 1, -0.5, 0.2, 0.7, 0.4;
  const auto noise = intervals::NoiseMoments::shaped(2, blocks);
  const auto bits = testing::seeded_bits(11);
  double squares = 0, fourths = 0;
  constexpr int draws = 40000;
  const Step step{.mechanism = "objective-perturbation",
                  .event = PureEvent{1},
                  .scale = 2,
                  .grid = noise::shaped_perturbation_grid(blocks, 2),
                  .dimension = 5};
  for (int k = 0; k < draws; ++k) {
    RootMeter meter({.limit = NoPrivacy{}}, *bits);
    const double z = u.dot(noise::perturb_shaped(step, blocks, 1, meter).value);
    squares += z * z / draws;
    fourths += std::pow(z, 4) / draws;
  }
  EXPECT_NEAR(noise.variance(u), squares, 0.06 * squares);
  const double fourth = noise.fourth_cumulant(u) + 3 * std::pow(noise.variance(u), 2);
  EXPECT_NEAR(fourth, fourths, 0.3 * fourths);
}

TEST(NoiseMoments, OfOneNumberAreLaplaces) {
  const Vector one = Vector::Ones(1);
  const auto isotropic = intervals::NoiseMoments::isotropic_laplace(3, 1);
  const auto shaped = intervals::NoiseMoments::shaped(3, FeatureBlocks({{.size = 1, .bound = 1}}));
  for (const auto& noise : {isotropic, shaped}) {
    EXPECT_NEAR(noise.variance(one), 18, 1e-9);                  // 2·3²
    EXPECT_NEAR(noise.fourth_cumulant(one), 3 * 18 * 18, 1e-6);  // a kurtosis of 6
  }
}

TEST(IntervalPlan, SpendsWhatItIsGivenAndNoMore) {
  const Shape shape{.records = 1000, .features = 4, .loss = logistic};
  for (const Neighbours relation : {Neighbours::zero_out, Neighbours::replace_one}) {
    const intervals::Fit fit = testing::stated_fit(shape, relation);
    for (const Guarantee& cost :
         {Guarantee(Pure{0.2}), Guarantee(Approx{0.2, 1e-6}), Guarantee(Gaussian{0.3})}) {
      const Step step = intervals::plan(fit, cost).step;
      const auto bits = testing::seeded_bits(1);
      RootMeter meter({cost, Unit::item, relation}, *bits);
      EXPECT_NO_THROW(meter.charge(step));
      RootMeter less({std::holds_alternative<Pure>(cost) ? Guarantee(Pure{0.199}) : Guarantee(Gaussian{0.01}),
                      Unit::item, relation},
                     *bits);
      EXPECT_THROW(less.charge(step), BudgetError);
      EXPECT_EQ(step.dimension, 20u);
    }
  }
}

// ---- Widths.

// What noise hides counts as no curvature at all: the widest that strong convexity allows.
TEST(HalfWidths, AreThoseOfThePenaltyAloneWhereNoiseHidesTheCurvature) {
  const Shape shape{.records = 500, .features = 3, .loss = logistic};
  const intervals::Fit fit = testing::stated_fit(shape, Neighbours::zero_out);
  const intervals::Plan plan = intervals::plan(fit, Pure{0.01});
  const Vector released = Vector::Constant(static_cast<Eigen::Index>(plan.step.dimension), plan.step.grid);
  const intervals::HalfWidths half = intervals::half_widths(plan, fit, released, 0.95);
  const double scale = fit.steps[0].scale / plan.strength;
  const auto noise = intervals::NoiseMoments::isotropic_laplace(scale, 3);
  const double expected =
      std::sqrt(noise.variance(Vector::Unit(3, 0))) * intervals::mixture_half_width(0.95, 4);
  for (Eigen::Index j = 0; j < 3; ++j) {
    EXPECT_NEAR(half.minimiser[j], expected, 1e-3 * expected);
    EXPECT_GT(half.population[j], half.minimiser[j]);
  }
}

TEST(HalfWidths, ShrinkWithTheCurvatureThatIsSeen) {
  const Shape shape{.records = 100000, .features = 2, .loss = squared};
  const intervals::Fit fit = testing::stated_fit(shape, Neighbours::zero_out);
  const intervals::Plan plan = intervals::plan(fit, Pure{1});
  Vector released = Vector::Zero(6);
  released[0] = released[2] = 2000;  // a diagonal Hessian
  released[3] = released[5] = 100;
  const auto wide = intervals::half_widths(plan, fit, released, 0.95);
  released[0] = released[2] = 4000;
  const auto narrow = intervals::half_widths(plan, fit, released, 0.95);
  EXPECT_NEAR(wide.minimiser[0] / narrow.minimiser[0], 2, 0.02);
  EXPECT_NEAR(wide.population[0] / narrow.population[0], 2, 0.02);
  EXPECT_LT(intervals::half_widths(plan, fit, released, 0.5).population[0], narrow.population[0]);
}

// 300 fits of three coefficients each, fresh bits: a share has a deviation of at most 0.0126 where the three
// go together, so that one outside of 0.95 ± 0.05 is rarer than 1e-4.
TEST(LongIntervals, HoldWhatTheyAreForInSimulation) {
  for (const bool classes : {true, false}) {
    const experiment::Coverage found =
        experiment::coverage({.classes = classes, .records = 20000, .guarantee = Pure{4}}, 300, 2);
    EXPECT_NEAR(found.population, 0.95, 0.05) << classes;
    EXPECT_NEAR(found.minimiser, 0.95, 0.05) << classes;
    EXPECT_LT(found.noise_width, found.half_width);
  }
}

TEST(Intervals, SayWhyThereAreNone) {
  const Shape shape{.records = 100, .features = 3, .loss = logistic};
  Facts known;
  known.set("epsilon", 1.0);
  known.set("row_norm_bound", 1.0);
  EXPECT_EQ(intervals::why_not("limited-objective", shape, known), "");
  EXPECT_NE(intervals::why_not("dp-sgd", shape, known), "");
  Shape other = shape;
  other.loss = Link{LinkKind::hinge, 0};
  EXPECT_NE(intervals::why_not("limited-objective", other, known), "");
  other = shape;
  other.features = intervals::most_parameters + 1;
  EXPECT_NE(intervals::why_not("limited-objective", other, known), "");
  Facts unknown;
  unknown.set("epsilon", 1.0);
  EXPECT_NE(intervals::why_not("limited-objective", shape, unknown), "") << "sizes are chosen privately";
}

}  // namespace
}  // namespace tacit
