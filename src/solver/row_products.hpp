#pragma once

#include <array>
#include <cstddef>

#include "tacit/core.hpp"
#include "tacit/data.hpp"

// Products of a block of rows with a few vectors, and back: the two halves of a gradient. What a row gives is
// bitwise a function of that row alone: the order of its operations depends on public shapes, never on the
// other rows of the block or on its place among them.

namespace tacit::inline v1 {

inline constexpr std::size_t block_rows =
    32;  // so that two blocks of a few thousand columns fit into a second cache

// At most block_rows rows, wherever they are in memory: all dense or all sparse.
struct RowBlock {
  std::array<RowView, block_rows> rows;
  std::size_t count = 0;
  std::size_t columns = 0;
  double intercept = 0;  // value of the constant feature; 0: none

  // For speed alone, as the rows of a batch are far apart in memory: dense rows that will be asked for next,
  // fetched while this block is worked on, and whether this one was fetched so.
  std::array<const double*, block_rows> upcoming{};  // null: none
  bool fetched = false;

  std::size_t features() const { return columns + (intercept != 0 ? 1 : 0); }
};

// Room for the rows of a block that are made when they are asked for.
using BlockRoom = std::array<RowRoom, block_rows>;

// z[i·outputs + k] = ⟨row i, w_k⟩, w_k = w[k·features …]: the intercept's weight last.
TACIT_API void multiply_rows(const RowBlock& block, const double* w, std::size_t outputs, double* z);

// sum[k·features + j] += Σ_i r[i·outputs + k]·row_i[j], in the order of the rows: every term passes through
// at most count + 1 rounded operations.
TACIT_API void add_outer_products(const RowBlock& block, const double* r, std::size_t outputs, double* sum);

}  // namespace tacit::inline v1
