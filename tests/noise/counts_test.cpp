#include "noise/counts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "support/seeded_bits.hpp"
#include "tacit/root_meter.hpp"

namespace tacit {
namespace {

Sensitive<Vector> counts(Vector x, double sensitivity = 1) {
  return {std::move(x), {.value = sensitivity, .norm = Norm::l1, .reason = "test"}, Neighbours::zero_out};
}

RootMeter open(BitSource& bits) {
  return RootMeter({.limit = NoPrivacy{}, .neighbours = Neighbours::zero_out}, bits);
}

// 40000 draws; each frequency within six standard deviations: false alarm below 1e-8 for each comparison.
void expect_geometric(double epsilon, std::uint64_t seed) {
  constexpr int draws = 40000;
  const auto bits = testing::seeded_bits(seed);
  RootMeter meter = open(*bits);
  const Vector out = noise::geometric(counts(Vector::Constant(draws, 7)), Pure{epsilon}, 100, meter).value();
  std::map<double, double> seen;
  for (const double z : out) seen[z - 7] += 1.0 / draws;
  const double p = std::exp(-epsilon);
  for (int k = -5; k <= 5; ++k) {
    const double expected = (1 - p) / (1 + p) * std::pow(p, std::abs(k));
    EXPECT_NEAR(seen[k], expected, 6 * std::sqrt(expected * (1 - expected) / draws))
        << "epsilon " << epsilon << ", " << k;
  }
  // The test can tell another epsilon.
  const double q = std::exp(-2 * epsilon), doubled = (1 - q) / (1 + q);
  EXPECT_GT(std::fabs(seen[0] - doubled), 6 * std::sqrt(doubled * (1 - doubled) / draws));
}

TEST(Geometric, HasItsLawAtLargeAndSmallEpsilon) {
  expect_geometric(1.25, 1);
  expect_geometric(0.3, 2);
}

TEST(Geometric, GivesWholeNumbersAndClampsToTheRange) {
  const auto bits = testing::seeded_bits(3);
  RootMeter meter = open(*bits);
  const Vector out = noise::geometric(counts(Vector{{1e300, -1e300, 3}}), Pure{50}, 10, meter).value();
  EXPECT_EQ(out, (Vector{{10, -10, 3}}));
  EXPECT_THROW(noise::geometric(counts(Vector{{0.5}}), Pure{1}, 10, meter), UsageError);
  EXPECT_THROW(noise::geometric(counts(Vector{{1}}), Pure{1e-10}, 10, meter), UsageError);
}

TEST(Geometric, ChargesWhatItCosts) {
  const auto bits = testing::seeded_bits(4);
  RootMeter meter({.limit = Pure{1}, .neighbours = Neighbours::zero_out}, *bits);
  noise::geometric(counts(Vector{{1, 2}}, 2), Pure{1}, 10, meter);
  ASSERT_EQ(meter.steps().size(), 1u);
  EXPECT_EQ(meter.steps()[0],
            noise::plan_geometric({.value = 2, .norm = Norm::l1, .reason = "test"}, Pure{1}, 2));
  EXPECT_GE(meter.steps()[0].scale, 2);
  EXPECT_THROW(noise::geometric(counts(Vector{{1}}), Pure{0.1}, 10, meter), BudgetError);
}

TEST(LaplaceVector, RefusesASensitivityInAnotherNorm) {
  const auto bits = testing::seeded_bits(5);
  RootMeter meter = open(*bits);
  const Sensitive<Vector> x(Vector{{1, 2}}, {.value = 1, .norm = Norm::l2, .reason = "test"},
                            Neighbours::zero_out);
  EXPECT_THROW(noise::laplace_vector(x, 1, 10, meter), UsageError);
  EXPECT_THROW(noise::geometric(x, Pure{1}, 10, meter), UsageError);
}

}  // namespace
}  // namespace tacit
