#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacit/data.hpp"

namespace tacit::python {

// Features, and labels once they are set: what a reader would have made of a file.
struct Records {
  ReadResult read;
  std::optional<Schema> schema;
  // Of a table that nobody described: its cells, for a fit that finds their ranges, and what holds them.
  std::vector<TableColumn> raw = {};
  std::vector<pybind11::object> owners = {};
};

// Columns of float64 arrays, looked at where they lie, or of lists of numbers and texts.
std::vector<TableColumn> table_columns(const std::vector<std::pair<std::string, pybind11::object>>& columns,
                                       std::size_t rows);

}  // namespace tacit::python
