// Goodness of fit of every sampler. Each test states its n; the false-alarm rate is 1e-9 a test (fixed
// seeds). The control feeds the same test noise whose scale is 2 % off; it must be rejected. Rounding onto
// the grid moves a value by 2^−20 of its scale, far below what these n can see.

#include <gtest/gtest.h>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <cmath>

#include "fit.hpp"
#include "noise/samplers.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

constexpr double false_alarm = 1e-9;

double laplace_cdf(double z) { return z < 0 ? 0.5 * std::exp(z) : 1 - 0.5 * std::exp(-z); }
double gaussian_cdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

using Sampler = void (*)(std::span<const double>, double, const noise::Lattice&, BitSource&,
                         std::span<double>);

std::vector<double> draw(Sampler sampler, double scale, std::size_t n, std::uint64_t seed) {
  const auto bits = testing::seeded_bits(seed);
  std::vector<double> x(n, 0.0), out(n);
  sampler(x, scale, noise::lattice_for(scale, 1), *bits, out);
  return out;
}

// How many of n draws exceed a threshold is binomial: a two-sided tail probability.
double tail_p_value(std::span<const double> sample, double threshold, double probability) {
  const auto exceeding = std::ranges::count_if(sample, [&](double z) { return std::abs(z) > threshold; });
  const boost::math::binomial law(static_cast<double>(sample.size()), probability);
  const double at_most = cdf(law, static_cast<double>(exceeding));
  const double at_least = exceeding == 0 ? 1 : cdf(complement(law, static_cast<double>(exceeding - 1)));
  return 2 * std::min(at_most, at_least);
}

TEST(Laws, LaplaceFitsItsDistribution) {
  constexpr std::size_t n = 2'000'000;
  const std::vector<double> sample = draw(noise::add_laplace, 3.0, n, 11);
  EXPECT_LT(testing::ks_distance(sample, [](double z) { return laplace_cdf(z / 3.0); }),
            testing::ks_threshold(n, false_alarm));
  for (const double t : {5.0, 8.0, 11.0})
    EXPECT_GT(tail_p_value(sample, 3 * t, std::exp(-t)), false_alarm) << t;
}

TEST(Laws, ALaplaceTwoPercentTooNarrowIsRejected) {
  constexpr std::size_t n = 2'000'000;
  EXPECT_GT(testing::ks_distance(draw(noise::add_laplace, 0.98, n, 12), laplace_cdf),
            testing::ks_threshold(n, false_alarm));
}

TEST(Laws, GaussianFitsItsDistribution) {
  constexpr std::size_t n = 2'000'000;
  const std::vector<double> sample = draw(noise::add_gaussian, 0.7, n, 13);
  EXPECT_LT(testing::ks_distance(sample, [](double z) { return gaussian_cdf(z / 0.7); }),
            testing::ks_threshold(n, false_alarm));
  for (const double t : {3.0, 4.0, 4.5})
    EXPECT_GT(tail_p_value(sample, 0.7 * t, 2 * gaussian_cdf(-t)), false_alarm) << t;
}

TEST(Laws, AGaussianTwoPercentTooNarrowIsRejected) {
  constexpr std::size_t n = 2'000'000;
  EXPECT_GT(testing::ks_distance(draw(noise::add_gaussian, 0.98, n, 14), gaussian_cdf),
            testing::ks_threshold(n, false_alarm));
}

TEST(Laws, GaussianCoordinatesAreIndependent) {
  // Squared norms of 10^4 blocks of 250 neighbours, and products of coordinates at the distances at which the
  // sampler reuses a pair (256) or a vector lane (4).
  constexpr std::size_t blocks = 10'000, size = 250, n = blocks * size;
  const std::vector<double> sample = draw(noise::add_gaussian, 1.0, n, 15);
  std::vector<double> squares(blocks, 0.0);
  for (std::size_t i = 0; i < n; ++i) squares[i / size] += sample[i] * sample[i];
  const boost::math::chi_squared law(size);
  EXPECT_LT(testing::ks_distance(squares, [&](double q) { return cdf(law, q); }),
            testing::ks_threshold(blocks, false_alarm));
  for (const std::size_t lag : {1u, 4u, 256u}) {
    double sum = 0;
    for (std::size_t i = 0; i + lag < n; ++i) sum += sample[i] * sample[i + lag];
    EXPECT_LT(std::abs(sum) / std::sqrt(static_cast<double>(n)), 6.2) << lag;  // P(|N(0,1)| > 6.2) < 1e-9
  }
}

// --- isotropic Laplace ---

struct Polar {
  std::vector<double> radius, first, along;  // ‖z‖; z₁/‖z‖; ⟨z, v⟩/‖z‖ for a fixed oblique v
};

Polar draw_isotropic(std::size_t dimension, std::size_t n, double scale, std::uint64_t seed,
                     double stretch = 1) {
  const auto bits = testing::seeded_bits(seed);
  const Vector zero = Vector::Zero(static_cast<Eigen::Index>(dimension));
  const Vector oblique = Vector::LinSpaced(zero.size(), 1, -0.37).normalized();
  Vector z = zero;
  Polar polar;
  for (std::size_t i = 0; i < n; ++i) {
    noise::add_isotropic_laplace({zero.data(), dimension}, scale, noise::lattice_for(scale, 0), *bits,
                                 {z.data(), dimension});
    z[0] *= stretch;
    const double norm = z.norm();
    polar.radius.push_back(norm);
    polar.first.push_back(z[0] / norm);
    polar.along.push_back(oblique.dot(z) / norm);
  }
  return polar;
}

// A coordinate of a uniform direction: (1 + t)/2 has the law Beta((d − 1)/2, (d − 1)/2).
double direction_distance(const std::vector<double>& sample, std::size_t dimension) {
  const double half = (static_cast<double>(dimension) - 1) / 2;
  const boost::math::beta_distribution<double> law(half, half);
  return testing::ks_distance(sample, [&](double t) { return cdf(law, std::clamp((1 + t) / 2, 0.0, 1.0)); });
}

double radius_distance(const Polar& polar, std::size_t dimension, double scale) {
  const boost::math::gamma_distribution<double> law(static_cast<double>(dimension), scale);
  return testing::ks_distance(polar.radius, [&](double r) { return cdf(law, r); });
}

std::size_t draws_in(std::size_t dimension) { return dimension < 50 ? 500'000 : 100'000; }

class IsotropicRadius : public ::testing::TestWithParam<std::size_t> {};

TEST_P(IsotropicRadius, IsGammaAndATwoPercentErrorIsRejected) {
  const std::size_t d = GetParam(), n = draws_in(d);
  const Polar polar = draw_isotropic(d, n, 2.0, 20 + d);
  EXPECT_LT(radius_distance(polar, d, 2.0), testing::ks_threshold(n, false_alarm));
  EXPECT_GT(radius_distance(polar, d, 2.0 * 1.02), testing::ks_threshold(n, false_alarm));
}

INSTANTIATE_TEST_SUITE_P(Dimensions, IsotropicRadius, ::testing::Values(1, 2, 5, 50));

TEST(IsotropicSign, IsFairInOneDimension) {
  const std::size_t n = draws_in(1);
  const Polar polar = draw_isotropic(1, n, 1.0, 41);
  const auto positive = std::ranges::count(polar.first, 1.0);
  const double deviation = static_cast<double>(positive) - static_cast<double>(n) / 2;
  EXPECT_LT(std::abs(deviation) / std::sqrt(static_cast<double>(n) / 4), 6.2);  // P(|N(0,1)| > 6.2) < 1e-9
}

class IsotropicDirection : public ::testing::TestWithParam<std::size_t> {};

TEST_P(IsotropicDirection, IsUniformWhateverTheRadius) {
  const std::size_t d = GetParam(), n = draws_in(d);
  const Polar polar = draw_isotropic(d, n, 1.0, 40 + d);
  EXPECT_LT(direction_distance(polar.first, d), testing::ks_threshold(n, false_alarm));
  EXPECT_LT(direction_distance(polar.along, d), testing::ks_threshold(n, false_alarm));
  std::vector<double> outer;
  for (std::size_t i = 0; i < n; ++i)
    if (polar.radius[i] > static_cast<double>(d)) outer.push_back(polar.first[i]);
  EXPECT_LT(direction_distance(outer, d), testing::ks_threshold(outer.size(), false_alarm));
}

TEST_P(IsotropicDirection, StretchedByFivePercentInOneCoordinateIsRejected) {
  const std::size_t d = GetParam(), n = draws_in(d);
  const Polar stretched = draw_isotropic(d, n, 1.0, 60 + d, 1.05);
  EXPECT_GT(direction_distance(stretched.first, d), testing::ks_threshold(n, false_alarm));
}

INSTANTIATE_TEST_SUITE_P(Dimensions, IsotropicDirection, ::testing::Values(2, 5, 50));

}  // namespace
}  // namespace tacit
