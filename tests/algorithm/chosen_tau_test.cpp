#include "algorithm/user_level/chosen_tau.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::user_level {
namespace {

Points on_a_line(std::size_t count, double far_share, double far) {
  Points points = Points::Zero(static_cast<Eigen::Index>(count), 1);
  for (std::size_t k = 0; k < static_cast<std::size_t>(far_share * static_cast<double>(count)); ++k)
    points(static_cast<Eigen::Index>(k), 0) = far * static_cast<double>(k + 1);
  return points;
}

TEST(TauGrid, ReachesFromAllPointsToFarBelow) {
  for (const double bound : {1e-5, 1.0, 1.0001, 7.0}) {
    const std::vector<double> taus = tau_grid(bound);
    EXPECT_GE(taus.back(), 2 * bound * (1 + 1e-9));
    EXPECT_LE(taus.back(), 8.1 * bound);
    EXPECT_NEAR(taus.back() / taus.front(), 65536, 1e-6);
    for (std::size_t k = 1; k < taus.size(); ++k)
      EXPECT_NEAR(taus[k] / taus[k - 1], std::pow(2, 0.25), 1e-12);
  }
}

TEST(ClosePairsWithin, CountsWhatInliersCounts) {
  std::mt19937_64 random(3);
  std::normal_distribution<> normal;
  Points points = Points::NullaryExpr(61, 11, [&] { return normal(random); });
  points(4, 3) = std::numeric_limits<double>::quiet_NaN();
  points(5, 3) = 1e9;
  const std::vector<double> taus = tau_grid(20);
  for (const unsigned threads : {1u, 3u}) {
    const std::vector<double> pairs = close_pairs_within(points, taus, 20, threads);
    for (std::size_t k = 0; k < taus.size(); ++k)
      EXPECT_EQ(pairs[k], inliers(points, taus[k], 20, 1).close_pairs) << taus[k];
  }
  zero_beyond(points, 20);
  EXPECT_EQ(close_pairs_within(points, taus, 20, 1).back(), 61 * 61);
}

// Below the floor at every tau but the largest ones: such a tau is chosen with probability delta at most.
// 1000 runs at delta = 0.02 show 6 standard deviations more with probability below 1e-8.
TEST(ChosenMean, FallsBelowTheFloorAsRarelyAsStated) {
  const PointsShape shape{.points = 400, .dimension = 1, .tau = 0, .bound = 1};
  const ChosenMean plan =
      plan_chosen_mean(shape, {2, 0.2}, {.core = 0.75, .test_share = 0.3, .failure_share = 0.1});
  // 14 % of the points are scattered: 0.86² of the pairs are close, which is just below the floor of 0.75.
  const Points points = on_a_line(400, 0.14, 0x1p-6);
  const std::vector<double> pairs = close_pairs_within(points, plan.means.taus, 1, 1);
  ASSERT_LT(pairs[0], plan.means.floor);
  const auto bits = testing::seeded_bits(5);
  int below = 0;
  constexpr int runs = 1000;
  for (int k = 0; k < runs; ++k) {
    RootMeter meter({NoPrivacy{}, Unit::user, Neighbours::replace_one}, *bits);
    below += pairs[choose_tau(points, plan.means, plan.choice, 1, meter).value()] < plan.means.floor;
  }
  EXPECT_LE(below, runs * 0.02 + 6 * std::sqrt(runs * 0.02 * 0.98));
}

// A test at the floor passes with probability delta/tests; as above.
TEST(TrackedMeans, PassBelowTheFloorAsRarelyAsStated) {
  const PointsShape shape{.points = 400, .dimension = 1, .tau = 0, .bound = 1};
  const TrackedMeans plan =
      plan_tracked_means(shape, {.tests = 2, .releases = 1, .choice_epsilon = 0.2}, {4, 0.4},
                         {.core = 0.75, .test_share = 0.3, .failure_share = 0.1});
  const Points points = on_a_line(400, 0.136, 0x1p-6);
  const std::vector<double> pairs = close_pairs_within(points, plan.means.taus, 1, 1);
  ASSERT_LT(pairs[0], plan.means.floor);
  const auto bits = testing::seeded_bits(6);
  int passed = 0;
  constexpr int runs = 1000;
  for (int k = 0; k < runs; ++k) {
    RootMeter meter({NoPrivacy{}, Unit::user, Neighbours::replace_one}, *bits);
    passed += test_and_release(points, 0, plan, 1, meter, meter).passed;
  }
  EXPECT_LE(passed, runs * 0.02 + 6 * std::sqrt(runs * 0.02 * 0.98));
  EXPECT_GT(passed, 0) << "the points are meant to be near the floor";
}

TEST(TrackedMeans, WidenAfterAFailureAndDoNotGoBack) {
  const TrackedMeans plan = plan_tracked_means({.points = 1000, .dimension = 1, .tau = 0, .bound = 1},
                                               {.tests = 4, .releases = 3}, {3, 1e-5}, {});
  TrackedTau tau = plan.next({.now = 10, .least = 0}, 0);
  EXPECT_EQ(tau.now, 12u);
  tau = plan.next(tau, 1e6);
  EXPECT_EQ(tau.now, 11u);
  EXPECT_EQ(plan.next(tau, 1e6).now, 11u);
}

// Noise is in proportion to what moves, so the cost is the same at every tau.
TEST(ScaledMeans, CostTheSameAtEveryTau) {
  const ChosenMean plan =
      plan_chosen_mean({.points = 400, .dimension = 3, .tau = 0, .bound = 1}, {3, 1e-5}, {});
  for (std::size_t k = 0; k < plan.means.taus.size(); ++k)
    EXPECT_LE(plan.means.means[k].total() / plan.means.sigma(k),
              std::get<GaussianEvent>(plan.steps.back().event).mu);
}

}  // namespace
}  // namespace tacit::user_level
