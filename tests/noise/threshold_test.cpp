#include "noise/threshold.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>

#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/root_meter.hpp"

namespace tacit {
namespace {

const Sensitivity unit_query{.value = 1, .reason = "test"};

Sensitive<double> score(double x) { return {x, unit_query, Neighbours::replace_one}; }

// P(X + L_a ≥ L_b) for independent Laplace variables of scales a ≠ b, X = −x ≤ 0:
// (a²e^{−x/a} − b²e^{−x/b}) / (2(a² − b²)).
double crossing(double x, double a, double b) {
  return (a * a * std::exp(-x / a) - b * b * std::exp(-x / b)) / (2 * (a * a - b * b));
}

TEST(AboveThreshold, SaysYesWithTheStatedProbability) {
  constexpr int runs = 60000;
  const auto bits = testing::seeded_bits(5);
  int yes = 0;
  for (int k = 0; k < runs; ++k) {
    RootMeter meter({.limit = Pure{2}}, *bits);
    noise::AboveThreshold test(3, unit_query, 100, Pure{2}, meter);
    yes += test.ask(score(1.5)).value() ? 1 : 0;
  }
  const double p = crossing(1.5, 2, 1), seen = static_cast<double>(yes) / runs;
  EXPECT_NEAR(seen, p, 6 * std::sqrt(p * (1 - p) / runs));
  const double halved = crossing(1.5, 1, 0.5);
  EXPECT_GT(std::fabs(seen - halved), 6 * std::sqrt(halved * (1 - halved) / runs));
}

TEST(AboveThreshold, StopsAtTheFirstYesAndCostsItsEpsilonOnce) {
  const auto bits = testing::seeded_bits(6);
  RootMeter meter({.limit = Pure{1}}, *bits);
  noise::AboveThreshold test(0, unit_query, 1e4, Pure{1}, meter);
  for (int k = 0; k < 100; ++k) EXPECT_FALSE(test.ask(score(-5000)).value());
  EXPECT_TRUE(test.ask(score(5000)).value());
  EXPECT_THROW(test.ask(score(-5000)), UsageError);
  EXPECT_EQ(meter.steps().size(), 1u);
}

TEST(AboveThreshold, RefusesScoresThatWereNotPaidFor) {
  const auto bits = testing::seeded_bits(6);
  RootMeter meter({.limit = Pure{1}}, *bits);
  noise::AboveThreshold test(0, unit_query, 10, Pure{1}, meter);
  EXPECT_THROW(test.ask({1.0, {.value = 2}, Neighbours::replace_one}), UsageError);
  EXPECT_THROW(test.ask({1.0, unit_query, Neighbours::add_remove}), UsageError);
  EXPECT_THROW(test.ask({1.0, {.value = std::nan("")}, Neighbours::replace_one}), UsageError);
  EXPECT_THROW(test.ask({1.0, {.value = 2, .slack = -1.5}, Neighbours::replace_one}), UsageError);
  EXPECT_THROW(test.ask({1.0, unit_query, Neighbours::replace_one, Unit::user}), UsageError);
  EXPECT_THROW(noise::AboveThreshold(11, unit_query, 10, Pure{1}, meter), UsageError);
}

// A noisy score stays below 2^53 cells in every draw: 65536 digits of a uniform make −ln U < 45427.
TEST(AboveThreshold, PlansNoNoiseBeyond53Bits) {
  for (const double range : {1e-6, 1.0, 1e6, 1e20})
    for (const double sensitivity : {1e-9, 0.3, 1.0, 1e4})
      for (double epsilon = 100; epsilon > 1e-20; epsilon /= 7) {
        try {
          const Step step = noise::AboveThreshold::plan({.value = sensitivity}, range, Pure{epsilon});
          EXPECT_LT(range + 45427 * (2 * step.scale), 0x1p53 * step.grid) << range << ' ' << epsilon;
        } catch (const UsageError&) {
          EXPECT_LT(epsilon, 0x1p-35) << range << ' ' << sensitivity;
        }
      }
}

// A copy would hold the noisy threshold and charge nothing.
static_assert(!std::is_copy_constructible_v<noise::AboveThreshold>);
static_assert(!std::is_move_constructible_v<noise::AboveThreshold>);
static_assert(!std::is_copy_constructible_v<Meter> && !std::is_copy_assignable_v<Meter>);

// Clamping would lift a stability below −range to where it passes far more often than delta.
TEST(ProposeTestRelease, RefusesAFloorBelowTheRange) {
  for (const double threshold : {-20.0, -9.0, -5.0, 3.0})
    EXPECT_THROW(noise::stability_floor({threshold, Pure{1}, 1e-6}, unit_query, 10), UsageError) << threshold;
  EXPECT_GT(noise::stability_floor({5, Pure{1}, 1e-6}, unit_query, 10), -10);
  EXPECT_THROW(noise::plan_propose_test_release({-5, Pure{1}, 1e-6}, unit_query, 10, unit_query, 1, 1, 1),
               UsageError);
}

TEST(ProposeTestRelease, PassesWithAtMostDeltaAtTheFloor) {
  const noise::StabilityTest test{.threshold = 50, .epsilon = Pure{1}, .delta = 0.01};
  const double floor = noise::stability_floor(test, unit_query, 100);
  EXPECT_LE(floor, 50 - std::log(50.0));
  EXPECT_GT(floor, 50 - std::log(50.0) - 1e-4);
  constexpr int runs = 40000;
  const auto bits = testing::seeded_bits(7);
  int passed = 0;
  for (int k = 0; k < runs; ++k) {
    RootMeter meter({.limit = NoPrivacy{}}, *bits);  // the account is tested below, and takes its time
    const auto released =
        noise::propose_test_release(test, {floor, unit_query, Neighbours::replace_one}, 100,
                                    {Vector::Ones(2), {.value = 0.1}, Neighbours::replace_one}, 1, 10, meter);
    passed += released.value().has_value() ? 1 : 0;
    EXPECT_EQ(meter.steps().size(), 3u);
  }
  EXPECT_NEAR(static_cast<double>(passed) / runs, 0.01, 6 * std::sqrt(0.01 / runs));
}

TEST(ProposeTestRelease, ReleasesNothingWhenTheTestFails) {
  const auto bits = testing::seeded_bits(8);
  RootMeter meter({.limit = Approx{20, 0.1}}, *bits);
  const noise::StabilityTest test{.threshold = 50, .epsilon = Pure{1}, .delta = 0.01};
  const auto failed = noise::propose_test_release(
      test, score(-100), 100, {Vector::Ones(2), unit_query, Neighbours::replace_one}, 1, 10, meter);
  EXPECT_FALSE(failed.value().has_value());
  RootMeter other({.limit = Approx{20, 0.1}}, *bits);
  const auto passed = noise::propose_test_release(
      test, score(100), 100, {Vector::Ones(2), unit_query, Neighbours::replace_one}, 1, 10, other);
  ASSERT_TRUE(passed.value().has_value());
  EXPECT_EQ(passed.value()->size(), 2);
}

}  // namespace
}  // namespace tacit
