#pragma once

#include <cstddef>
#include <span>
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
  std::size_t present = 0, outside = 0;  // cells that are not empty, and those of them that outside_share is
  std::string covered;                   // by the schema, in words: "one of the categories …"
  std::vector<std::string> unmatched;    // values that are not listed, the first 20 in the file
  std::vector<std::string> unseen;       // categories or classes that never occur
};

// Compares a CSV file with options.schema, column by column in the schema's order, the target last. Cells
// that the schema does not cover are counted, never an error.
TACIT_API std::vector<CheckedCells> check_cells(const ReadOptions& options);
// The same of a table in memory, without the target: each cell as encode_table reads it.
TACIT_API std::vector<CheckedCells> check_cells(std::span<const TableColumn> columns, std::size_t rows,
                                                const Schema& schema);

// What to tell of it where nothing is private, a sentence each: cells that were taken for missing, and each
// column of at least 10 cells more than half of which the schema does not cover: no listed category, beyond
// the range.
TACIT_API std::vector<std::string> told_of_cells(const std::vector<CheckedCells>& columns);

}  // namespace tacit::inline v1
