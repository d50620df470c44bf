#pragma once

#include <cstddef>

#include "tacit/data.hpp"

// Fixed-order kernels: the result for a row depends on that row and w alone, never on its neighbours in
// memory.

namespace tacit::inline v1::kernels {

// ⟨row, w⟩ + intercept·w[columns]: w has one entry more than the row has columns when intercept ≠ 0.
double dot(const RowView& row, const double* w, std::size_t columns, double intercept);

// sum += factor·(row, intercept).
void add_scaled(const RowView& row, double factor, double* sum, std::size_t columns, double intercept);

// Every term of dot() passes through at most this many rounded operations.
std::size_t dot_depth(std::size_t features);

}  // namespace tacit::inline v1::kernels
