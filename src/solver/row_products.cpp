#include "tacit/solver/row_products.hpp"

#include <algorithm>

// Wider registers where the machine has them. The sanitizers' start-up cannot call the resolver this needs.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TACIT_WIDEST __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define TACIT_WIDEST
#endif

namespace tacit::inline v1 {

namespace {

// Four doubles that the compiler keeps in whatever registers there are. Products and sums are rounded one by
// one on every machine, so that all give the same bits.
constexpr std::size_t lanes = 4;
typedef double Pack __attribute__((vector_size(lanes * sizeof(double)), aligned(8)));

#define TACIT_INLINE [[gnu::always_inline]] inline

TACIT_INLINE const Pack& pack(const double* p) { return *reinterpret_cast<const Pack*>(p); }
TACIT_INLINE double total(const Pack& p) { return (p[0] + p[1]) + (p[2] + p[3]); }

// Four rows against M weight vectors: 4·M sums stay in registers.
constexpr std::size_t tile_rows = 4, tile_outputs = 3;

template <std::size_t M>
TACIT_INLINE void forward_tile(const double* const* rows, const double* w, std::size_t columns,
                               std::size_t features, double (&z)[tile_rows][tile_outputs]) {
  Pack sum[tile_rows][M] = {};
  std::size_t j = 0;
  for (; j + lanes <= columns; j += lanes)
    for (std::size_t r = 0; r < tile_rows; ++r)
      for (std::size_t m = 0; m < M; ++m) sum[r][m] += pack(rows[r] + j) * pack(w + m * features + j);
  for (std::size_t r = 0; r < tile_rows; ++r)
    for (std::size_t m = 0; m < M; ++m) {
      double rest = 0;
      for (std::size_t k = j; k < columns; ++k) rest += rows[r][k] * w[m * features + k];
      z[r][m] = total(sum[r][m]) + rest;
    }
}

// Outputs are taken a dozen at a time, so that their weights stay in a near cache while the rows go by.
constexpr std::size_t cached_outputs = 4 * tile_outputs;

TACIT_WIDEST void dense_forward(const RowBlock& block, const double* w, std::size_t outputs, double* z) {
  const std::size_t columns = block.columns, features = block.features();
  for (std::size_t first = 0; first < outputs; first += cached_outputs) {
    const std::size_t last = std::min(outputs, first + cached_outputs);
    for (std::size_t i = 0; i < block.count; i += tile_rows) {
      // A short tile repeats its last row: every row is worked on in the same way.
      const double* rows[tile_rows];
      for (std::size_t r = 0; r < tile_rows; ++r)
        rows[r] = block.rows[std::min(i + r, block.count - 1)].values;
      for (std::size_t k = first; k < last; k += tile_outputs) {
        double tile[tile_rows][tile_outputs];
        const std::size_t width = std::min(tile_outputs, last - k);
        if (width == 3)
          forward_tile<3>(rows, w + k * features, columns, features, tile);
        else if (width == 2)
          forward_tile<2>(rows, w + k * features, columns, features, tile);
        else
          forward_tile<1>(rows, w + k * features, columns, features, tile);
        for (std::size_t r = 0; r < tile_rows && i + r < block.count; ++r)
          for (std::size_t m = 0; m < width; ++m) z[(i + r) * outputs + k + m] = tile[r][m];
      }
    }
  }
}

// M outputs by 2·lanes columns: the sums stay in registers while the rows go by.
template <std::size_t M>
TACIT_INLINE void backward_tile(const RowBlock& block, const double* r, std::size_t outputs, std::size_t j,
                                std::size_t features, double* sum) {
  Pack low[M], high[M];
  for (std::size_t m = 0; m < M; ++m) {
    low[m] = pack(sum + m * features + j);
    high[m] = pack(sum + m * features + j + lanes);
  }
  for (std::size_t i = 0; i < block.count; ++i) {
    const double* row = block.rows[i].values + j;
    const Pack a = pack(row), b = pack(row + lanes);
    for (std::size_t m = 0; m < M; ++m) {
      low[m] += r[i * outputs + m] * a;
      high[m] += r[i * outputs + m] * b;
    }
  }
  for (std::size_t m = 0; m < M; ++m)
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      sum[m * features + j + lane] = low[m][lane];
      sum[m * features + j + lanes + lane] = high[m][lane];
    }
}

TACIT_WIDEST void dense_backward(const RowBlock& block, const double* r, std::size_t outputs, double* sum) {
  const std::size_t columns = block.columns, features = block.features();
  std::size_t j = 0;
  for (; j + 2 * lanes <= columns; j += 2 * lanes)
    for (std::size_t k = 0; k < outputs; k += tile_outputs) {
      const std::size_t width = std::min(tile_outputs, outputs - k);
      if (width == 3)
        backward_tile<3>(block, r + k, outputs, j, features, sum + k * features);
      else if (width == 2)
        backward_tile<2>(block, r + k, outputs, j, features, sum + k * features);
      else
        backward_tile<1>(block, r + k, outputs, j, features, sum + k * features);
    }
  for (std::size_t i = 0; i < block.count; ++i)
    for (std::size_t k = 0; k < outputs; ++k)
      for (std::size_t c = j; c < columns; ++c)
        sum[k * features + c] += r[i * outputs + k] * block.rows[i].values[c];
}

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
  is_sparse(block) ? sparse_forward(block, w, outputs, z) : dense_forward(block, w, outputs, z);
  if (block.intercept == 0) return;
  const std::size_t features = block.features();
  for (std::size_t i = 0; i < block.count; ++i)
    for (std::size_t k = 0; k < outputs; ++k)
      z[i * outputs + k] += block.intercept * w[k * features + block.columns];
}

void add_outer_products(const RowBlock& block, const double* r, std::size_t outputs, double* sum) {
  is_sparse(block) ? sparse_backward(block, r, outputs, sum) : dense_backward(block, r, outputs, sum);
  if (block.intercept == 0) return;
  const std::size_t features = block.features();
  for (std::size_t i = 0; i < block.count; ++i)
    for (std::size_t k = 0; k < outputs; ++k)
      sum[k * features + block.columns] += r[i * outputs + k] * block.intercept;
}

}  // namespace tacit::inline v1
