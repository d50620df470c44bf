// The density of noise in the plane of the full blocks where it is known in closed form: one block beside the
// intercept, blocks of two, a large block beside blocks of two. Each test states its n; the false-alarm rate
// is 1e-9 a comparison (fixed seeds). Controls that are a little off must be rejected.

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "plane_points.hpp"

namespace tacit::plane_density {
namespace {

using namespace plane_points;

double laplace_cdf(double z) { return z < 0 ? 0.5 * std::exp(z) : 1 - 0.5 * std::exp(-z); }

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

// The same with samples that tell 5 %; thresholds as in LongPlaneLaws.

// n = 300 000: threshold .0060. One block beside the intercept has independent Laplace features, whose sum is
// the intercept's; 5 % moves the former's distribution function by .009, the latter's by more.
TEST(LongPlaneDensity, OneBlockBesideTheInterceptIsIndependentLaplaceNoise) {
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
TEST(LongPlaneDensity, TheSumOfBlocksOfTwoHasTheLawOfABlockOfItsOwn) {
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

}  // namespace
}  // namespace tacit::plane_density
