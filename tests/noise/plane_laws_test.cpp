// Goodness of fit of noise in the plane of the full blocks, density ∝ exp(−‖b‖_K/scale) there. Each test
// states its n; the false-alarm rate is 1e-9 a comparison (fixed seeds). Controls that are a little off must
// be rejected.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/special_functions/binomial.hpp>
#include <boost/math/special_functions/factorials.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <random>

#include "data/plane.hpp"
#include "fit.hpp"
#include "near_boundary.hpp"
#include "noise/plane_draw.hpp"
#include "noise/shaped_laplace.hpp"
#include "support/seeded_bits.hpp"

namespace tacit::plane_laws {
namespace {

constexpr double false_alarm = 1e-9;
constexpr double six_sigma = 6.2;  // P(|N(0,1)| > 6.2) < 1e-9

using Points = std::vector<std::vector<double>>;

FeatureBlock full(std::size_t size, double bound = 1) { return {size, bound, true}; }

// n vectors; the law's weights are tabulated once.
Points draw(const FeatureBlocks& blocks, double scale, std::size_t n, std::uint64_t seed) {
  const auto bits = testing::seeded_bits(seed);
  const noise::Lattice lattice = noise::lattice_for(scale * blocks.largest_bound(), 0);
  const std::vector<double> zero(blocks.features(), 0.0);
  noise::PlaneLaw law(blocks);
  Points points(n, zero);
  for (auto& b : points) noise::add_plane_laplace(zero, blocks, law.draw(*bits), scale, lattice, *bits, b);
  return points;
}

template <class F>
std::vector<double> each(const Points& points, F&& f) {
  std::vector<double> result;
  for (const auto& b : points) result.push_back(f(b));
  return result;
}

template <class Cdf>
bool fits(std::vector<double> sample, Cdf&& cdf) {
  const std::size_t n = sample.size();
  return testing::ks_distance(std::move(sample), cdf) < testing::ks_threshold(n, false_alarm);
}

double sum_of(const std::vector<double>& b, std::size_t first, std::size_t count) {
  double sum = 0;
  for (std::size_t l = first; l < first + count; ++l) sum += b[l];
  return sum;
}
double norm_of(const std::vector<double>& b, std::size_t first, std::size_t count) {
  double sum = 0;
  for (std::size_t l = first; l < first + count; ++l) sum += std::fabs(b[l]);
  return sum;
}

double laplace_cdf(double z) { return z < 0 ? 0.5 * std::exp(z) : 1 - 0.5 * std::exp(-z); }

const FeatureBlocks shapes[] = {
    FeatureBlocks({full(3), full(1)}), FeatureBlocks({full(2, 0.5), full(4), {1, 0.5}, full(1)}),
    FeatureBlocks({full(9), full(5), {2, 1}, full(3), full(1, 2)}), FeatureBlocks({full(2), full(2)})};

// n = 500.
TEST(PlaneLaws, FullBlocksHaveOneSumOverTheirBounds) {
  for (const FeatureBlocks& blocks : shapes)
    for (const auto& b : draw(blocks, 1, 500, 201)) {
      std::vector<double> sums;
      std::size_t first = 0;
      for (const FeatureBlock& block : blocks.list()) {
        if (block.full) sums.push_back(sum_of(b, first, block.size) / block.bound);
        first += block.size;
      }
      // Half a cell for each of at most nine features, over a bound of at least a half.
      ASSERT_LE(std::ranges::max(sums) - std::ranges::min(sums), 20 * 0x1p-19);
    }
}

// ‖b‖_K ~ Gamma(D), D the dimension of the plane; with D + 1, or 15 % off in scale, it is rejected. n = 5000;
// LongPlaneLaws rejects 5 %.
TEST(PlaneLaws, TheGaugeIsGammaOfThePlanesDimension) {
  for (const FeatureBlocks& blocks : shapes) {
    const auto gauges = each(draw(blocks, 2.0, 5000, 202), [&](const auto& b) { return blocks.gauge(b, 1); });
    const double d = static_cast<double>(blocks.plane_dimension());
    const auto gamma = [&](double dimension, double stretch) {
      return fits(gauges, [&](double g) { return boost::math::gamma_p(dimension, g / (2 * stretch)); });
    };
    EXPECT_TRUE(gamma(d, 1)) << blocks.text();
    EXPECT_FALSE(gamma(d + 1, 1)) << blocks.text();
    EXPECT_FALSE(gamma(d, 1.15)) << blocks.text();
  }
}

// One block with the intercept: the plane is the block itself, ‖·‖_K its 1-norm, so that its features are
// independent Laplace variables. Coordinate by coordinate, and by χ² over 8 × 8 cells of equal probability
// for pairs of them. n = 20 000.
TEST(PlaneDensity, OneBlockBesideTheInterceptIsIndependentLaplaceNoise) {
  constexpr std::size_t n = 20'000, cells = 8;
  for (const std::size_t k : {2u, 3u, 5u}) {
    const Points points = draw(FeatureBlocks({full(k, 0.5), full(1)}), 2.0, n, 210 + k);
    for (std::size_t l = 0; l < k; ++l) {
      const auto values = each(points, [&](const auto& b) { return b[l]; });
      EXPECT_TRUE(fits(values, laplace_cdf)) << k << " " << l;
      EXPECT_FALSE(fits(values, [](double z) { return laplace_cdf(1.3 * z); }));
    }
    const auto cell = [](double z) {
      return std::min(static_cast<std::size_t>(laplace_cdf(z) * static_cast<double>(cells)), cells - 1);
    };
    std::vector<double> counts(cells * cells, 0.0);
    for (const auto& b : points) ++counts[cell(b[0]) * cells + cell(b[k - 1])];
    const double expected = static_cast<double>(n) / static_cast<double>(cells * cells);
    double statistic = 0;
    for (const double count : counts) statistic += (count - expected) * (count - expected) / expected;
    EXPECT_LT(statistic, quantile(complement(boost::math::chi_squared(cells * cells - 1), false_alarm))) << k;
  }
}

// P(x ≤ a, y ≤ b) for the sizes x, y of two blocks of one feature among d of them, density ∝ exp(−max):
// E min(1, a/T)·min(1, b/T), T ~ Gamma(d + 1).
double pair_cdf(double d, double a, double b) {
  using namespace boost::math;
  if (a > b) std::swap(a, b);
  const double once = (gamma_p(d, b) - gamma_p(d, a)) / d, twice = gamma_q(d - 1, b) / (d * (d - 1));
  return gamma_p(d + 1, a) + a * once + a * b * twice;
}

// Blocks of two: with the sum t and the difference p of a block its 1-norm is max(|t|, |p|). So j of them
// have the law of j + 1 blocks of one feature in all of space: χ² over 4 quadrants × 6 × 6 cells for the
// common sum and a difference, and for two differences. n = 20 000. `stretch`: what the law is told of the
// sum.
double two_block_statistic(const Points& points, bool with_sum, double stretch) {
  const std::vector<double> edges{0, 0.4, 0.9, 1.5, 2.3, 3.6, 200};  // none is beyond 200
  const std::size_t cells = edges.size() - 1;
  const auto cell = [&](double x) {
    return static_cast<std::size_t>(std::ranges::upper_bound(edges, std::fabs(x)) - edges.begin()) - 1;
  };
  std::vector<double> counts(4 * cells * cells, 0.0);
  for (const auto& b : points) {
    const double x = (with_sum ? b[0] + b[1] : b[0] - b[1]) / stretch, y = b[2] - b[3];
    const std::size_t quadrant = (x > 0 ? 2 : 0) + (y > 0 ? 1 : 0);
    ++counts[(quadrant * cells + cell(x)) * cells + cell(y)];
  }
  const double n = static_cast<double>(points.size()), d = static_cast<double>(points[0].size()) / 2 + 1;
  double statistic = 0;
  for (std::size_t q = 0; q < 4; ++q)
    for (std::size_t i = 0; i < cells; ++i)
      for (std::size_t k = 0; k < cells; ++k) {
        const double probability = pair_cdf(d, edges[i + 1], edges[k + 1]) -
                                   pair_cdf(d, edges[i], edges[k + 1]) - pair_cdf(d, edges[i + 1], edges[k]) +
                                   pair_cdf(d, edges[i], edges[k]);
        const double expected = n * probability / 4;
        statistic += std::pow(counts[(q * cells + i) * cells + k] - expected, 2) / expected;
      }
  return statistic;
}

TEST(PlaneDensity, BlocksOfTwoHaveTheDensityOfTheirSumAndDifferences) {
  const double threshold = quantile(complement(boost::math::chi_squared(143), false_alarm));
  for (const std::size_t count : {2u, 3u}) {
    const Points points =
        draw(FeatureBlocks(std::vector<FeatureBlock>(count, full(2))), 1.0, 20000, 220 + count);
    for (const bool with_sum : {true, false}) {
      EXPECT_LT(two_block_statistic(points, with_sum, 1), threshold) << count << with_sum;
      EXPECT_GT(two_block_statistic(points, with_sum, 1.2), threshold) << count << with_sum;
    }
  }
}

// P(‖b_j‖ ≤ a·ρ_j) for a block of m features in d dimensions without a plane [shaped_laws_test.cpp].
double block_cdf(double a, double d, double m) {
  using namespace boost::math;
  return gamma_p(d + 1, a) +
         std::exp(m * std::log(a) + std::lgamma(d + 1 - m) - std::lgamma(d + 1)) * gamma_q(d + 1 - m, a);
}

// A block of two beside a larger one adds its difference alone: |t| ≤ ‖b_j‖ is no news. So the larger block
// and the difference have the law of blocks of k and 1 features that know of no plane. n = 8000.
TEST(PlaneDensity, ALargeBlockBesideBlocksOfTwoHasTheLawThatKnowsNoPlane) {
  for (const std::size_t k : {3u, 6u})
    for (const std::size_t twos : {1u, 3u}) {
      std::vector<FeatureBlock> list(twos, full(2));
      list.insert(list.begin() + 1, full(k));
      const Points points = draw(FeatureBlocks(list), 1.0, 8000, 230 + 10 * k + twos);
      const double d = static_cast<double>(k + twos), m = static_cast<double>(k);
      const auto norms = each(points, [&](const auto& b) { return norm_of(b, 2, k); });
      EXPECT_TRUE(fits(norms, [&](double a) { return block_cdf(a, d, m); })) << k << " " << twos;
      EXPECT_FALSE(fits(norms, [&](double a) { return block_cdf(a / 1.3, d, m); }));
      EXPECT_TRUE(fits(each(points, [](const auto& b) { return std::fabs(b[0] - b[1]); }),
                       [&](double a) { return block_cdf(a, d, 1); }));
      // A feature's share of its block is Beta(1, k − 1), its sign a fair coin, whatever the others'.
      for (const std::size_t l : {std::size_t{2}, k + 1})
        EXPECT_TRUE(fits(each(points, [&](const auto& b) { return std::fabs(b[l]) / norm_of(b, 2, k); }),
                         [&](double s) { return 1 - std::pow(1 - std::clamp(s, 0.0, 1.0), m - 1); }));
      double agree = 0;
      for (const auto& b : points) agree += (b[2] > 0) == (b[3] > 0);
      EXPECT_LT(std::fabs(agree - 4000) / std::sqrt(2000.0), six_sigma);
    }
}

// The volume of {v ∈ ℝᵏ : ‖v‖₁ ≤ 1, Σv = t} by its definition: over the number m of positive features and the
// sum of the negative ones, by Simpson's rule.
double volume(std::size_t k, double t) {
  using namespace boost::math;
  const double half = (1 - t) / 2;
  double value = std::pow(t, static_cast<double>(k) - 1) / factorial<double>(static_cast<unsigned>(k - 1));
  for (std::size_t m = 1; m < k; ++m) {
    constexpr int steps = 200;
    double integral = 0;
    for (int i = 0; i <= steps; ++i) {
      const double x = half * i / steps, weight = i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2;
      integral += weight * std::pow(x + t, static_cast<double>(m) - 1) *
                  std::pow(x, static_cast<double>(k - m) - 1) * half / steps / 3;
    }
    value += binomial_coefficient<double>(static_cast<unsigned>(k), static_cast<unsigned>(m)) * integral /
             factorial<double>(static_cast<unsigned>(m - 1)) /
             factorial<double>(static_cast<unsigned>(k - m - 1));
  }
  return value;
}

// The sampler of the definition, in plain doubles: the sum by rejection under the product of volumes, each
// block by rejection from the 1-norm ball of all but its last feature.
Points rejected(const FeatureBlocks& blocks, std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<> unit(0, 1);
  std::exponential_distribution<> exponential;
  const auto sign = [&] { return unit(random) < 0.5 ? -1.0 : 1.0; };
  const auto in_ball = [&](std::size_t k) {
    std::vector<double> v(k);
    double total = exponential(random);
    for (double& x : v) total += x = exponential(random);
    for (double& x : v) x *= sign() / total;
    return v;
  };
  const auto product = [&](double t) {
    double value = 1;
    for (const FeatureBlock& block : blocks.list())
      if (block.full) value *= volume(block.size, t) / volume(block.size, 0);
    return value;
  };
  std::gamma_distribution<> gamma(static_cast<double>(blocks.plane_dimension()) + 1);
  Points points;
  while (points.size() < n) {
    const double tau = unit(random);
    if (unit(random) > product(tau)) continue;
    const double side = sign(), size = gamma(random);
    std::vector<double> b;
    for (const FeatureBlock& block : blocks.list()) {
      std::vector<double> v = in_ball(block.size);
      while (block.full) {
        v = in_ball(block.size - 1);
        v.push_back(tau);
        for (std::size_t l = 0; l + 1 < v.size(); ++l) v.back() -= v[l];
        if (norm_of(v, 0, v.size()) <= 1 + 1e-12) break;
      }
      for (const double x : v) b.push_back(size * block.bound * (block.full ? side : 1) * x);
    }
    points.push_back(std::move(b));
  }
  return points;
}

// The largest difference of two samples' distribution functions; each is within its own threshold of the law.
double two_sample_distance(std::vector<double> a, std::vector<double> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  double worst = 0;
  std::size_t k = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    while (k < b.size() && b[k] <= a[i]) ++k;
    worst = std::max(worst, std::fabs(static_cast<double>(i + 1) / static_cast<double>(a.size()) -
                                      static_cast<double>(k) / static_cast<double>(b.size())));
  }
  return worst;
}

// n = 8000 of each. Control: half a standard deviation off.
TEST(PlaneLaws, AgreeWithTheSamplerOfTheDefinition) {
  constexpr std::size_t n = 8'000;
  const FeatureBlocks blocks({full(3), full(5, 0.5), {2, 0.5}, full(4), full(1)});
  const Points ours = draw(blocks, 1.0, n, 240), theirs = rejected(blocks, n, 7);
  const double threshold = 2 * testing::ks_threshold(n, false_alarm);
  const std::vector<std::function<double(const std::vector<double>&)>> looks{
      [](const auto& b) { return b[14]; },
      [](const auto& b) { return b[0]; },
      [](const auto& b) { return b[7]; },
      [](const auto& b) { return norm_of(b, 3, 5); },
      [](const auto& b) { return norm_of(b, 8, 2); },
      [](const auto& b) { return std::max(0.01, norm_of(b, 10, 4) - std::fabs(b[14])); },
      [](const auto& b) {
        return std::max({b[10], b[11], b[12], b[13]}) / norm_of(b, 0, 3);
      },
      [](const auto& b) { return b[0] * b[4] + b[1] * b[5]; }};
  for (std::size_t i = 0; i < looks.size(); ++i) {
    std::vector<double> own = each(ours, looks[i]), other = each(theirs, looks[i]);
    EXPECT_LT(two_sample_distance(own, other), threshold) << i;
    double mean = 0, variance = 0;
    for (const double x : other) mean += x / static_cast<double>(n);
    for (const double x : other) variance += (x - mean) * (x - mean) / static_cast<double>(n);
    for (double& x : other) x += 0.5 * std::sqrt(variance);
    EXPECT_GT(two_sample_distance(own, other), threshold) << i;
  }
}

// n = 5000.
TEST(PlaneLaws, TheMeanSquareIsTheFormulas) {
  constexpr std::size_t n = 5'000;
  for (const FeatureBlocks& blocks : shapes) {
    const auto squares = each(draw(blocks, 3.0, n, 250), [](const auto& b) {
      double sum = 0;
      for (const double x : b) sum += x * x;
      return sum;
    });
    double mean = 0, variance = 0;
    for (const double s : squares) mean += s / static_cast<double>(n);
    for (const double s : squares) variance += (s - mean) * (s - mean) / static_cast<double>(n);
    EXPECT_LT(std::fabs(mean - 9 * blocks.mean_square(1)),
              six_sigma * std::sqrt(variance / static_cast<double>(n)))
        << blocks.text();
  }
}

// The same laws with samples that tell 5 %. Distances have Massart's threshold √(ln(2/10⁻⁹)/(2n)), which no
// sample of the law itself passes with probability above 10⁻⁹; means six standard errors of the sample. A
// control passes unless the sample is as far off as the threshold from what is expected of it, so its own
// alarm is as rare.

// n = 200 000: threshold .0073. A gauge that is 5 % off moves its distribution function by .02 (D = 3) or
// more; the standard error of a coordinate's mean square is 0.5 %, so that 5 % is ten of them.
TEST(LongPlaneLaws, GaugeAndMeanSquaresAreThoseOfThePlane) {
  constexpr std::size_t n = 200'000;
  for (const FeatureBlocks& blocks : {shapes[0], shapes[1], shapes[3]}) {
    const Points points = draw(blocks, 2.0, n, 302);
    const auto gauges = each(points, [&](const auto& b) { return blocks.gauge(b, 1); });
    const double d = static_cast<double>(blocks.plane_dimension());
    const auto gamma = [&](double stretch) {
      return fits(gauges, [&](double g) { return boost::math::gamma_p(d, g / (2 * stretch)); });
    };
    EXPECT_TRUE(gamma(1)) << blocks.text();
    EXPECT_FALSE(gamma(1.05)) << blocks.text();
    EXPECT_FALSE(gamma(1 / 1.05)) << blocks.text();

    const auto expect = [&](const auto& square, double expected, const std::string& what) {
      const std::vector<double> squares = each(points, square);
      double mean = 0, variance = 0;
      for (const double s : squares) mean += s / static_cast<double>(n);
      for (const double s : squares) variance += (s - mean) * (s - mean) / static_cast<double>(n);
      const double error = std::sqrt(variance / static_cast<double>(n));
      EXPECT_LT(std::fabs(mean - expected), six_sigma * error) << what;
      EXPECT_GT(std::fabs(mean - 1.05 * expected), six_sigma * error) << what;
      EXPECT_GT(std::fabs(mean - 0.95 * expected), six_sigma * error) << what;
    };
    double sum = 0;
    std::size_t first = 0;
    const std::vector<double> coordinates = coordinate_mean_squares(blocks, 1);
    for (std::size_t j = 0; j < coordinates.size(); ++j) {
      const std::size_t size = blocks.list()[j].size;
      for (const std::size_t l : {first, first + size - 1})
        expect([l](const auto& b) { return b[l] * b[l]; }, 4 * coordinates[j],
               fmt::format("{}, feature {}", blocks.text(), l));
      sum += static_cast<double>(size) * coordinates[j];
      first += size;
    }
    EXPECT_NEAR(sum, blocks.mean_square(1), 1e-9 * sum);
    expect(
        [](const auto& b) {
          double all = 0;
          for (const double x : b) all += x * x;
          return all;
        },
        4 * sum, blocks.text());
  }
}

// n = 300 000: threshold .0060. One block beside the intercept has independent Laplace features, whose sum is
// the intercept's; 5 % moves the former's distribution function by .009, the latter's by more.
TEST(LongPlaneLaws, OneBlockBesideTheInterceptIsIndependentLaplaceNoise) {
  const Points points = draw(FeatureBlocks({full(3, 0.5), full(1)}), 2.0, 300'000, 304);
  // Of three Laplace variables: density e^{−x}(3 + 3x + x²)/16 for x ≥ 0.
  const auto sum_cdf = [](double z) {
    const double x = std::fabs(z), above = std::exp(-x) * (8 + 5 * x + x * x) / 16;
    return z < 0 ? above : 1 - above;
  };
  for (std::size_t l = 0; l < 4; ++l) {
    const auto values = each(points, [&](const auto& b) { return l == 3 ? b[3] / 2 : b[l]; });
    const auto law = [&](double stretch) {
      return fits(values, [&](double z) { return l == 3 ? sum_cdf(stretch * z) : laplace_cdf(stretch * z); });
    };
    EXPECT_TRUE(law(1)) << l;
    EXPECT_FALSE(law(1.05)) << l;
    EXPECT_FALSE(law(1 / 1.05)) << l;
  }
}

// n = 200 000: threshold .0073. Two blocks of two: the common sum, and each difference, has the law of one of
// three blocks of one feature in all of space; 5 % moves its distribution function by .015.
TEST(LongPlaneLaws, TheSumOfBlocksOfTwoHasTheLawOfABlockOfItsOwn) {
  const Points points = draw(FeatureBlocks({full(2), full(2)}), 1.0, 200'000, 305);
  for (std::size_t look = 0; look < 3; ++look) {
    const auto sizes = each(points, [&](const auto& b) {
      return std::fabs(look == 2 ? b[0] + b[1] : b[2 * look] - b[2 * look + 1]);
    });
    const auto law = [&](double stretch) {
      return fits(sizes, [&](double a) { return block_cdf(stretch * a, 3, 1); });
    };
    EXPECT_TRUE(law(1)) << look;
    EXPECT_FALSE(law(1.05)) << look;
    EXPECT_FALSE(law(1 / 1.05)) << look;
  }
}

// Blocks of 3 and 1: M is 0, 1, 2 with probabilities 3/8, 3/8, 2/8. Uniforms that lie 2^−64 … 2^−512 from the
// places where it changes are decided by as many digits as that takes.
TEST(PlaneLabels, AreDecidedByAsManyDigitsAsItTakes) {
  noise::PlaneLaw law(FeatureBlocks({full(3), full(1)}));
  for (const auto& [first, next] : std::vector<std::pair<std::uint64_t, std::size_t>>{
           {std::uint64_t{3} << 61, 1}, {std::uint64_t{3} << 62, 2}})
    for (const std::size_t zeros : {1u, 3u, 7u})
      for (const bool above : {true, false}) {
        testing::ScriptedBits bits;
        bits.add(0);                          // the sign
        bits.add(above ? first : first - 1);  // 3/8 or 3/4, or just below
        for (std::size_t i = 1; i < zeros; ++i) bits.add(above ? 0 : ~std::uint64_t{0});
        for (int i = 0; i < 8; ++i) bits.add(std::uint64_t{1} << 63);
        for (int i = 0; i < 8; ++i) bits.add(1);
        EXPECT_EQ(law.draw(bits).sum, above ? next : next - 1) << zeros;
      }
}

}  // namespace
}  // namespace tacit::plane_laws
