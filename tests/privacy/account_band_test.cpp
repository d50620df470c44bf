#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "privacy/accounting/band.hpp"

namespace tacit::pld {
namespace {

// The sum that Band::tail gives, from a convolution in extended precision.
struct Reference {
  Reference(std::span<const Factor> factors, std::size_t size)
      : sum(convolve(factors, size, Precision::extended)) {}

  Approximation tail(std::int64_t k, std::int64_t reach, double lambda, double step) const {
    const auto size = static_cast<std::int64_t>(sum.mass.size());
    Approximation tail;
    for (std::int64_t j = 1; j <= reach; ++j) {
      const double at = static_cast<double>(j) * step;
      const double weight = std::exp(-lambda * at) * -std::expm1(-at);
      tail.value += weight * sum.mass[static_cast<std::size_t>((((k + j) % size) + size) % size)];
      tail.error += weight * sum.error;
    }
    tail.error += 1e-13 * tail.value;  // of this sum
    return tail;
  }

  Convolution sum;
};

// A bell of losses around zero, with rare ones far out, `count` times.
Factor bell(std::size_t size, double count, double rare, std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  Factor factor{{}, count};
  double sum = 0;
  for (int k = -20; k <= 20; ++k) {
    const double mass = std::exp(-k * k / 50.0) * std::uniform_real_distribution(0.8, 1.2)(draw);
    factor.points.push_back({static_cast<std::size_t>(k + static_cast<int>(size)) % size, mass});
    sum += mass;
  }
  for (Point& point : factor.points) point.mass *= (1 - rare) / sum;
  if (rare > 0) factor.points.push_back({size / 5, rare});
  return factor;
}

void expect_agreement(std::span<const Factor> factors, std::size_t size) {
  const std::optional<Band> band = Band::of(factors, size);
  ASSERT_TRUE(band.has_value());
  const Reference reference(factors, size);
  const auto whole = static_cast<std::int64_t>(size);
  for (const std::int64_t k : {-whole / 3, std::int64_t{-700}, std::int64_t{0}, std::int64_t{900}, whole / 4})
    for (const double lambda : {0.5, 20.0}) {
      const std::int64_t reach = whole / 2 - k;
      const Approximation found = band->tail(k, reach, lambda, 1e-4),
                          exact = reference.tail(k, reach, lambda, 1e-4);
      EXPECT_LE(std::fabs(found.value - exact.value), found.error + exact.error) << k << ' ' << lambda;
      EXPECT_LE(found.error, 1e-9);
    }
}

TEST(Band, AgreesWithATransform) { expect_agreement(std::vector{bell(1 << 16, 2e4, 0, 1)}, 1 << 16); }

TEST(Band, AgreesWithATransformWhereRareLossesAreLarge) {
  expect_agreement(std::vector{bell(1 << 16, 2e4, 1e-4, 2)}, 1 << 16);
}

TEST(Band, AgreesWithATransformOfSeveralFactors) {
  expect_agreement(
      std::vector{bell(1 << 16, 2e4, 1e-4, 3), bell(1 << 16, 3e3, 0, 4), bell(1 << 16, 1, 0.5, 5)}, 1 << 16);
}

// Its bounds are of use: far below what it adds up.
TEST(Band, KnowsASmallTailToManyDigits) {
  const std::vector factors{bell(1 << 16, 2e4, 0, 1)};
  const Approximation tail = Band::of(factors, 1 << 16)->tail(1000, 1 << 14, 1.0, 1e-4);
  EXPECT_GT(tail.value, 0);
  EXPECT_LE(tail.error, 1e-6 * tail.value);
}

// All mass on even points: the spectrum comes back at its far end, where nothing was computed.
TEST(Band, IsNotThereWhereHighFrequenciesMatter) {
  Factor even{{}, 1e5};
  for (const Point& point : bell(1 << 15, 1, 0, 1).points)
    even.points.push_back({point.at * 2 % (1 << 16), point.mass});
  EXPECT_FALSE(Band::of(std::vector{even}, 1 << 16).has_value());
  for (Point& point : even.points) point.mass *= 1 - 1e-3;
  even.points.push_back({1, 1e-3});  // a hundred odd losses in all: the far end is e^{−200}
  EXPECT_TRUE(Band::of(std::vector{even}, 1 << 16).has_value());
}

// A dozen steps of a law that is flat, or flat with atoms: most of the spectrum is there, and small.
TEST(Band, OfADozenStepsIsRightOrNotThere) {
  constexpr std::size_t size = 8192;
  for (const double atoms : {0.0, 0.75}) {
    Factor flat{{}, 12};
    for (std::size_t k = 0; k < 64; ++k) flat.points.push_back({(k + size - 32) % size, (1 - atoms) / 64});
    if (atoms > 0)
      for (const std::size_t at : {std::size_t{48}, std::size_t{80}, size - 48, size - 80})
        flat.points.push_back({at, atoms / 4});
    if (const auto band = Band::of(std::vector{flat}, size)) {
      const Approximation found = band->tail(100, 4000, 3, 0.01),
                          exact = Reference(std::vector{flat}, size).tail(100, 4000, 3, 0.01);
      EXPECT_LE(std::fabs(found.value - exact.value), found.error + exact.error) << atoms;
    }
  }
}

// One step whose transform nearly vanishes at some frequencies, where its logarithm is known badly.
TEST(Band, KnowsHowLittleItKnowsOfTheLogarithmNearZero) {
  constexpr std::size_t size = 8192;
  const double d = 6.3068431122959499e-09;
  const std::vector<Factor> factors = {{{{0, 0.5}, {1, 0.25}, {size - 1, 0.25}}, 200},
                                       {{{0, 0.5 + d}, {64, 0.5 - d}}, 1}};
  if (const auto band = Band::of(factors, size)) {
    const Approximation found = band->tail(27, 3000, 1.0443, 0.04535),
                        exact = Reference(factors, size).tail(27, 3000, 1.0443, 0.04535);
    EXPECT_LE(std::fabs(found.value - exact.value), found.error + exact.error);
  }
}

TEST(Band, IsNotThereForAFewSteps) {
  EXPECT_FALSE(Band::of(std::vector{bell(1 << 16, 3, 0, 1)}, 1 << 16).has_value());
}

}  // namespace
}  // namespace tacit::pld
