#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tacit/core/api.hpp"
#include "tacit/data/read.hpp"
#include "tacit/data/schema.hpp"

namespace tacit::inline v1 {

// The cells of a column in memory. A NaN and an empty text are empty cells. A number means the same in
// either: what a cell is encoded as does not depend on what else is in its column.
struct NumberCells {
  const double* first = nullptr;
  std::ptrdiff_t stride = 1;  // in doubles
};
using ValueCells = std::vector<std::variant<double, std::string>>;

struct TableColumn {
  std::string name;
  std::variant<NumberCells, ValueCells> cells;
};

// The features of a table in memory, as read_dataset gives them for a CSV file with the same cells; a target
// or user column that the schema names is left out. DataError names the row and the column.
TACIT_API ReadResult encode_table(std::span<const TableColumn> columns, std::size_t rows,
                                  const Schema& schema);

}  // namespace tacit::inline v1
