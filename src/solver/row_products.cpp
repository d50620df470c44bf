#include "solver/row_products.hpp"

#include <algorithm>

#include "solver/dense_products.hpp"

namespace tacit::inline v1 {

namespace {

void sparse_forward(const RowBlock& block, const double* w, std::size_t outputs, double* z) {
  const std::size_t features = block.features();
  for (std::size_t i = 0; i < block.count; ++i) {
    const RowView& row = block.rows[i];
    double* out = z + i * outputs;
    std::fill_n(out, outputs, 0.0);
    for (std::size_t e = 0; e < row.size; ++e)
      for (std::size_t k = 0; k < outputs; ++k) out[k] += row.values[e] * w[k * features + row.columns[e]];
  }
}

void sparse_backward(const RowBlock& block, const double* r, std::size_t outputs, double* sum) {
  const std::size_t features = block.features();
  for (std::size_t i = 0; i < block.count; ++i) {
    const RowView& row = block.rows[i];
    for (std::size_t e = 0; e < row.size; ++e)
      for (std::size_t k = 0; k < outputs; ++k)
        sum[k * features + row.columns[e]] += r[i * outputs + k] * row.values[e];
  }
}

bool is_sparse(const RowBlock& block) { return block.count > 0 && block.rows[0].columns != nullptr; }

}  // namespace

void multiply_rows(const RowBlock& block, const double* w, std::size_t outputs, double* z) {
  is_sparse(block) ? sparse_forward(block, w, outputs, z) : dense_products().forward(block, w, outputs, z);
  if (block.intercept == 0) return;
  const std::size_t features = block.features();
  for (std::size_t i = 0; i < block.count; ++i)
    for (std::size_t k = 0; k < outputs; ++k)
      z[i * outputs + k] += block.intercept * w[k * features + block.columns];
}

void add_outer_products(const RowBlock& block, const double* r, std::size_t outputs, double* sum) {
  is_sparse(block) ? sparse_backward(block, r, outputs, sum)
                   : dense_products().backward(block, r, outputs, sum);
  if (block.intercept == 0) return;
  const std::size_t features = block.features();
  for (std::size_t i = 0; i < block.count; ++i)
    for (std::size_t k = 0; k < outputs; ++k)
      sum[k * features + block.columns] += r[i * outputs + k] * block.intercept;
}

}  // namespace tacit::inline v1
