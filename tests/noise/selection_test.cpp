#include "noise/selection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/root_meter.hpp"

namespace tacit {
namespace {

const Sensitivity unit_score{.value = 1, .norm = Norm::linf, .reason = "test"};

Sensitive<Vector> scores(std::initializer_list<double> values) {
  Vector x(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), x.data());
  return {x, unit_score, Neighbours::replace_one};
}

// Frequencies of each outcome over `runs` uses with fixed bits.
template <class Choose>
std::vector<double> frequencies(std::size_t outcomes, int runs, Choose choose) {
  std::vector<double> seen(outcomes);
  const auto bits = testing::seeded_bits(17);
  for (int k = 0; k < runs; ++k) {
    RootMeter meter({.limit = Pure{10}}, *bits);
    seen[choose(meter)] += 1.0 / runs;
  }
  return seen;
}

// Six standard deviations of a frequency: false alarm below 1e-8 for each comparison.
double tolerance(double p, int runs) { return 6 * std::sqrt(p * (1 - p) / runs) + 1e-9; }

TEST(Exponential, ChoosesWithTheStatedProbabilities) {
  constexpr int runs = 60000;
  const auto seen = frequencies(4, runs, [](Meter& meter) {
    return noise::exponential(scores({0, 1, -2, 0.5}), 10, Pure{1.5}, meter).value();
  });
  double total = 0;
  for (const double u : {0.0, 1.0, -2.0, 0.5}) total += std::exp(0.75 * u);
  int k = 0;
  for (const double u : {0.0, 1.0, -2.0, 0.5}) {
    const double p = std::exp(0.75 * u) / total;
    EXPECT_NEAR(seen[static_cast<std::size_t>(k++)], p, tolerance(p, runs));
  }
  // The test can tell half the noise: with factor 1.5 the best candidate's share is outside the tolerance.
  const double doubled = std::exp(1.5) / (1 + std::exp(1.5) + std::exp(-3) + std::exp(0.75));
  EXPECT_GT(std::fabs(seen[1] - doubled), tolerance(doubled, runs));
}

TEST(Exponential, ChargesItsRangeAndClampsExtremeScores) {
  const auto bits = testing::seeded_bits(2);
  RootMeter meter({.limit = Pure{1}}, *bits);
  const double inf = std::numeric_limits<double>::infinity();
  const auto chosen = noise::exponential(scores({std::nan(""), -inf, inf, 1e300}), 100, Pure{1}, meter);
  EXPECT_GE(chosen.value(), 2u);
  EXPECT_EQ(std::get<BoundedRangeEvent>(meter.steps()[0].event).epsilon, 1.0);
  EXPECT_THROW(noise::exponential(scores({0}), 1, Pure{1}, meter), BudgetError);
}

// P(argmax = 0) for two scores a distance x apart, Laplace noise of scale b on both: 1 − ½e^{−x/b}(1 +
// x/(2b)).
TEST(NoisyMax, ChoosesWithTheStatedProbabilities) {
  constexpr int runs = 60000;
  const auto seen = frequencies(2, runs, [](Meter& meter) {
    return noise::noisy_max(scores({1, 0}), 10, Pure{1}, meter).value();
  });
  const double b = 2, p = 1 - 0.5 * std::exp(-1 / b) * (1 + 1 / (2 * b));
  EXPECT_NEAR(seen[0], p, tolerance(p, runs));
  const double half = 1 - 0.5 * std::exp(-2 / b) * (1 + 2 / (2 * b));
  EXPECT_GT(std::fabs(seen[0] - half), tolerance(half, runs));
}

TEST(NoisyMax, GridDividesTheShiftThatIsPaidFor) {
  const Step step = noise::plan_noisy_max({.value = 0.3, .norm = Norm::linf}, 7, Pure{0.7}, 3);
  const double shift = step.scale * 0.7 / 2;
  EXPECT_GE(shift, 0.3);
  EXPECT_LT(shift, 0.3 + 2 * step.grid);
}

// Uniforms of 2^(−64·512), so that all noise is 22713 scales, the same for every score.
class FarOutBits final : public BitSource {
 public:
  void fill(std::span<std::uint64_t> words) override {
    std::ranges::fill(words, words.size() == 512 ? std::uint64_t{1} << 63 : 0);
  }
  bool seeded() const override { return true; }
  std::string_view name() const override { return "far out"; }
};

// Two scores one cell apart with the same noise: the larger wins, or epsilon is refused before it is charged.
// Beyond 2^53 cells the two would become one double.
TEST(NoisyMax, TellsNeighbouringCellsApartHoweverLargeTheNoise) {
  FarOutBits bits;
  bool chosen = false, refused = false;
  for (const double epsilon : {1.0, 0x1p-20, 0x1p-34, 0x1p-38, 0x1p-60})
    for (const double at : {0.0, 1.0, 2.0, 3.0}) {
      RootMeter meter({.limit = Pure{1}}, bits);
      const double cell = std::fmax(0x1p-19 / epsilon, 1.0);  // a multiple of the grid
      try {
        const double range = 8 * cell;
        const auto best = noise::noisy_max(scores({at * cell, (at + 1) * cell}), range, Pure{epsilon}, meter);
        EXPECT_EQ(best.value(), 1u) << epsilon << ' ' << at;
        chosen = true;
      } catch (const UsageError&) {
        EXPECT_TRUE(meter.steps().empty());
        EXPECT_LT(epsilon, 0x1p-34);
        refused = true;
      }
    }
  EXPECT_TRUE(chosen && refused);
}

TEST(Quantile, FindsTheMedianAndHandlesTies) {
  std::vector<double> values(1001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i < 700 ? 3.0 : 100.0 + static_cast<double>(i);
  const std::vector<double> grid = {1, 2, 3, 4, 50, 5000};
  const auto bits = testing::seeded_bits(3);
  for (int k = 0; k < 50; ++k) {
    RootMeter meter({.limit = Pure{1}}, *bits);
    // All the mass around rank 500 is tied at 3: only 3 has utility 0 (4 and 50 are off by 200 ranks).
    EXPECT_EQ(noise::quantile(values, 0.5, grid, Pure{1}, meter).value(), 3);
  }
}

TEST(Quantile, RankUtilitiesMoveByAtMostOne) {
  const std::vector<double> grid = {-1, 0, 0.5, 1, 2};
  const double inf = std::numeric_limits<double>::infinity();
  double largest = 0;
  for (const double q : {0.01, 0.3, 0.5, 0.99})
    for (const double first : {-inf, -1.0, 0.0, 0.5, 3.0, inf, std::nan("")})
      for (const double second : {-inf, -1.0, 0.0, 0.5, 3.0, inf, std::nan("")}) {
        std::vector<double> opened[2];
        for (int side = 0; side < 2; ++side) {
          const std::vector<double> values = {side == 0 ? first : second, 0, 0, 0.5, 1, 1};
          const auto bits = testing::seeded_bits(4);
          RootMeter meter({.limit = Pure{1}}, *bits);
          meter.watch(
              [&](const Step&, std::span<const double> x) { opened[side].assign(x.begin(), x.end()); });
          noise::quantile(values, q, grid, Pure{1}, meter);
        }
        for (std::size_t k = 0; k < grid.size(); ++k)
          largest = std::max(largest, std::fabs(opened[0][k] - opened[1][k]));
      }
  EXPECT_LE(largest, 1);
  EXPECT_GT(largest, 0.5);
}

TEST(Quantile, WithAPublicNumberOfRecordsARecordMayComeOrGo) {
  const std::vector<double> grid = {-1, 0, 0.5, 1, 2};
  double largest = 0;
  for (const std::size_t records : {1U, 6U, 40U})  // the stated number need not be the true one
    for (const double q : {0.01, 0.3, 0.99})
      for (const double extra : {-1.0, 0.0, 0.5, 3.0}) {
        std::vector<double> opened[2];
        for (int side = 0; side < 2; ++side) {
          std::vector<double> values = {0, 0, 0.5, 1, 1};
          if (side == 1) values.push_back(extra);
          const auto bits = testing::seeded_bits(4);
          RootMeter meter({.limit = Pure{1}, .neighbours = Neighbours::add_remove}, *bits);
          meter.watch(
              [&](const Step&, std::span<const double> x) { opened[side].assign(x.begin(), x.end()); });
          noise::quantile_of(values, records, q, grid, Pure{1}, meter);
        }
        for (std::size_t k = 0; k < grid.size(); ++k)
          largest = std::max(largest, std::fabs(opened[0][k] - opened[1][k]));
      }
  EXPECT_LE(largest, 1);
  EXPECT_GT(largest, 0.5);
}

TEST(Quantile, RefusesWhatItsAccountDoesNotCover) {
  const auto bits = testing::seeded_bits(4);
  RootMeter meter({.limit = Pure{1}, .neighbours = Neighbours::add_remove}, *bits);
  const std::vector<double> values = {1, 2}, grid = {0, 1};
  EXPECT_THROW(noise::quantile(values, 0.5, grid, Pure{1}, meter), UsageError);
  RootMeter fine({.limit = Pure{1}}, *bits);
  EXPECT_THROW(noise::quantile(values, 1, grid, Pure{1}, fine), UsageError);
  const std::vector<double> unsorted = {1, 0}, none;
  EXPECT_THROW(noise::quantile(values, 0.5, unsorted, Pure{1}, fine), UsageError);
  EXPECT_THROW(noise::quantile(values, 0.5, none, Pure{1}, fine), UsageError);
  EXPECT_TRUE(fine.steps().empty());
}

// One person may hold every value: the rank then moves by more than 1.
TEST(Quantile, RefusesABudgetForUsers) {
  const auto bits = testing::seeded_bits(2);
  RootMeter meter({Pure{1}, Unit::user}, *bits);
  const std::vector<double> values(10, 1.0), grid = {0, 1};
  EXPECT_THROW(noise::quantile(values, 0.5, grid, Pure{1}, meter), UsageError);
  EXPECT_TRUE(meter.steps().empty());
}

TEST(Exponential, RefusesNumbersBeyondItsAccount) {
  const Sensitivity one{.value = 1, .norm = Norm::linf};
  EXPECT_THROW(noise::plan_exponential(one, 1, Pure{1e-310}, 2), UsageError);
  EXPECT_THROW(noise::plan_exponential(one, 1, Pure{1e300}, 2), UsageError);
  EXPECT_THROW(noise::plan_exponential({.value = 2, .slack = -1, .norm = Norm::linf}, 1, Pure{1}, 2),
               UsageError);
  EXPECT_THROW(noise::plan_noisy_max(one, 1e150, Pure{1}, 2), UsageError);
}

}  // namespace
}  // namespace tacit
