#pragma once

// The public grid on which the cells of a column are counted before anything is known of it
// [docs/private_schema.md]: every cell is in one class.

#include <cstddef>
#include <vector>

#include "data/raw_table.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::statistics {

// Numbers, or dates in seconds, from `low` to below `high`; a single number where they are equal.
struct GridCell {
  double low = 0, high = 0;
  std::size_t which = 0;  // of the classes
};

struct TACIT_API CellGrid {
  std::size_t classes = 0;
  std::size_t empty = 0, text = 0, comma = 0;
  std::vector<GridCell> dates;    // decades, 1900 to 2100, and what is before and after
  std::vector<GridCell> wholes;   // whole numbers, ascending: each of −8 … 32, then by powers of 4
  std::vector<GridCell> numbers;  // all others, ascending: by powers of 4 from 2^−30 to 2^50, of both signs

  std::size_t class_of(CellKind kind, double value) const;
};

// The one that there is.
TACIT_API const CellGrid& cell_grid();

}  // namespace tacit::inline v1::statistics
