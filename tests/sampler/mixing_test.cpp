#include "sampler/mixing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tacit {
namespace {

using namespace sampler;

TEST(LogBallVolume, IsThatOfTheBall) {
  EXPECT_NEAR(std::exp(log_ball_volume(1, 3)), 6, 1e-12);
  EXPECT_NEAR(std::exp(log_ball_volume(2, 3)), 9 * M_PI, 1e-11);
  EXPECT_NEAR(std::exp(log_ball_volume(3, 2)), 4.0 / 3 * M_PI * 8, 1e-11);
}

// [Lin24, Lemma 8], written out: p_min·π^{d/2}/(2^{d+1}Γ(d/2+1))·Δ^d, over d^{d/2} for the 1-norm.
TEST(LogTotalVariation, IsTheLemmasForBothNorms) {
  for (const std::size_t d : {1u, 2u, 11u}) {
    const double size = static_cast<double>(d), distance = 0.3;
    const double lemma = std::log(0.7) + size / 2 * std::log(M_PI) - (size + 1) * std::log(2) -
                         std::lgamma(size / 2 + 1) + size * std::log(distance);
    EXPECT_NEAR(log_total_variation(std::log(0.7), d, distance, Norm::l2), lemma, 1e-10);
    EXPECT_NEAR(log_total_variation(std::log(0.7), d, distance, Norm::l1), lemma - size / 2 * std::log(size),
                1e-10);
  }
}

// The uniform law on [−1, 1], and the same with as much mass as the lemma allows taken from one end to the
// other: every quantile moves by that mass over the density, within the distance.
TEST(LogTotalVariation, AllowsNoMoreThanTheDistance) {
  const double density = 0.5, distance = 0.2;
  const double allowed = std::exp(log_total_variation(std::log(density), 1, distance, Norm::l2));
  EXPECT_LE(allowed / density, distance);
}

// −ln p = slope·x + m x²/2 + bend·(ln cosh x) on the line, convex, on the ball around `center`.
struct Line {
  double slope, m, bend, center, radius;
  double potential(double x) const { return slope * x + 0.5 * m * x * x + bend * std::log(std::cosh(x)); }
  double gradient(double x) const { return slope + m * x + bend * std::tanh(x); }
};

std::vector<Line> lines() {
  std::vector<Line> result;
  for (const double slope : {0.0, 1.0, 12.0})
    for (const double m : {0.2, 3.0})
      for (const double bend : {0.0, 4.0})
        for (const double center : {0.0, 0.6, -5.0})
          for (const double radius : {0.3, 2.0}) result.push_back({slope, m, bend, center, radius});
  return result;
}

// The floors, against sums over a fine grid.
TEST(Floors, AreBelowTheDensityAndTheMass) {
  double tightest_mass = -1e300;
  for (const Line& line : lines()) {
    const double low = line.center - line.radius, high = line.center + line.radius;
    const double steepest = std::max(std::fabs(line.gradient(low)), std::fabs(line.gradient(high)));
    double inside = 0, all = 0, least = 1e300, lowest = 1e300;
    constexpr double h = 1e-3;
    for (double x = -100; x < 100; x += h) lowest = std::min(lowest, line.potential(x));
    for (double x = -100; x < 100; x += h) {
      const double mass = h * std::exp(lowest - line.potential(x));
      all += mass;
      if (x < low || x > high) continue;
      inside += mass;
      least = std::min(least, mass / h);
    }
    if (inside < 1e-250) continue;  // below what the sums resolve
    const double smoothness = line.m + line.bend;
    const double by_slope = log_density_floor(1, line.radius, lipschitz_range(steepest, line.radius));
    const double by_bend = log_density_floor(
        1, line.radius, smooth_range(std::fabs(line.gradient(line.center)), smoothness, line.radius));
    EXPECT_LE(by_slope, std::log(least / inside) + 1e-2);
    EXPECT_LE(by_bend, std::log(least / inside) + 1e-2);
    const double mass = log_mass_floor(1, line.radius, steepest, line.m);
    EXPECT_LE(mass, std::log(inside / all) + 1e-2);
    tightest_mass = std::max(tightest_mass, mass - std::log(inside / all));
  }
  EXPECT_GT(tightest_mass, -1.5) << "the floor is far below every case: it proves nothing";
}

// In more dimensions, for a Gaussian N(0, I/m) and balls at all offsets: by its radial law.
TEST(Floors, HoldForGaussiansInElevenDimensions) {
  constexpr std::size_t d = 11;
  for (const double offset : {0.0, 1.0, 3.0, 6.0})
    for (const double radius : {2.0, 5.0}) {
      const double gradient = offset + radius;  // m = 1
      const double floor = log_mass_floor(d, radius, gradient, 1);
      double mass = 0;  // of the ball, by slices orthogonal to the offset
      for (double x = -radius; x < radius; x += 1e-3) {
        const double rest = radius * radius - x * x, at = offset + x;
        double slice = 0;  // P(χ²₁₀ ≤ rest)
        double term = 1;
        for (int k = 0; k < 5; ++k) {
          if (k > 0) term *= rest / 2 / k;
          slice += term;
        }
        slice = 1 - std::exp(-rest / 2) * slice;
        mass += 1e-3 * std::exp(-0.5 * at * at) / std::sqrt(2 * M_PI) * slice;
      }
      EXPECT_LE(floor, std::log(mass)) << offset << " " << radius;
    }
}

TEST(Mixing, IsTheTheoremWithItsConstantsOne) {
  const double smoothness = 50, strength = 2, log_ratio = 200;
  const Mixing chain = mixing(smoothness, strength, 11, log_ratio);
  EXPECT_NEAR(chain.step_size, 1 / (50 * std::sqrt(25.0 * 200)), 1e-15);
  EXPECT_EQ(chain.steps, std::ceil(200 * std::pow(25.0, 1.5) * std::sqrt(200.0)));
  EXPECT_NEAR(mixing(1, 1, 11, 4).step_size, 1.0 / 11, 1e-15);
  EXPECT_EQ(mixing(1, 1, 11, 4).steps, 44);
  // And back: the step size of as many steps.
  EXPECT_NEAR(mixing_within(smoothness, strength, 11, chain.steps).step_size, chain.step_size, 1e-8);
}

}  // namespace
}  // namespace tacit
