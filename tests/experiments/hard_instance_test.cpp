#include "experiments/support/hard_instance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "domain/onto_ball.hpp"
#include "tacit/core.hpp"
#include "tacit/loss.hpp"

namespace tacit {
namespace {

using namespace heavy_tails;

TEST(HardInstance, HasTheMomentTheMinimiserAndTheRiskThatItClaims) {
  for (const double k : {2.0, 3.0, 6.0}) {
    const HardOptions options{.records = 500, .epsilon = 0.5, .moment = 2, .order = k, .diameter = 3};
    const HardInstance instance = packing_instance(Vector{{1, -1, 2, 0.5}}, options);
    EXPECT_NEAR(instance.rate * std::pow(instance.far.norm(), k), std::pow(2, k), 1e-9);
    EXPECT_NEAR(instance.minimiser().norm(), 1.5, 1e-12);
    EXPECT_NEAR(instance.excess_risk(instance.minimiser()), 0, 1e-12);
    EXPECT_NEAR(instance.excess_risk(-instance.minimiser()), -2 * instance.least_risk(), 1e-12);
    EXPECT_GT(instance.excess_risk(Vector::Zero(4)), packing_lower_bound(4, options))
        << "the trivial algorithm";

    const HardInstance two = two_point_instance(4, options);
    EXPECT_EQ(two.far.norm(), 2);
    EXPECT_GT(two.rate, 0.5);
    EXPECT_NEAR(two.excess_risk(two.minimiser()), 0, 1e-12);
  }
}

// n = 200000: the mean's error has deviation below 0.01, the bound is ten of them.
TEST(HardInstance, SamplesAreLinearOnTheBallAndHaveTheMean) {
  const HardOptions options{.records = 50, .epsilon = 1};
  const HardInstance instance = packing_instance(Vector{{0, 1, 1}}, options);
  const Dataset data = sample(instance, 200000, 7);
  Vector mean = Vector::Zero(3);
  const Vector w = instance.minimiser();
  const Link loss{LinkKind::absolute, 0};
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Eigen::Map<const Vector> z(data.features.row(i).values, 3);
    mean += z / static_cast<double>(data.size());
    const double gap =
        evaluate(loss, z.dot(w), data.labels[i]).value - evaluate(loss, 0, data.labels[i]).value;
    ASSERT_NEAR(gap, z.dot(w), 1e-6);
  }
  EXPECT_LT((mean - instance.mean()).norm(), 0.1);
}

TEST(HardInstance, RefusesWhatTheTheoremDoesNotCover) {
  EXPECT_THROW(packing_instance(Vector{{1.0}}, {.epsilon = 2}), UsageError);
  EXPECT_THROW(packing_instance(Vector{{1.0}}, {.failure = 0.25}), UsageError) << "2^1 - 1 < 4e/4";
  EXPECT_THROW(two_point_instance(1, {.order = 1}), UsageError);
}

// The excess risk from the losses themselves; no point of W is better than the minimiser, each is as bad as
// its u is in the packing, and w = 0 stays bad.
TEST(HardInstance, ShiftedKeepsThePackingsRiskAndZeroIsBad) {
  std::mt19937_64 random(3);
  std::normal_distribution<> normal;
  for (const std::size_t n : {100u, 10000u}) {
    const heavy_tails::HardOptions options{.records = n, .order = 3};
    const auto instance = heavy_tails::shifted_instance(Vector::Ones(4), options);
    EXPECT_NEAR(instance.excess_risk(instance.minimiser()), 0, 1e-12);
    EXPECT_GT(instance.excess_risk(Vector::Zero(5)), 0.9);
    EXPECT_NEAR(instance.minimiser().norm(), instance.radius(), 1e-12);
    for (int k = 0; k < 1000; ++k) {
      Vector w(5);
      for (double& x : w) x = normal(random);
      w = onto_ball(w, instance.radius());
      const Vector inner = onto_ball(w.head(4), 0.5 * instance.packing.diameter);
      EXPECT_GE(instance.excess_risk(w), instance.packing.excess_risk(inner) - 1e-12);
    }

    const Dataset data = heavy_tails::sample(instance, 2000, 5);
    const Vector w{{0.1, -0.2, 0.3, 0.1, 0.4}};
    double at = 0, best = 0, far = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
      const Eigen::Map<const Vector> a(data.features.row(i).values, 5);
      at += std::fabs(a.dot(w) - data.labels[i]);
      best += std::fabs(a.dot(instance.minimiser()) - data.labels[i]);
      far += a[4] == 0;
    }
    auto seen = instance;
    seen.packing.rate = far / 2000;
    EXPECT_NEAR((at - best) / 2000, seen.excess_risk(w), 1e-6);
  }
  EXPECT_THROW(heavy_tails::shifted_instance(Vector::Ones(4), {.records = 2}), UsageError);
}

}  // namespace
}  // namespace tacit
