#include "tacit/data.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tacit/core.hpp"

namespace tacit {
namespace {

const FeatureBlocks blocks({{3, 1}, {2, 0.5}, {1, 4}});

RowView dense(const std::vector<double>& values) { return {values.data(), nullptr, values.size()}; }

TEST(FeatureBlocks, GaugeIsTheLargestBlockOverItsBound) {
  // ‖·‖₁/ρ by block: 0.75/1, 0.5/0.5, and the constant feature 2/4.
  EXPECT_NEAR(blocks.gauge(dense({0.25, -0.5, 0, 0.25, -0.25}), 2), 1.0, 1e-14);
  EXPECT_NEAR(blocks.gauge(dense({0, 0, 0, 0, 0}), 2), 0.5, 1e-14);
  EXPECT_NEAR(blocks.gauge(dense({3, 0, 0, 0, 0, -20}), 0), 5.0, 1e-13);
}

TEST(FeatureBlocks, ASparseRowHasTheGaugeOfTheDenseOne) {
  const std::vector<double> all{0, -0.5, 0.125, 0, 0.4}, stored{-0.5, 0.125, 0.4};
  const std::vector<std::uint32_t> columns{1, 2, 4};
  // But for the rounding, which is allowed for by the entries that are stored.
  EXPECT_NEAR(blocks.gauge({stored.data(), columns.data(), 3}, 1), blocks.gauge(dense(all), 1), 1e-15);
  EXPECT_NEAR(blocks.gauge({nullptr, columns.data(), 0}, 1), 0.25, 1e-15);
}

TEST(FeatureBlocks, GaugeOfSeveralOutputsSumsTheLengthsOfFeatures) {
  // Two outputs, six features each: feature 1 is (3, 4), feature 2 is (0, −1), feature 6 is (8, 0).
  const std::vector<double> w{3, 0, 0, 0, 0, 8, 4, -1, 0, 0, 0, 0};
  EXPECT_NEAR(blocks.gauge(w, 2), 6.0, 1e-13);
}

// Claim: the computed gauge never falls below the real one, whatever the entries; 10^4 random rows against
// long double, whose own error is far below half an ulp of double here.
TEST(FeatureBlocks, GaugeIsNeverBelowTheRealOne) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<> exponent(-40, 40);
  std::bernoulli_distribution negative;
  const FeatureBlocks wide({{64, 0.3}, {1, 1}});
  for (int i = 0; i < 10000; ++i) {
    std::vector<double> row(64);
    long double sum = 0;
    for (double& x : row) {
      x = (negative(random) ? -1 : 1) * std::exp2(i % 2 == 0 ? exponent(random) : exponent(random) * 1e-2);
      sum += std::fabs(static_cast<long double>(x));
    }
    const long double real = std::fmax(sum / static_cast<long double>(0.3), 1.0L);
    const double gauge = wide.gauge(dense(row), 1);
    ASSERT_GE(static_cast<long double>(gauge), real);
    ASSERT_LE(static_cast<long double>(gauge), real * (1 + 1e-13L));
  }
}

// Every addition loses nearly half of a unit in the last place: the real sum is 63u above the computed one.
// The slack is 134u, and with 0.46 of it the gauge would be below the real one.
TEST(FeatureBlocks, GaugeCoversASumThatIsRoundedDownEachTime) {
  const FeatureBlocks one({{64, 1.0}});
  const double little = 0x1.ffp-54;
  std::vector<double> row(64, little);
  row[0] = 1;
  const long double real = 1 + 63 * static_cast<long double>(little);
  const double gauge = one.gauge(dense(row), 0);
  EXPECT_GE(static_cast<long double>(gauge), real);
  EXPECT_LT(1 + 0.46L * (static_cast<long double>(gauge) - 1), real);
}

TEST(FeatureBlocks, TheEuclideanNormIsBoundedByTheGauge) {
  EXPECT_NEAR(blocks.l2_bound(), std::sqrt(1 + 0.25 + 16), 1e-14);
  EXPECT_GE(blocks.l2_bound() * blocks.l2_bound(), 17.25);
  // One entry a block, each at its bound: the bound is reached.
  const std::vector<double> corner{0, 1, 0, 0.5, 0, 4};
  EXPECT_NEAR(blocks.gauge(dense(corner), 0) * blocks.l2_bound(), std::sqrt(17.25), 1e-13);
}

TEST(FeatureBlocks, MeanSquareAgreesWithTheLaplaceLawInOneDimension) {
  EXPECT_DOUBLE_EQ(FeatureBlocks({{1, 3}}).mean_square(1), 18);  // density ∝ e^{−|b|/3}: variance 2·3²
  // One feature, two outputs: isotropic Laplace in the plane, E‖b‖² = 2·3.
  EXPECT_DOUBLE_EQ(FeatureBlocks({{1, 1}}).mean_square(2), 6);
  // A block alone is k independent Laplace variables.
  EXPECT_DOUBLE_EQ(FeatureBlocks({{5, 1}}).mean_square(1), 10);
}

FeatureBlock full(std::size_t size, double bound = 1) { return {size, bound, true}; }

TEST(FeatureBlocks, TwoFullBlocksMakeAPlane) {
  EXPECT_FALSE(blocks.in_plane());
  EXPECT_EQ(blocks.plane_dimension(), 6u);
  EXPECT_FALSE(FeatureBlocks({full(9), {1, 1}}).in_plane()) << "one sum alone is no condition";
  const FeatureBlocks planar({full(9), {4, 1}, full(3, 0.5), full(1)});
  EXPECT_TRUE(planar.in_plane());
  EXPECT_EQ(planar.plane_dimension(), 15u);
  EXPECT_EQ(planar.without_plane(), FeatureBlocks({{9, 1}, {4, 1}, {3, 0.5}, {1, 1}}));
}

TEST(FeatureBlocks, ARowIsInThePlaneWhereItsFullBlocksSumToTheirBoundsWithNoRounding) {
  const FeatureBlocks planar({full(3), {2, 1}, full(2, 0.5), full(1, 2)});
  const double third = std::nearbyint(0x1p53 / 3) * 0x1p-53, tiny = std::numeric_limits<double>::denorm_min();
  EXPECT_TRUE(planar.holds(dense({0.25, 0, 0.75, 9, -9, 0.5, 0}), 2));
  EXPECT_TRUE(planar.holds(dense({third, 0, 1 - third, 0, 0, 0.125, 0.375}), 2));
  EXPECT_TRUE(planar.holds(dense({-1, 1, 1, 0, 0, 1, -0.5}), 2)) << "the plane asks for no signs";
  EXPECT_FALSE(planar.holds(dense({0.25, 0, 0.75, 9, -9, 0.5, 0}), 1)) << "another constant feature";
  EXPECT_FALSE(planar.holds(dense({0.25, 0, 0.5, 0, 0, 0.5, 0}), 2));
  EXPECT_FALSE(planar.holds(dense({0, 0, 0, 0, 0, 0, 0}), 2));
  // The computed sums are 1 in all of these, the real ones are not.
  for (const double off : {tiny, 1e-300, 0x1p-54, -0x1p-55}) {
    EXPECT_EQ(1 + off, 1);
    EXPECT_FALSE(planar.holds(dense({1, off, 0, 0, 0, 0.5, 0}), 2)) << off;
    EXPECT_FALSE(planar.holds(dense({off, 0, 1, 0, 0, 0.5, 0}), 2)) << off;
  }
  EXPECT_FALSE(planar.holds(dense({1e300, 1, -1e300, 0, 0, 0.5, 0}), 2)) << "exact, but not found out so";
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_FALSE(planar.holds(dense({bad, 0, 1, 0, 0, 0.5, 0}), 2));
  const std::vector<double> stored{0.25, 0.75, 0.5};
  const std::vector<std::uint32_t> columns{0, 2, 6};
  EXPECT_TRUE(planar.holds({stored.data(), columns.data(), 3}, 2));
  EXPECT_FALSE(planar.holds({stored.data(), columns.data(), 2}, 2));
  EXPECT_TRUE(FeatureBlocks({full(2), full(1)}).holds(dense({0.5, 0.5, 1}), 0)) << "without an intercept";
  EXPECT_TRUE(blocks.holds(dense({7, 7, 7, 7, 7}), 1)) << "no block is full";
}

TEST(FeatureBlocks, MeanSquareInAPlaneAgreesWithLawsThatAreKnown) {
  // A block beside the intercept: k independent Laplace variables, and their sum.
  for (const std::size_t k : {2u, 3u, 9u, 40u})
    EXPECT_NEAR(FeatureBlocks({full(k), full(1)}).mean_square(1), 4.0 * static_cast<double>(k),
                1e-3 * static_cast<double>(k));
  // Two blocks of two: (t ± p)/2, (t ± q)/2 with exp(−max(|t|, |p|, |q|)), each of E = 20/3.
  EXPECT_NEAR(FeatureBlocks({full(2), full(2)}).mean_square(1), 40.0 / 3, 1e-3);
  // Shorter than noise that knows of no plane, the more so the smaller the blocks are: as measured.
  for (const auto& [k, ratio] :
       std::vector<std::pair<std::size_t, double>>{{3, 1.63}, {5, 1.40}, {9, 1.26}}) {
    const auto planar = FeatureBlocks::with_intercept(std::vector<FeatureBlock>(10, full(k)), 1);
    EXPECT_NEAR(std::sqrt(planar.without_plane().mean_square(1) / planar.mean_square(1)), ratio, 0.02) << k;
  }
  // Several outputs have no plane.
  EXPECT_EQ(FeatureBlocks({full(3), full(1)}).mean_square(2), FeatureBlocks({{3, 1}, {1, 1}}).mean_square(2));
}

TEST(FeatureBlocks, AreWrittenAndReadBackToTheLastBit) {
  const FeatureBlocks some({{9, 1}, {9, 1}, {3, 0.1}, {3, 1.0 / 3}, {1, 0x1p-100}});
  EXPECT_EQ(FeatureBlocks({{9, 1}, {9, 1}, {16, 0.5}, {1, 1}}).text(), "2*9:1,16:0.5,1:1");
  EXPECT_EQ(FeatureBlocks::parse(some.text()), some);
  const FeatureBlocks planar({full(9), full(9), {9, 1}, full(3, 0.1), full(1)});
  EXPECT_EQ(planar.text(), "2*9=1,9:1,3=0.1,1=1");
  EXPECT_EQ(FeatureBlocks::parse(planar.text()), planar);
  for (const char* bad :
       {"", "9", "9:", ":1", "9:1,", "9:1;1:1", "0:1", "0*9:1", "9:nan", "9:0", "-1:1", "2*4294967295:1",
        "18446744073709551615*2:1", "9:1 ", "9=", "=1", "9==1", "9=:1", "0=1"})
    EXPECT_THROW(FeatureBlocks::parse(bad), UsageError) << bad;
}

TEST(FeatureBlocks, TheInterceptIsABlockOfItsOwn) {
  EXPECT_EQ(FeatureBlocks::with_intercept({{9, 1}}, 2), FeatureBlocks({{9, 1}, {1, 2}}));
  EXPECT_EQ(FeatureBlocks::with_intercept({{9, 1}}, 0), FeatureBlocks({{9, 1}}));
  EXPECT_EQ(FeatureBlocks::with_intercept({full(9), {1, 0.5}}, 1),
            FeatureBlocks({full(9), {1, 0.5}, full(1)}));
}

TEST(FeatureBlocks, RefuseBlocksThatMakeNoNorm) {
  EXPECT_THROW(FeatureBlocks({{0, 1}}), UsageError);
  for (const double bound : {0.0, -1.0, 0x1p101, std::nan("")})
    EXPECT_THROW(FeatureBlocks({{1, 1}, {2, bound}}), UsageError) << bound;
  EXPECT_TRUE(FeatureBlocks().empty());
  EXPECT_EQ(blocks.features(), 6u);
}

}  // namespace
}  // namespace tacit
