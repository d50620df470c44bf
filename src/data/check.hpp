#pragma once

#include <string>
#include <vector>

#include "tacit/data.hpp"

namespace tacit::inline v1 {

// What a schema covers of a column. Counted on the records as they are: not private.
struct CheckedCells {
  std::string name;
  double outside_share = 0;    // of the cells that are not empty: beyond the range, no number, not listed
  double missing_share = 0;    // of all cells: empty
  std::size_t unreadable = 0;  // no number, or no date, where the schema takes that for empty
  std::vector<std::string> unmatched;  // values that are not listed, the first 20 in the file
  std::vector<std::string> unseen;     // categories or classes that never occur
};

// Compares a CSV file with options.schema, column by column in the schema's order, the target last. Cells
// that the schema does not cover are counted, never an error.
TACIT_API std::vector<CheckedCells> check_cells(const ReadOptions& options);

}  // namespace tacit::inline v1
