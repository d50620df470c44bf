#include <gtest/gtest.h>

#include <cmath>

#include "o2nc_problem.hpp"
#include "tacit/core.hpp"

namespace tacit::nonconvex {
namespace {

using testing::single;

TEST(O2ncPlan, ChargesTheTargetAndNoMore) {
  for (const Pass pass : {Pass::single, Pass::multi})
    for (const Guarantee& target : {Guarantee(Approx{1, 1e-5}), Guarantee(Gaussian{0.3})}) {
      Options options;
      options.pass = pass;
      options.target = target;
      options.period = 8;
      const nonconvex::Plan plan = nonconvex::plan_o2nc(20000, 10, options);
      const double mu = std::get<GaussianEvent>(plan.release.event).mu;
      EXPECT_LE(mu, nonconvex::mu_for(target));
      EXPECT_GE(mu, nonconvex::mu_for(target) * (1 - 1e-6));
    }
}

TEST(O2ncPlan, ComposesAMultiPassRunInSquares) {
  Options options = single(1);
  options.pass = Pass::multi;
  options.steps = 64;
  options.period = 16;
  const nonconvex::Plan plan = nonconvex::plan_o2nc(1000, 5, options);
  const double squares = 4 * plan.start.mu * plan.start.mu + 60 * plan.change.mu * plan.change.mu;
  EXPECT_NEAR(std::get<GaussianEvent>(plan.release.event).mu, std::sqrt(squares), 1e-9);
  EXPECT_GE(plan.start.sigma * plan.start.mu, plan.start.sensitivity.total() * (1 - 1e-12));
}

TEST(O2ncPlan, UsesEveryRecordAtMostOnceInASinglePass) {
  for (const std::int64_t period : {1, 2, 7, 64}) {
    Options options = single(1);
    options.steps = 192;
    options.period = period;
    const nonconvex::Plan plan = nonconvex::plan_o2nc(50000, 20, options);
    const std::size_t periods = plan.sizes.periods();
    const std::size_t used =
        periods * plan.start.batch + (plan.sizes.steps - periods) * (period == 1 ? 0 : plan.change.batch);
    EXPECT_LE(used, 50000u);
    EXPECT_GT(used, 40000u);
  }
  Options too_many = single(1);
  too_many.steps = 100;
  EXPECT_THROW(nonconvex::plan_o2nc(50, 5, too_many), InfeasibleError);
}

TEST(O2ncPlan, WorstCaseClippingCostsAFactorOfTheDimension) {
  Options options = single(1);
  options.period = 1;
  const nonconvex::Plan smoothed = nonconvex::plan_o2nc(10000, 30, options);
  options.bound = Bound::worst;
  const nonconvex::Plan worst = nonconvex::plan_o2nc(10000, 30, options);
  EXPECT_NEAR(worst.start.sigma / smoothed.start.sigma, 30, 1e-6);
}

TEST(O2ncPlan, TheoremMakesTheBoundSmallerThanTheRules) {
  Options options = single(1);
  options.smoothing = 0.2;
  const nonconvex::RunShape run{200000, 10, 1};
  const double by_rule = stationarity_bound(run, practical_sizes(run, options), options).total();
  EXPECT_LT(stationarity_bound(run, theorem_sizes(run, options), options).total(), by_rule);
  options.smoothing.reset();
  EXPECT_THROW(theorem_sizes(run, options), UsageError);
}

// Theorem 3.1: the bound falls at least like n^{−1/3}. Theorem 4.1: with all records in every step fewer do.
TEST(O2ncPlan, TheoremsBoundFallsWithTheRecordsAndFasterWhenTheyAreReused) {
  const auto bound = [](Pass pass, std::size_t n) {
    Options options = single(1);
    options.pass = pass;
    options.bound = Bound::frame;  // clipping to L has a bias that no number of records lowers
    options.smoothing = 0.2;
    options.work_limit = 1e18;
    const nonconvex::RunShape run{n, 20, 1};
    return stationarity_bound(run, theorem_sizes(run, options), options).total();
  };
  double before = INFINITY;
  for (const std::size_t n : {100000u, 800000u, 6400000u}) {
    const double now = bound(Pass::single, n);
    EXPECT_LT(now, before / 1.9) << n;  // eightfold records
    before = now;
  }
  EXPECT_LT(bound(Pass::multi, 20000), bound(Pass::single, 20000) / 3);
  EXPECT_LT(bound(Pass::multi, 20000), bound(Pass::multi, 5000) / 1.6);
}

// Every method, many sizes: the iterates of a block are in each other's ball unless sizes are asked for.
TEST(O2ncPlan, DefaultsKeepABlockWithinTheBall) {
  for (const Pass pass : {Pass::single, Pass::multi, Pass::sampled})
    for (const std::size_t n : {70u, 1000u, 8200u, 100000u})
      for (const std::size_t d : {2u, 30u})
        for (const double radius : {0.1, 2.0, 50.0}) {
          Options options;
          options.pass = pass;
          options.radius = radius;
          const nonconvex::Sizes sizes = practical_sizes({n, d, 0.3}, options);
          EXPECT_LE(static_cast<double>(sizes.averaging) * sizes.step_cap, sizes.smoothing * (1 + 1e-9))
              << n << " " << d << " " << radius;
          EXPECT_GE(sizes.averaging, 1u);
          EXPECT_EQ(sizes.period, 1u) << "no variance reduction by the practical rules";
        }
  Options asked = single(1);
  asked.smoothing = 0.001;  // less than a usual step: steps give way
  const nonconvex::Sizes sizes = practical_sizes({1000, 2, 1}, asked);
  EXPECT_LE(static_cast<double>(sizes.averaging) * sizes.step_cap, 0.001 * (1 + 1e-9));
}

TEST(O2ncPlan, TheGapToThePopulationFallsLikeTheRootOfTheRecords) {
  const double few = nonconvex::population_gap(1000, 5, 0.1, 3, 0.01);
  const double many = nonconvex::population_gap(100000, 5, 0.1, 3, 0.01);
  EXPECT_GT(few / many, 8);
  EXPECT_LT(few / many, 10);
  EXPECT_LT(many, 0.06);
}

TEST(O2ncPlan, RefusesOptionsThatMakeNoSense) {
  Options options = single(1);
  options.lipschitz = 0;
  EXPECT_THROW(nonconvex::plan_o2nc(100, 2, options), UsageError);
  options = single(1);
  options.target = Pure{1};
  EXPECT_THROW(nonconvex::plan_o2nc(100, 2, options), UsageError);
  for (const Bound bound : {Bound::worst, Bound::frame}) {
    options = single(1);
    options.bound = bound;
    options.estimate = Estimate::gradients;
    EXPECT_THROW(nonconvex::plan_o2nc(100, 2, options), UsageError);
  }
  options = single(1);
  options.steps = 0;
  EXPECT_THROW(nonconvex::plan_o2nc(100, 2, options), UsageError);
}

}  // namespace
}  // namespace tacit::nonconvex
