// The kernels of dense_products.cpp, once for every set of instructions: included with TACIT_TARGET (the
// attribute that allows the instructions), `lanes`, `Pack` (that many doubles), forward_outputs and
// fused(a, b, c) = a·b + c defined. Every function is marked: what is inlined must be allowed what its caller
// is.

TACIT_TARGET TACIT_INLINE Pack load(const double* p) {
  Pack value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

TACIT_TARGET TACIT_INLINE void store(double* p, const Pack& value) { std::memcpy(p, &value, sizeof value); }

TACIT_TARGET TACIT_INLINE Pack same(double x) { return x - Pack{}; }

// Adds the upper half to the lower one until one value is left.
TACIT_TARGET TACIT_INLINE double total(const Pack& p) {
  double half[lanes];
  store(half, p);
  for (std::size_t n = lanes / 2; n > 0; n /= 2)
    for (std::size_t lane = 0; lane < n; ++lane) half[lane] += half[lane + n];
  return half[0];
}

// tile_rows rows against M weight vectors: the sums stay in registers meanwhile. (They do not in a function
// that is inlined so often.) With Fetch, the rows of the next tile are brought into the second cache on the
// way.
template <std::size_t M, bool Fetch>
TACIT_TARGET __attribute__((noinline)) void forward_tile(const double* const* rows, const double* const* next,
                                                         const double* w, std::size_t columns,
                                                         std::size_t features, double (*z)[forward_outputs]) {
  Pack sum[tile_rows][M] = {};
  std::size_t j = 0;
  for (; j + lanes <= columns; j += lanes) {
    if constexpr (Fetch)
      for (std::size_t r = 0; r < tile_rows; ++r) __builtin_prefetch(next[r] + j, 0, 2);
    Pack weight[M];
    for (std::size_t m = 0; m < M; ++m) weight[m] = load(w + m * features + j);
    for (std::size_t r = 0; r < tile_rows; ++r) {
      const Pack x = load(rows[r] + j);
      for (std::size_t m = 0; m < M; ++m) sum[r][m] = fused(x, weight[m], sum[r][m]);
    }
  }
  for (std::size_t r = 0; r < tile_rows; ++r)
    for (std::size_t m = 0; m < M; ++m) {
      double rest = 0;
      for (std::size_t c = j; c < columns; ++c) rest += rows[r][c] * w[m * features + c];
      z[r][m] = total(sum[r][m]) + rest;
    }
}

template <std::size_t M>
TACIT_TARGET TACIT_INLINE void forward_width(std::size_t width, const double* const* rows,
                                             const double* const* next, const double* w, std::size_t columns,
                                             std::size_t features, double (*z)[forward_outputs]) {
  if (width >= M && next)
    forward_tile<M, true>(rows, next, w, columns, features, z);
  else if (width >= M)
    forward_tile<M, false>(rows, next, w, columns, features, z);
  else if constexpr (M > 1)
    forward_width<M - 1>(width, rows, next, w, columns, features, z);
}

TACIT_TARGET void forward(const RowBlock& block, const double* w, std::size_t outputs, double* z) {
  const std::size_t features = block.features();
  for (std::size_t first = 0; first < outputs; first += cached_outputs) {
    const std::size_t last = std::min(outputs, first + cached_outputs);
    for (std::size_t i = 0; i < block.count; i += tile_rows) {
      // A short tile repeats its last row: every row is worked on in the same way.
      const double *rows[tile_rows], *next[tile_rows];
      for (std::size_t r = 0; r < tile_rows; ++r) {
        rows[r] = block.rows[std::min(i + r, block.count - 1)].values;
        next[r] = block.rows[std::min(i + tile_rows + r, block.count - 1)].values;
      }
      for (std::size_t k = first; k < last; k += forward_outputs) {
        double tile[tile_rows][forward_outputs];
        const std::size_t width = std::min(forward_outputs, last - k);
        forward_width<forward_outputs>(width, rows, k == 0 && !block.fetched ? next : nullptr, w + k * features,
                                       block.columns, features, tile);
        for (std::size_t r = 0; r < tile_rows && i + r < block.count; ++r)
          std::copy_n(tile[r], width, z + (i + r) * outputs + k);
      }
    }
  }
}

// M outputs by P packs of columns: the sums stay in registers while the rows go by. With `fetch`, the same
// columns of the rows to come are brought into the second cache on the way.
template <std::size_t M, std::size_t P>
TACIT_TARGET TACIT_INLINE void backward_tile(const RowBlock& block, const double* r, std::size_t outputs,
                                             std::size_t j, bool fetch, std::size_t features, double* sum) {
  Pack sums[M][P];
  for (std::size_t m = 0; m < M; ++m)
    for (std::size_t p = 0; p < P; ++p) sums[m][p] = load(sum + m * features + j + p * lanes);
  for (std::size_t i = 0; i < block.count; ++i) {
    const double* row = block.rows[i].values + j;
    if (fetch && block.upcoming[i])
      for (std::size_t p = 0; p < P; ++p) __builtin_prefetch(block.upcoming[i] + j + p * lanes, 0, 2);
    Pack x[P];
    for (std::size_t p = 0; p < P; ++p) x[p] = load(row + p * lanes);
    for (std::size_t m = 0; m < M; ++m) {
      const Pack factor = same(r[i * outputs + m]);
      for (std::size_t p = 0; p < P; ++p) sums[m][p] = fused(factor, x[p], sums[m][p]);
    }
  }
  for (std::size_t m = 0; m < M; ++m)
    for (std::size_t p = 0; p < P; ++p) store(sum + m * features + j + p * lanes, sums[m][p]);
}

template <std::size_t P>
TACIT_TARGET TACIT_INLINE void backward_columns(const RowBlock& block, const double* r, std::size_t outputs,
                                                std::size_t j, double* sum) {
  const std::size_t features = block.features();
  for (std::size_t k = 0; k < outputs; k += backward_outputs)
    if (outputs - k >= 3)
      backward_tile<3, P>(block, r + k, outputs, j, k == 0, features, sum + k * features);
    else if (outputs - k == 2)
      backward_tile<2, P>(block, r + k, outputs, j, k == 0, features, sum + k * features);
    else
      backward_tile<1, P>(block, r + k, outputs, j, k == 0, features, sum + k * features);
}

TACIT_TARGET void backward(const RowBlock& block, const double* r, std::size_t outputs, double* sum) {
  const std::size_t columns = block.columns, features = block.features();
  std::size_t j = 0;
  for (; j + tile_packs * lanes <= columns; j += tile_packs * lanes)
    backward_columns<tile_packs>(block, r, outputs, j, sum);
  for (; j + lanes <= columns; j += lanes) backward_columns<1>(block, r, outputs, j, sum);
  for (std::size_t i = 0; i < block.count; ++i)
    for (std::size_t k = 0; k < outputs; ++k)
      for (std::size_t c = j; c < columns; ++c)
        sum[k * features + c] += r[i * outputs + k] * block.rows[i].values[c];
}
