#pragma once

#include <cstddef>
#include <span>

#include "tacit/data.hpp"

namespace tacit::inline v1 {

// DataError, naming the column, unless each has as many cells as the table has rows.
void require_cells(std::span<const TableColumn> columns, std::size_t rows);

}  // namespace tacit::inline v1
