#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "algorithm/statistics/private_schema.hpp"
#include "algorithm/statistics/support.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/root_meter.hpp"

// At a small epsilon a range must not shrink to the few cells of a column that show through the noise.

namespace tacit {
namespace {

using namespace statistics;

Step noise_beside(double scale) { return {.mechanism = "geometric", .event = PureEvent{}, .scale = scale}; }

double cells_between(const Support& range) { return static_cast<double>(range.last - range.first + 1); }

TEST(Widened, TakesInWhatIsTooThinToShow) {
  // 1000 in one cell, and 40 in each of 8 beside it; noise of deviation 28.
  std::vector<double> counts(30, 0.0);
  counts[20] = 1000;
  for (std::size_t k = 12; k < 20; ++k) counts[k] = 40;
  const Support found = widened(counts, {20, 20}, noise_beside(20), 1300, cells_between);
  EXPECT_EQ(found.first, 12u);
  EXPECT_EQ(found.last, 20u);
}

TEST(Widened, LeavesARangeThatHoldsEnough) {
  const std::vector<double> counts{300, 1000, 300};
  const Support found = widened(counts, {1, 1}, noise_beside(20), 900, cells_between);
  EXPECT_EQ(found.first, 1u);
  EXPECT_EQ(found.last, 1u);
}

TEST(Widened, EndsWhereNothingShows) {
  const std::vector<double> counts{10, -5, 1000, 12, 3};
  const Support found = widened(counts, {2, 2}, noise_beside(20), 5000, cells_between);
  EXPECT_EQ(found.first, 2u);
  EXPECT_EQ(found.last, 2u);
}

// The same run, of cells that are numbers or powers of 4: what makes the range far wider must show more.
TEST(Widened, AsksMoreOfWhatWidensMore) {
  std::vector<double> counts(10, 0.0);
  counts[0] = 1000;
  for (std::size_t k = 1; k < 9; ++k) counts[k] = 20;  // 160 of 8 cells: two deviations
  const auto powers = [](const Support& range) { return std::pow(4.0, static_cast<double>(range.last)); };
  EXPECT_EQ(widened(counts, {0, 0}, noise_beside(20), 1150, cells_between).last, 8u);
  EXPECT_LT(widened(counts, {0, 0}, noise_beside(20), 1150, powers).last, 4u);
}

// Eight columns of 4000 records at epsilon = 0.3. Ages from 18 to 90, a pay with a tail, hours and a rate.
RawTable thin_table(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<std::string> names{"age", "pay", "hours", "rate", "a", "b", "c", "d"};
  std::vector<ValueCells> cells(names.size());
  for (int i = 0; i < 4000; ++i) {
    cells[0].emplace_back(std::to_string(static_cast<int>(std::clamp(42 + 15 * normal(random), 18.0, 90.0))));
    cells[1].emplace_back(fmt::format("{:.2f}", std::exp(7.5 + 0.6 * normal(random))));
    cells[2].emplace_back(std::to_string(static_cast<int>(std::clamp(38 + 9 * normal(random), 1.0, 80.0))));
    cells[3].emplace_back(fmt::format("{:.3f}", std::clamp(0.3 + 0.1 * normal(random), 0.001, 0.999)));
    for (std::size_t k = 4; k < 8; ++k) cells[k].emplace_back(i % 2 == 0 ? "yes" : "no");
  }
  std::vector<TableColumn> columns;
  for (std::size_t k = 0; k < names.size(); ++k) columns.push_back({names[k], cells[k]});
  return raw_table(columns, 4000, "", "");
}

double share_inside(const RawTable& table, const FoundSchema& found, std::size_t column) {
  const auto* range = std::get_if<NumericColumn>(&found.schema.columns[column].kind);
  if (!range) return 1;  // left out, and said so
  const auto& values = table.columns[column].values;
  const auto held =
      std::ranges::count_if(values, [&](double x) { return x >= range->min && x <= range->max; });
  return static_cast<double>(held) / static_cast<double>(values.size());
}

TEST(RangeSlivers, HoldMostOfAColumnAtASmallEpsilon) {
  const RawTable table = thin_table(3);
  RawNames names;
  for (const RawColumn& column : table.columns) names.columns.push_back(column.name);
  const RangeOptions options{.target = Pure{0.3}};
  const Price paid =
      price([&](Answers& answers) { find_schema(names, options, 4000, nullptr, answers); }, options.target);
  constexpr int runs = 20;
  std::vector<double> shares;
  for (int run = 0; run < runs; ++run) {
    const auto bits = testing::seeded_bits(static_cast<std::uint64_t>(run));
    RootMeter meter({options.target, Unit::item, Neighbours::zero_out}, *bits);
    ReleasedAnswers answers(paid, meter);
    const FoundSchema found = find_schema(names, options, 4000, &table, answers);
    for (std::size_t k = 0; k < 4; ++k) shares.push_back(share_inside(table, found, k));
  }
  std::ranges::sort(shares);
  EXPECT_GT(shares[shares.size() / 2], 0.9) << "the median";
  EXPECT_GT(shares[shares.size() / 10], 0.6) << "a tenth";
}

}  // namespace
}  // namespace tacit
