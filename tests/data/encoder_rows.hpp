#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/encoder.hpp"

// Rows that an encoder makes, as tests look at them.

namespace tacit::testing_data {

// One record's entries.
struct Entries {
  explicit Entries(const Encoder& encoder) : columns(encoder.entries()), values(encoder.entries()) {}
  EncodedRow row() { return {columns.data(), values.data()}; }
  RowView view() const { return {values.data(), columns.data(), values.size()}; }
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
};

// The row as dense numbers; texts are the cells of the schema's columns in order.
inline std::vector<double> encoded(const Encoder& encoder, const std::vector<std::string>& cells) {
  Entries entries(encoder);
  for (std::size_t k = 0; k < cells.size(); ++k)
    if (const auto fault = encoder.encode(k, cells[k], entries.row())) ADD_FAILURE() << *fault;
  encoder.encode_pairs(entries.row());
  std::vector<double> row(encoder.features());
  for (std::size_t k = 0; k < entries.columns.size(); ++k) {
    EXPECT_TRUE(k == 0 || entries.columns[k] > entries.columns[k - 1]) << "columns ascend";
    row.at(entries.columns[k]) += entries.values[k];
  }
  return row;
}

inline std::vector<double> encoded(const std::string& schema, const std::vector<std::string>& cells) {
  return encoded(Encoder(parse_schema(schema, "s")), cells);
}

inline std::string column(const std::string& inner) { return R"({"columns": {"x": {)" + inner + "}}}"; }

inline std::string numeric(const std::string& more) {
  return column(R"("type": "numeric", "min": 0, "max": 8, )" + more);
}

// Exact: every double is a multiple of 2^-1074, and 80 bits of mantissa hold sums of a few numbers in [0, 1]
// that are multiples of 2^-53.
inline long double sum_of(const std::vector<double>& row) {
  long double sum = 0;
  for (const double x : row) sum += static_cast<long double>(x);
  return sum;
}

using Row = std::vector<double>;

}  // namespace tacit::testing_data
