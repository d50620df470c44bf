// Goodness of fit of shaped noise, density ∝ exp(−‖b‖_K/scale). Each test states its n; the false-alarm rate
// is 1e-9 a comparison (fixed seeds). Controls that are off by a few per cent must be rejected.

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "fit.hpp"
#include "noise/shaped_laplace.hpp"
#include "support/seeded_bits.hpp"

namespace tacit {
namespace {

constexpr double false_alarm = 1e-9;
constexpr double six_sigma = 6.2;  // P(|N(0,1)| > 6.2) < 1e-9

struct Case {
  FeatureBlocks blocks;
  std::size_t outputs;
  std::size_t parameters() const { return outputs * blocks.features(); }
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.blocks.text() << " for " << c.outputs; }

// n vectors, one after another.
struct Sample {
  std::size_t dimension;
  std::vector<double> values;
  std::size_t size() const { return values.size() / dimension; }
  std::span<const double> operator[](std::size_t i) const {
    return std::span(values).subspan(i * dimension, dimension);
  }
};

Sample draw(const Case& c, double scale, std::size_t n, std::uint64_t seed) {
  const auto bits = testing::seeded_bits(seed);
  const std::size_t d = c.parameters();
  const std::vector<double> zero(d, 0.0);
  Sample sample{d, std::vector<double>(n * d)};
  const noise::Lattice lattice = noise::lattice_for(scale * c.blocks.largest_bound(), 0);
  for (std::size_t i = 0; i < n; ++i)
    noise::add_shaped_laplace(zero, c.blocks, c.outputs, scale, lattice, *bits,
                              std::span(sample.values).subspan(i * d, d));
  return sample;
}

template <class F>
std::vector<double> each(const Sample& sample, F&& f) {
  std::vector<double> result;
  for (std::size_t i = 0; i < sample.size(); ++i) result.push_back(f(sample[i]));
  return result;
}

template <class Cdf>
bool fits(std::vector<double> sample, Cdf&& cdf) {
  const std::size_t n = sample.size();
  return testing::ks_distance(std::move(sample), cdf) < testing::ks_threshold(n, false_alarm);
}

double laplace_cdf(double z) { return z < 0 ? 0.5 * std::exp(z) : 1 - 0.5 * std::exp(-z); }

// The length of feature l over all outputs.
double length(std::span<const double> b, const Case& c, std::size_t l) {
  double squares = 0;
  for (std::size_t o = 0; o < c.outputs; ++o) squares += std::pow(b[o * c.blocks.features() + l], 2);
  return std::sqrt(squares);
}

double block_norm(std::span<const double> b, const Case& c, std::size_t block) {
  std::size_t first = 0;
  for (std::size_t j = 0; j < block; ++j) first += c.blocks.list()[j].size;
  double sum = 0;
  for (std::size_t l = first; l < first + c.blocks.list()[block].size; ++l) sum += length(b, c, l);
  return sum;
}

class ShapedLaws : public ::testing::TestWithParam<Case> {
 protected:
  static constexpr std::size_t n = 100'000;
};

TEST_P(ShapedLaws, TheGaugeIsGammaAndAFivePercentErrorIsRejected) {
  const Case& c = GetParam();
  const auto gauges = each(draw(c, 2.0, n, 101), [&](auto b) { return c.blocks.gauge(b, c.outputs); });
  const double shape = static_cast<double>(c.parameters());
  for (const double stretch : {1.0, 1.05}) {
    const boost::math::gamma_distribution<double> law(shape, 2.0 * stretch);
    EXPECT_EQ(fits(gauges, [&](double g) { return cdf(law, g); }), stretch == 1.0);
  }
}

// P(‖b_j‖ ≤ a·ρ_j) for scale 1: E min(1, a/T)^m with T ~ Gamma(d + 1), m = k_j·r.
double block_cdf(double a, double d, double m) {
  using namespace boost::math;
  const double inside = gamma_p(d + 1, a);
  return inside +
         std::exp(m * std::log(a) + std::lgamma(d + 1 - m) - std::lgamma(d + 1)) * gamma_q(d + 1 - m, a);
}

TEST_P(ShapedLaws, EveryBlockHasItsMarginalLawAndAFivePercentErrorInItsBoundIsRejected) {
  const Case& c = GetParam();
  const Sample sample = draw(c, 0.7, n, 102);
  const double d = static_cast<double>(c.parameters());
  for (std::size_t j = 0; j < c.blocks.list().size(); ++j) {
    const auto [size, bound, full] = c.blocks.list()[j];
    const double m = static_cast<double>(size * c.outputs);
    const auto norms = each(sample, [&](auto b) { return block_norm(b, c, j) / (0.7 * bound); });
    EXPECT_TRUE(fits(norms, [&](double a) { return block_cdf(a, d, m); })) << j;
    if (j == 0) {
      EXPECT_FALSE(fits(norms, [&](double a) { return block_cdf(a / 1.05, d, m); }));
    }
  }
}

// A feature's share of its block, |b_l|/‖b_j‖, is Beta(r, r(k − 1)) whatever the gauge.
// Its first and its last feature are looked at.
TEST_P(ShapedLaws, ABlockIsSharedEvenlyWhateverTheGauge) {
  const Case& c = GetParam();
  const Sample sample = draw(c, 1.0, n, 103);
  const double median = static_cast<double>(c.parameters());
  std::size_t end = 0;
  for (std::size_t j = 0; j < c.blocks.list().size(); ++j) {
    const std::size_t size = c.blocks.list()[j].size, begin = end;
    end += size;
    if (size == 1) continue;
    const double r = static_cast<double>(c.outputs);
    const boost::math::beta_distribution<double> law(r, r * static_cast<double>(size - 1));
    const auto share = [&](double s) { return cdf(law, std::clamp(s, 0.0, 1.0)); };
    for (const std::size_t l : {begin, end - 1}) {
      std::vector<double> all, outer;
      for (std::size_t i = 0; i < sample.size(); ++i) {
        all.push_back(length(sample[i], c, l) / block_norm(sample[i], c, j));
        if (c.blocks.gauge(sample[i], c.outputs) > median) outer.push_back(all.back());
      }
      EXPECT_TRUE(fits(all, share)) << l;
      EXPECT_TRUE(fits(outer, share)) << l;
      EXPECT_FALSE(fits(all, [&](double s) { return share(1.05 * s); })) << l;
    }
  }
}

// A coordinate of a feature's direction in ℝʳ: (1 + t)/2 is Beta((r − 1)/2, (r − 1)/2); for r = 1 a fair
// sign, and signs of different features agree half of the time.
TEST_P(ShapedLaws, DirectionsAreUniform) {
  const Case& c = GetParam();
  const Sample sample = draw(c, 1.0, n, 104);
  const std::size_t p = c.blocks.features();
  const double root = std::sqrt(static_cast<double>(n) / 4);
  for (std::size_t l = 0; l < p; ++l) {
    double positive = 0, agree = 0;
    for (std::size_t i = 0; i < n; ++i) {
      positive += sample[i][l] > 0;
      agree += (sample[i][l] > 0) == (sample[i][(l + 1) % p] > 0);
    }
    EXPECT_LT(std::fabs(positive - static_cast<double>(n) / 2) / root, six_sigma) << l;
    if (p > 1) {
      EXPECT_LT(std::fabs(agree - static_cast<double>(n) / 2) / root, six_sigma) << l;
    }
    if (c.outputs == 1) continue;
    const double half = (static_cast<double>(c.outputs) - 1) / 2;
    const boost::math::beta_distribution<double> law(half, half);
    for (std::size_t o = 0; o < c.outputs; ++o)
      EXPECT_TRUE(fits(each(sample, [&](auto b) { return b[o * p + l] / length(b, c, l); }), [&](double t) {
        return cdf(law, std::clamp((1 + t) / 2, 0.0, 1.0));
      })) << l;
  }
}

TEST_P(ShapedLaws, TheMeanSquareIsTheFormulas) {
  const Case& c = GetParam();
  const auto squares = each(draw(c, 3.0, n, 105), [](auto b) {
    double sum = 0;
    for (const double x : b) sum += x * x;
    return sum;
  });
  double mean = 0, variance = 0;
  for (const double s : squares) mean += s / static_cast<double>(n);
  for (const double s : squares) variance += (s - mean) * (s - mean) / static_cast<double>(n);
  EXPECT_LT(std::fabs(mean - 9 * c.blocks.mean_square(c.outputs)),
            six_sigma * std::sqrt(variance / static_cast<double>(n)));
}

INSTANTIATE_TEST_SUITE_P(Shapes, ShapedLaws,
                         ::testing::Values(Case{FeatureBlocks({{1, 3}}), 1},
                                           Case{FeatureBlocks({{4, 0.5}}), 1},
                                           Case{FeatureBlocks({{3, 1}, {2, 0.5}, {1, 1}}), 1},
                                           Case{FeatureBlocks({{9, 1}, {9, 1}, {1, 0.5}, {1, 1}}), 1},
                                           Case{FeatureBlocks({{1, 1}}), 2},
                                           Case{FeatureBlocks({{3, 1}, {1, 0.7}}), 2},
                                           Case{FeatureBlocks({{2, 0.5}, {4, 1}, {1, 1}}), 3}));

// One block alone is independent Laplace noise of scale ρ: the whole density, coordinate by coordinate, and
// by χ² over 10 × 10 cells of equal probability for a pair of them. n = 400 000.
TEST(ShapedDensity, OneBlockIsIndependentLaplaceNoise) {
  constexpr std::size_t n = 400'000, cells = 10;
  const Case c{FeatureBlocks({{3, 0.5}}), 1};
  const Sample sample = draw(c, 2.0, n, 111);  // scale·ρ = 1
  for (std::size_t l = 0; l < 3; ++l)
    EXPECT_TRUE(fits(each(sample, [&](auto b) { return b[l]; }), laplace_cdf)) << l;
  std::vector<double> counts(cells * cells, 0.0);
  const auto cell = [](double z) {
    return std::min(static_cast<std::size_t>(laplace_cdf(z) * static_cast<double>(cells)), cells - 1);
  };
  for (std::size_t i = 0; i < n; ++i) ++counts[cell(sample[i][0]) * cells + cell(sample[i][2])];
  const double expected = static_cast<double>(n) / static_cast<double>(cells * cells);
  double statistic = 0;
  for (const double count : counts) statistic += (count - expected) * (count - expected) / expected;
  EXPECT_LT(statistic, quantile(complement(boost::math::chi_squared(cells * cells - 1), false_alarm)));
}

// Two blocks of one feature: x = |b₁|/ρ₁ and y = |b₂|/ρ₂ have the density ½·exp(−max(x, y)) on the quadrant,
//   P(x ≤ a, y ≤ b) = 1 − (1 + a)e^{−a} + ½a(e^{−a} − e^{−b})   for a ≤ b.
double two_block_cdf(double a, double b) {
  if (a > b) std::swap(a, b);
  return 1 - (1 + a) * std::exp(-a) +
         (std::isinf(b) ? 0.5 * a * std::exp(-a) : 0.5 * a * (std::exp(-a) - std::exp(-b)));
}

// χ² over 4 quadrants × 8 × 8 cells. n = 400 000. `first_bound`: what the law is told of ρ₁ = 2.
double two_block_statistic(double first_bound) {
  constexpr std::size_t n = 400'000;
  const Case c{FeatureBlocks({{1, 2}, {1, 0.5}}), 1};
  const Sample sample = draw(c, 1.0, n, 112);
  const std::vector<double> edges{0, 0.3, 0.7, 1.1, 1.6, 2.2, 3, 4.2, 200};  // none is beyond 200
  const std::size_t cells = edges.size() - 1;
  const auto cell = [&](double x) {
    return static_cast<std::size_t>(std::ranges::upper_bound(edges, x) - edges.begin()) - 1;
  };
  std::vector<double> counts(4 * cells * cells, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const auto b = sample[i];
    const std::size_t quadrant = (b[0] > 0 ? 2 : 0) + (b[1] > 0 ? 1 : 0);
    ++counts[(quadrant * cells + cell(std::fabs(b[0]) / first_bound)) * cells + cell(std::fabs(b[1]) / 0.5)];
  }
  double statistic = 0;
  for (std::size_t q = 0; q < 4; ++q)
    for (std::size_t i = 0; i < cells; ++i)
      for (std::size_t k = 0; k < cells; ++k) {
        const double probability = two_block_cdf(edges[i + 1], edges[k + 1]) -
                                   two_block_cdf(edges[i], edges[k + 1]) -
                                   two_block_cdf(edges[i + 1], edges[k]) + two_block_cdf(edges[i], edges[k]);
        const double expected = static_cast<double>(n) * probability / 4;
        const double difference = counts[(q * cells + i) * cells + k] - expected;
        statistic += difference * difference / expected;
      }
  return statistic;
}

TEST(ShapedDensity, TwoBlocksHaveTheDensityOfTheLargerOne) {
  const double threshold = quantile(complement(boost::math::chi_squared(255), false_alarm));
  EXPECT_LT(two_block_statistic(2), threshold);
  EXPECT_GT(two_block_statistic(2 * 1.03), threshold);
}

}  // namespace
}  // namespace tacit
