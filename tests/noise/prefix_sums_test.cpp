#include "noise/prefix_sums.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>

#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/root_meter.hpp"

namespace tacit {
namespace {

using noise::PrefixKind;
using noise::PrefixSums;

const Sensitivity unit_step{.value = 1, .reason = "test"};

Sensitive<Vector> increment(const Vector& x) { return {x, unit_step, Neighbours::replace_one}; }

double mean_squared_error(PrefixKind kind, std::size_t steps) {
  double sum = 0;
  for (std::size_t t = 1; t <= steps; ++t) sum += noise::prefix_variance(kind, t);
  // At equal mu sigma² is proportional to the squared norm.
  return sum / static_cast<double>(steps) * noise::prefix_norm_squared(kind, steps);
}

TEST(PrefixSums, SquareRootBeatsTheTreeByThePublishedRatios) {
  const std::size_t steps[] = {16, 64, 256, 1024};
  const double ratios[] = {3.19, 4.25, 5.06, 5.69};
  for (int k = 0; k < 4; ++k)
    EXPECT_NEAR(mean_squared_error(PrefixKind::tree, steps[k]) /
                    mean_squared_error(PrefixKind::square_root, steps[k]),
                ratios[k], 0.02 * ratios[k]);
}

static_assert(!std::is_copy_constructible_v<PrefixSums> && !std::is_move_constructible_v<PrefixSums>);

TEST(PrefixSums, RefusesIncrementsOfAnotherNormDimensionOrUnit) {
  const auto bits = testing::seeded_bits(9);
  RootMeter meter({.limit = Gaussian{100}}, *bits);
  PrefixSums sums(PrefixKind::tree, 8, 3, unit_step, 1, 4, meter);
  const Vector x = Vector::Zero(3);
  sums.add(increment(x));
  // √3 times as much in l2 as was paid for.
  EXPECT_THROW(sums.add({x, {.value = 1, .norm = Norm::linf}, Neighbours::replace_one}), UsageError);
  EXPECT_THROW(sums.add(increment(Vector::Zero(1))), UsageError);
  EXPECT_THROW(sums.add(increment(Vector::Zero(64))), UsageError);
  EXPECT_THROW(sums.add({x, {.value = 2}, Neighbours::replace_one}), UsageError);
  EXPECT_THROW(sums.add({x, {.value = std::nan("")}, Neighbours::replace_one}), UsageError);
  EXPECT_THROW(sums.add({x, unit_step, Neighbours::replace_one, Unit::user}), UsageError);
}

// 2000 coordinates at once: a sample variance has relative deviation √(2/2000) = 3.2 %, six of them 19 %; a
// false alarm in any of the 2·16 comparisons is below 1e-7.
TEST(PrefixSums, NoiseHasTheStatedVarianceAndNoBias) {
  constexpr std::size_t steps = 16, dimension = 2000;
  for (const PrefixKind kind : {PrefixKind::tree, PrefixKind::square_root}) {
    const auto bits = testing::seeded_bits(9);
    RootMeter meter({.limit = Gaussian{100}}, *bits);
    PrefixSums sums(kind, steps, dimension, unit_step, 3, 4, meter);
    Vector exact = Vector::Zero(dimension);
    for (std::size_t t = 1; t <= steps; ++t) {
      const Vector x = Vector::Constant(dimension, 0.25 * static_cast<double>(t % 5) - 0.5);
      exact += x;
      const Vector noise = sums.add(increment(x)).value() - exact;
      const double variance = 9 * noise::prefix_variance(kind, t);
      EXPECT_NEAR(noise.squaredNorm() / dimension, variance, 0.19 * variance) << t;
      EXPECT_NEAR(noise.mean(), 0, 6 * std::sqrt(variance / dimension)) << t;
    }
    EXPECT_THROW(sums.add(increment(exact)), UsageError);
    EXPECT_EQ(meter.steps().size(), 1u);
  }
}

// n = 4000·dimension numbers whose squares deviate by √2 of their mean each: six deviations are 0.085, a
// false alarm in 10⁸.
TEST(PrefixSums, NoiseOfAllSumsTogetherHasTheStatedVariance) {
  const Sensitivity one{.value = 1, .norm = Norm::l2, .reason = "a test"};
  constexpr std::size_t dimension = 100, repeats = 100;
  const Sensitive<Vector> nothing(Vector::Zero(dimension), one, Neighbours::replace_one);
  const auto bits = testing::seeded_bits(11);
  for (const PrefixKind kind : {PrefixKind::tree, PrefixKind::square_root})
    for (const std::size_t steps : {1u, 2u, 3u, 7u, 13u, 16u}) {
      const double sigma = 1.01 * std::sqrt(prefix_norm_squared(kind, steps));
      double squares = 0;
      for (std::size_t k = 0; k < repeats; ++k) {
        RootMeter meter({Gaussian{1}}, *bits);
        PrefixSums sums(kind, steps, dimension, one, sigma, 1, meter);
        Vector total = Vector::Zero(dimension);
        for (std::size_t t = 0; t < steps; ++t) total += sums.add(nothing).value();
        squares += total.squaredNorm() / (dimension * repeats);
      }
      EXPECT_NEAR(squares / (sigma * sigma * prefix_total_variance(kind, steps)), 1, 0.085)
          << static_cast<int>(kind) << " " << steps;
    }
}

TEST(PrefixSums, ChargesTheWholeStreamOnce) {
  for (const std::size_t steps : {1u, 7u, 64u}) {
    const double tree =
        std::get<GaussianEvent>(PrefixSums::plan(PrefixKind::tree, steps, 3, unit_step, 2, 1).event).mu;
    EXPECT_NEAR(tree, std::sqrt(std::floor(std::log2(steps)) + 1) / 2, 1e-6);
    EXPECT_GE(tree, std::sqrt(std::floor(std::log2(steps)) + 1) / 2);
    double f = 1, sum = 0;
    for (std::size_t k = 0; k < steps; ++k) {
      if (k > 0) f *= 1 - 0.5 / static_cast<double>(k);
      sum += f * f;
    }
    const double root =
        std::get<GaussianEvent>(PrefixSums::plan(PrefixKind::square_root, steps, 3, unit_step, 2, 1).event)
            .mu;
    EXPECT_NEAR(root, std::sqrt(sum) / 2, 1e-6);
    EXPECT_GE(root, std::sqrt(sum) / 2);
  }
}

TEST(PrefixSums, RefusesIncrementsThatWereNotPaidFor) {
  const auto bits = testing::seeded_bits(9);
  RootMeter meter({.limit = Gaussian{100}}, *bits);
  PrefixSums sums(PrefixKind::tree, 4, 2, unit_step, 1, 1, meter);
  EXPECT_THROW(sums.add({Vector::Ones(2), {.value = 1.5}, Neighbours::replace_one}), UsageError);
}

// Clamped and rounded increments: extreme ones stay finite.
TEST(PrefixSums, SurvivesExtremeIncrements) {
  for (const PrefixKind kind : {PrefixKind::tree, PrefixKind::square_root}) {
    const auto bits = testing::seeded_bits(9);
    RootMeter meter({.limit = Gaussian{100}}, *bits);
    PrefixSums sums(kind, 4, 3, unit_step, 1, 1, meter);
    Vector x(3);
    x << std::nan(""), 1e300, -INFINITY;
    for (int t = 0; t < 4; ++t) EXPECT_TRUE(sums.add(increment(x)).value().allFinite());
  }
}

}  // namespace
}  // namespace tacit
