#include "solver/kernels.hpp"

#include "core/widest.hpp"

namespace tacit::inline v1::kernels {

namespace {

constexpr std::size_t lanes = 8;

TACIT_WIDEST double dense_dot(const double* a, const double* b, std::size_t size) {
  double sum[lanes] = {};
  std::size_t k = 0;
  for (; k + lanes <= size; k += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) sum[lane] += a[k + lane] * b[k + lane];
  for (std::size_t lane = 0; k < size; ++k, ++lane) sum[lane] += a[k] * b[k];
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

TACIT_WIDEST void dense_add_scaled(const double* a, double factor, double* sum, std::size_t size) {
  for (std::size_t k = 0; k < size; ++k) sum[k] += factor * a[k];
}

double sparse_dot(const RowView& row, const double* w) {
  double sum[4] = {};
  for (std::size_t k = 0; k < row.size; ++k) sum[k % 4] += row.values[k] * w[row.columns[k]];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace

double dot(const RowView& row, const double* w, std::size_t columns, double intercept) {
  const double sum = row.columns == nullptr ? dense_dot(row.values, w, row.size) : sparse_dot(row, w);
  return intercept == 0 ? sum : sum + intercept * w[columns];
}

void add_scaled(const RowView& row, double factor, double* sum, std::size_t columns, double intercept) {
  if (row.columns == nullptr)
    dense_add_scaled(row.values, factor, sum, row.size);
  else
    for (std::size_t k = 0; k < row.size; ++k) sum[row.columns[k]] += factor * row.values[k];
  if (intercept != 0) sum[columns] += intercept * factor;
}

std::size_t dot_depth(std::size_t features) {
  // One product, ⌈features/4⌉ additions in the sparse kernel's lanes (the dense one has more lanes), three to
  // join the lanes, one for the intercept.
  return features / 4 + 6;
}

}  // namespace tacit::inline v1::kernels
