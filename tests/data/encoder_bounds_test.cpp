// Each block of an encoded row is within the bound that noise is shaped by, whatever the record.

#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "data/encoder.hpp"
#include "encoder_rows.hpp"

namespace tacit {
namespace {

using namespace testing_data;

// Numbers that are hard on arithmetic, for a column's range and knots.
std::vector<double> hard_values(const NumericColumn& column, const std::vector<double>& knots) {
  const double huge = DBL_MAX, tiny = std::numeric_limits<double>::denorm_min();
  std::vector<double> values{0,
                             -0.0,
                             tiny,
                             -tiny,
                             DBL_MIN,
                             huge,
                             -huge,
                             1,
                             std::nextafter(1.0, 2.0),
                             1e-300,
                             column.min,
                             column.max,
                             std::midpoint(column.min, column.max)};
  for (const double knot : knots)
    for (double x : {std::nextafter(knot, -huge), knot, std::nextafter(knot, huge)}) values.push_back(x);
  std::mt19937_64 random(3);
  std::uniform_real_distribution<> unit(0, 1);
  for (int k = 0; k < 300; ++k) values.push_back(column.min + unit(random) * (column.max - column.min));
  for (int k = 0; k < 100; ++k)
    values.push_back(column.min + std::exp2(-1000 * unit(random)) * (column.max - column.min));
  return values;
}

std::vector<NumericColumn> hard_columns() {
  const double huge = DBL_MAX, tiny = std::numeric_limits<double>::denorm_min();
  std::vector<NumericColumn> columns;
  for (const auto& [min, max] : std::vector<std::pair<double, double>>{{0, 1},
                                                                       {-3, 7.7},
                                                                       {0, 99999},
                                                                       {0, tiny},
                                                                       {-tiny, tiny},
                                                                       {0, DBL_MIN},
                                                                       {-huge / 2, huge / 2},
                                                                       {0, huge},
                                                                       {1e308, huge},
                                                                       {1, std::nextafter(1, 2)},
                                                                       {-huge, std::nextafter(-huge, 0)},
                                                                       {1e-300, 1e-299},
                                                                       {0.1, 0.3}})
    for (const bool log1p : {false, true})
      for (const std::size_t knots : {1, 2, 3, 9, 10, 1000})
        columns.push_back({.min = min, .max = max, .log1p = log1p, .knots = knots});
  return columns;
}

// The claim that privacy rests on: what is stored keeps the block's bound, exactly, for every cell.
TEST(Encoder, BlocksKeepTheirBoundsForEveryNumber) {
  for (NumericColumn column : hard_columns())
    for (const bool indicator : {false, true}) {
      column.missing_indicator = indicator;
      const Encoder encoder(Schema{.columns = {{"x", column}}});
      const double bound = encoder.blocks()[0].bound;
      EXPECT_EQ(bound, column.knots == Knots(std::size_t{1}) ? 0.5 : 1.0);
      Entries entries(encoder);
      for (const double value : hard_values(column, {column.min, column.max})) {
        ASSERT_FALSE(encoder.encode(0, value, entries.row()));
        long double size = 0;
        for (const double x : entries.values) size += std::fabs(static_cast<long double>(x));
        ASSERT_LE(size, bound) << column.min << " " << column.max << " " << value;
        if (bound < 1) continue;
        ASSERT_EQ(size, 1) << column.min << " " << column.max << " " << value;
        ASSERT_TRUE(entries.values[0] >= 0 && entries.values[1] >= 0);
        ASSERT_TRUE(FeatureBlocks(encoder.blocks()).holds(entries.view(), 0));
      }
      EXPECT_EQ(encoder.blocks()[0].full, column.knots != Knots(std::size_t{1}));
    }
}

// The same for lists of knots, also such as lie next to one another.
TEST(Encoder, BlocksKeepTheirBoundsBetweenAnyKnots) {
  const double next = std::nextafter(1.0, 2.0), tiny = std::numeric_limits<double>::denorm_min();
  for (const auto& knots : std::vector<std::vector<double>>{
           {0, tiny}, {0, 1, next, 8}, {-1e308, 0, tiny, 7e307}, {0.1, 0.2, 0.3, 0.4}, {1, next}}) {
    const NumericColumn column{.min = knots.front(), .max = knots.back(), .knots = knots};
    const Encoder encoder(Schema{.columns = {{"x", column}}});
    Entries entries(encoder);
    for (const double value : hard_values(column, knots)) {
      ASSERT_FALSE(encoder.encode(0, value, entries.row()));
      ASSERT_EQ(static_cast<long double>(entries.values[0]) + static_cast<long double>(entries.values[1]), 1);
      ASSERT_TRUE(entries.values[0] >= 0 && entries.values[1] >= 0) << value;
    }
    for (std::size_t k = 0; k < knots.size(); ++k) {
      ASSERT_FALSE(encoder.encode(0, knots[k], entries.row()));
      const std::size_t own = entries.columns[0] == k ? 0 : 1;
      EXPECT_EQ(entries.columns[own], k);
      EXPECT_EQ(entries.values[own], 1) << "a knot belongs to its own hat";
    }
  }
}

// Products are exact, so that a pair keeps the product of the bounds, and sums to 1 where both blocks do.
TEST(Encoder, PairsKeepTheProductOfTheBounds) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<> unit(0, 1);
  for (const std::size_t first : {1, 2, 9})
    for (const std::size_t second : {1, 3, 10}) {
      const NumericColumn a{.min = 0, .max = 1, .knots = first}, b{.min = -1, .max = 7, .knots = second};
      const Encoder encoder(Schema{.columns = {{"a", a}, {"b", b}}, .pairs = {{"a", "b"}}});
      Entries entries(encoder);
      const std::size_t pair = encoder.entries() - (first > 1 ? 2 : 1) * (second > 1 ? 2 : 1);
      for (int k = 0; k < 2000; ++k) {
        // Ties of the rounding to 2^-26, and their neighbours, among ordinary numbers.
        double x = unit(random);
        if (k % 2 == 0) x = (std::floor(x * 0x1p26) + 0.5) * 0x1p-26;
        ASSERT_FALSE(encoder.encode(0, x, entries.row()));
        ASSERT_FALSE(encoder.encode(1, 8 * unit(random) - 1, entries.row()));
        encoder.encode_pairs(entries.row());
        long double size = 0;
        for (std::size_t l = pair; l < entries.values.size(); ++l)
          size += std::fabs(static_cast<long double>(entries.values[l]));
        ASSERT_LE(size, encoder.blocks()[2].bound);
        ASSERT_EQ(encoder.blocks()[2].full, first > 1 && second > 1);
        ASSERT_TRUE(FeatureBlocks(encoder.blocks()).holds(entries.view(), 0));
        if (first > 1 && second > 1) {
          ASSERT_EQ(size, 1);
        }
      }
    }
}

// Which blocks are full is a property of the schema, and it holds for every record: listed, not listed,
// missing and outside. `full` is for each column, its parts of a date and its pairs in the order of the
// blocks.
struct FullCase {
  Schema schema;
  std::vector<bool> full;
};

std::vector<FullCase> full_cases() {
  const auto categories = [](std::size_t count, std::optional<double> other, bool indicator = false) {
    CategoricalColumn column{.missing_indicator = indicator, .other = other};
    for (std::size_t k = 0; k < count; ++k) column.categories.push_back(std::string(1, char('a' + k)));
    return column;
  };
  const NumericColumn hats{.min = 0, .max = 9, .missing = 3.0, .knots = std::size_t{4}},
      line{.min = 0, .max = 9, .knots = std::size_t{1}, .missing_indicator = true};
  CategoricalColumn taken = categories(5, 0.25);
  taken.missing = "other";
  return {
      {{.columns = {{"c", categories(5, std::nullopt, true)}}}, {true}},
      {{.columns = {{"c", categories(5, 1.0, true)}}}, {true}},
      {{.columns = {{"c", categories(5, 0.25, true)}}}, {false}},
      {{.columns = {{"c", taken}}}, {false}},
      // Up to three categories share what `other` leaves: full where nothing is rounded off.
      {{.columns = {{"c", categories(1, 0.125, true)}}}, {true}},
      {{.columns = {{"c", categories(2, 0.125, true)}}}, {true}},
      {{.columns = {{"c", categories(3, 0.15625, true)}}}, {true}},
      {{.columns = {{"c", categories(3, 0.1875, true)}}}, {false}},
      {{.columns = {{"c", categories(2, 0.1, true)}}}, {false}},
      {{.columns = {{"c", HashedColumn{.buckets = 7, .missing_indicator = true}}}}, {true}},
      {{.columns = {{"c",
                     DateColumn{
                         .number = {.min = 0, .max = 1e9, .knots = std::size_t{3}, .missing_indicator = true},
                         .month = true,
                         .weekday = true,
                         .hour = true}}}},
       {true, true, true, true}},
      {{.columns = {{"c", categories(2, 0.125, true)}, {"x", hats}}, .pairs = {{"c", "x"}}},
       {true, true, true}},
      {{.columns = {{"c", categories(5, 0.25, true)}, {"x", hats}}, .pairs = {{"c", "x"}}},
       {false, true, false}},
      {{.columns = {{"c", categories(2, 0.125, true)}, {"x", line}}, .pairs = {{"c", "x"}}},
       {true, false, false}}};
}

TEST(Encoder, SaysWhichBlocksAreFullAndTheyAreForEveryRecord) {
  for (const FullCase& c : full_cases()) {
    const Encoder encoder(c.schema);
    const FeatureBlocks blocks(encoder.blocks());
    std::vector<bool> full;
    for (const FeatureBlock& block : blocks.list()) full.push_back(block.full);
    EXPECT_EQ(full, c.full) << blocks.text();
    Entries entries(encoder);
    bool breaks = false;  // if all blocks were said to be full
    std::vector<FeatureBlock> all = blocks.list();
    for (FeatureBlock& block : all) block.full = true;
    for (const char* cell : {"a", "b", "zebra", "", "2001-03-04T05:06Z", "1969-12-31", "2400-01-01"})
      for (const double x : {0.0, 0.1, 1.0 / 3, 2.7, 8.99999999, 9.0, 1e300, -1e300, std::nan("")}) {
        if (encoder.encode(0, cell, entries.row())) continue;  // no date
        if (c.schema.columns.size() > 1 && encoder.encode(1, x, entries.row())) continue;
        encoder.encode_pairs(entries.row());
        ASSERT_TRUE(blocks.holds(entries.view(), 0)) << blocks.text() << " " << cell << " " << x;
        breaks = breaks || !FeatureBlocks(all).holds(entries.view(), 0);
      }
    EXPECT_EQ(breaks, std::ranges::count(full, false) > 0) << blocks.text();
  }
}

}  // namespace
}  // namespace tacit
