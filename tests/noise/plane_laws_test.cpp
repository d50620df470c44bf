// Goodness of fit of noise in the plane of the full blocks, density ∝ exp(−‖b‖_K/scale) there, for blocks of
// any sizes: their sums, the gauge, mean squares, and a sampler written from the definition. Each test states
// its n; the false-alarm rate is 1e-9 a comparison (fixed seeds). Controls that are a little off must be
// rejected.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/binomial.hpp>
#include <boost/math/special_functions/factorials.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <random>

#include "data/plane.hpp"
#include "fit.hpp"
#include "plane_points.hpp"

namespace tacit::plane_laws {
namespace {

using namespace plane_points;

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

}  // namespace
}  // namespace tacit::plane_laws
