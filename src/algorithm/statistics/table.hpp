#pragma once

// Records as statistics see them: the value of each cell, and how much each record counts.

#include <cstdint>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/data.hpp"
#include "tacit/guarantee.hpp"

namespace tacit::inline v1::statistics {

// Weights are whole multiples of 2^−20, so that their sums are exact below 2^33 units.
inline constexpr std::int64_t unit_weight = std::int64_t{1} << 20;
inline constexpr double weight_grid = 0x1p-20;
inline constexpr double most_units = 0x1p33;

struct Table {
  // By column, one for each record: a number, or the number of a category; NaN where the cell is empty.
  std::vector<std::vector<double>> columns;
  // By record: those of one unit sum to unit_weight.
  std::vector<std::int64_t> weights;
};

// The schema by which a table is read to be described: every column that has a range or categories, the
// target's too, with empty cells told apart from all others; nothing else.
TACIT_API Schema described(const Schema& schema);

// The records as `read_dataset` read them with such a schema and EncoderRule::linear_v1.
TACIT_API Table table_of(const Dataset& data, const Schema& described, Unit unit);

// Equal parts of unit_weight for all records of a user; all of it for a record by itself.
TACIT_API std::vector<std::int64_t> weights_of(const Dataset& data, Unit unit);

}  // namespace tacit::inline v1::statistics
