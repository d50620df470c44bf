#include "solver/outliers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "tacit/core.hpp"

namespace tacit {
namespace {

constexpr double far = 1e6;  // bound on the points of these tests

Inliers of(const Points& points, double tau = 1) { return inliers(points, tau, far, 1); }

double moved(const Inliers& a, const Inliers& b) { return (*a.mean - *b.mean).norm(); }

// What the theorems of docs/outliers.md say of one pair of sets; `closest` gets the largest share of a bound
// that was reached.
void expect_within_bounds(const Points& first, const Points& second, double tau, double& closest) {
  const Inliers a = of(first, tau), b = of(second, tau);
  const auto count = static_cast<std::size_t>(first.rows());
  const double c = static_cast<double>(count);
  ASSERT_LE(std::fabs(a.close_pairs - b.close_pairs), close_pairs_sensitivity(count).total());
  if (!a.mean || !b.mean) return;
  const double any = 28 * tau / std::max(a.weight, b.weight) * (1 + 1e-12);
  ASSERT_LE(moved(a, b), any);
  const double rho = std::max(a.close_pairs, b.close_pairs) / (c * c);
  if (rho < 2.0 / 3 + (count % 2 == 0 ? 1 : 1.5) / c + 1e-9) return;
  const double bound =
      inlier_mean_sensitivity(count, static_cast<std::size_t>(first.cols()), tau, far, rho * c * c).total();
  ASSERT_LE(moved(a, b), bound);
  ASSERT_LE(bound, 4 * (7 - 6 * rho) * tau / (rho * c) * (1 + 1e-10) + 1e-6);
  closest = std::max(closest, moved(a, b) / bound);
}

// Sets of one or two dimensions whose coordinates are multiples of τ/2: ties at exactly τ and 2τ are common.
Points random_lattice(std::mt19937_64& random, Eigen::Index count, Eigen::Index dimension, int spread) {
  return Points::NullaryExpr(count, dimension, [&] {
    return 0.5 *
           static_cast<double>(static_cast<int>(random() % static_cast<unsigned>(2 * spread + 1)) - spread);
  });
}

TEST(Outliers, LatticeSetsMoveWithinTheBound) {
  std::mt19937_64 random(1);
  double closest = 0;
  for (int run = 0; run < 20000; ++run) {
    const auto count = static_cast<Eigen::Index>(4 + random() % 30);  // odd and even
    const auto dimension = static_cast<Eigen::Index>(1 + random() % 2);
    const int spread = 1 + static_cast<int>(random() % 8);
    Points a = random_lattice(random, count, dimension, spread);
    // Most points in one heap, so that the sharper bound applies too.
    for (Eigen::Index j = 0; j < count; ++j)
      if (random() % 8 < 6) a.row(j) *= 0.5 / spread;
    Points b = a;
    b.row(0) = random_lattice(random, 1, dimension, 10 * spread).row(0);
    expect_within_bounds(a, b, 1, closest);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(closest, 0.1);  // the search comes near enough to mean something
}

// Two heaps 4τ apart with a bridge between them, chains with steps of exactly 2τ, a heap with a fringe at
// exactly 2τ that the replaced point lifts or drops.
TEST(Outliers, ClustersAndChainsMoveWithinTheBound) {
  double closest = 0;
  for (const Eigen::Index count : {12, 13, 30, 31, 60, 61})
    for (Eigen::Index heap = count / 2 - 2; heap <= count; ++heap)
      for (const double step : {1.0, 2.0, 2 * (1 + 1e-15), 3.0, 4.0})
        for (const double replaced : {0.0, 1.0, -2.0, 2.0, 4.0, 1e5}) {
          Points a = Points::Zero(count, 1);
          for (Eigen::Index j = std::max<Eigen::Index>(heap, 1); j < count; ++j) a(j, 0) = step;
          Points b = a;
          b(0, 0) = replaced;
          expect_within_bounds(a, b, 1, closest);
          for (Eigen::Index j = 1; j < count; ++j)
            a(j, 0) = b(j, 0) = j < heap ? 0 : 2.0 * static_cast<double>(j - heap + 1);
          expect_within_bounds(a, b, 1, closest);
          if (HasFatalFailure()) return;
        }
  EXPECT_GT(closest, 0.1);
}

// A climb from random sets to those that move most for their bound: what chance does not find.
TEST(Outliers, NoClimbLeadsOverTheBound) {
  std::mt19937_64 random(3);
  double best_of_all = 0;
  for (int start = 0; start < 12; ++start) {
    const Eigen::Index count = 18 + start;
    Points a = random_lattice(random, count, 1, 1), b = a;
    b(0, 0) = 4;
    double best = 0;
    for (int step = 0; step < 3000; ++step) {
      Points next_a = a, next_b = b;
      const auto j = static_cast<Eigen::Index>(random() % static_cast<unsigned>(count));
      const double value = 0.5 * (static_cast<double>(random() % 17) - 8);
      next_a(j, 0) = value;
      if (j > 0)
        next_b(j, 0) = value;
      else if (random() % 2 == 0)
        next_b(0, 0) = 0.5 * (static_cast<double>(random() % 17) - 8);
      double share = 0;
      expect_within_bounds(next_a, next_b, 1, share);
      if (HasFatalFailure()) return;
      if (share >= best) best = share, a = next_a, b = next_b;
    }
    best_of_all = std::max(best_of_all, best);
  }
  EXPECT_GT(best_of_all, 0.15);
  RecordProperty("largest_share_of_the_bound", std::to_string(best_of_all));
}

// Without the half that odd C takes off, two points of positive weight may share the replaced point alone,
// and lie 8τ apart in neighbouring sets: the weights must not give them any.
TEST(Outliers, OddSetsNeedMoreThanHalf) {
  Points a(3, 1);
  a << 0, 2, 4;  // the middle one is near both others, each of which is near 2 of 3
  const Inliers result = of(a);
  ASSERT_TRUE(result.mean);
  EXPECT_EQ((*result.mean)[0], 2);  // only the middle one, near all three, counts
  EXPECT_EQ(result.weight, 1);
}

TEST(Outliers, TiesAtTauAndTwiceTauCount) {
  Points a(4, 1);
  a << 0, 1, 2, 3;
  EXPECT_EQ(of(a).close_pairs, 4 + 2 * 3);
  EXPECT_EQ(of(a).weight, 4);  // the outer ones are near 3 of 4
  Points pair(2, 1);
  pair << 0, 2;
  EXPECT_EQ(of(pair).close_pairs, 2);
  EXPECT_EQ(of(pair).weight, 2);  // near at exactly 2τ
}

TEST(Outliers, PointsThatAreNotFiniteOrTooLongCountForNothing) {
  Points a = Points::Zero(10, 2);
  a(0, 0) = std::numeric_limits<double>::quiet_NaN();
  a(1, 1) = std::numeric_limits<double>::infinity();
  a(2, 0) = 2 * far;
  a(3, 0) = 1e300;
  const Inliers result = of(a);
  EXPECT_EQ(result.close_pairs, 4 + 6 * 6);
  ASSERT_TRUE(result.mean);
  EXPECT_EQ(result.mean->norm(), 0);
}

TEST(Outliers, NothingIsLeftOfScatteredPoints) {
  Points a(6, 1);
  a << 0, 10, 20, 30, 40, 50;
  EXPECT_FALSE(of(a).mean);
  EXPECT_EQ(of(a).weight, 0);
}

TEST(Outliers, DecisionsDoNotDependOnTheUnitOrOnThreads) {
  std::mt19937_64 random(5);
  std::normal_distribution<> normal;
  const Points a = Points::NullaryExpr(101, 13, [&] { return normal(random); });
  const Inliers one = inliers(a, 4.5, far, 1), two = inliers(a, 4.5, far, 3);
  EXPECT_EQ(one.close_pairs, two.close_pairs);
  EXPECT_EQ(*one.mean, *two.mean);
  const Points small = a * 0x1p-200;
  EXPECT_EQ(inliers(small, 4.5 * 0x1p-200, 1, 1).close_pairs, one.close_pairs);
}

TEST(Outliers, TheBoundNeedsAConcentratedCore) {
  EXPECT_THROW(inlier_mean_sensitivity(30, 1, 1, 1, 0.69 * 900), InfeasibleError);
  EXPECT_NO_THROW(inlier_mean_sensitivity(30, 1, 1, 1, 0.71 * 900));
  EXPECT_THROW(of(Points::Zero(3, 1), 0), UsageError);
}

// 16, 11 and 7.1 times τ/C at ρ = 0.7, 0.8, 0.9; the coins of the paper need several times as much.
TEST(Outliers, WeightsMoveLessThanCoins) {
  for (const auto& [rho, constant] : {std::pair(0.7, 16.0), std::pair(0.8, 11.0), std::pair(0.9, 7.112)}) {
    const double bound = inlier_mean_sensitivity(200, 1, 1, 1, rho * 40000).value * 200;
    EXPECT_NEAR(bound, constant, 0.01);
    EXPECT_GT(coin_inclusion_constant(200, rho, 1e-6), 3.5 * bound);
  }
  // Binomial(60, 0.03) exceeds 11 with probability 1.9e-7, 10 with 1.6e-6: k = 11. So for the others.
  EXPECT_NEAR(coin_inclusion_constant(200, 0.7, 1e-6), 4 * 12 / 0.7, 1e-9);
  EXPECT_NEAR(coin_inclusion_constant(200, 0.8, 1e-6), 4 * 10 / 0.8, 1e-9);
  EXPECT_NEAR(coin_inclusion_constant(200, 0.9, 1e-6), 4 * 8 / 0.9, 1e-9);
}

}  // namespace
}  // namespace tacit
