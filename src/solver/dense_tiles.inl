// The kernels of dense_products.cpp, once for every set of instructions: included with TACIT_TARGET (the
// attribute that allows the instructions), `lanes`, `Pack` (that many doubles), tile_outputs and
// fused(a, b, c) = a·b + c defined. Every function is marked: what is inlined must be allowed what its caller
// is.

typedef double Anywhere __attribute__((vector_size(lanes * sizeof(double)), aligned(8), may_alias));

TACIT_TARGET TACIT_INLINE Pack load(const double* p) { return *reinterpret_cast<const Anywhere*>(p); }

TACIT_TARGET TACIT_INLINE void store(double* p, const Pack& value) {
  *reinterpret_cast<Anywhere*>(p) = value;
}

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
// that is inlined so often.) With Fetch, two rows of the next tile are brought into the second cache on the
// way.
template <std::size_t M, bool Fetch>
TACIT_TARGET __attribute__((noinline)) void forward_tile(const double* const* rows, const double* const* next,
                                                         const double* w, std::size_t columns,
                                                         std::size_t features, double (*z)[tile_outputs]) {
  Pack sum[tile_rows][M];
  TACIT_UNROLL
  for (std::size_t r = 0; r < tile_rows; ++r) {
    TACIT_UNROLL
    for (std::size_t m = 0; m < M; ++m) sum[r][m] = Pack{};
  }
  std::size_t j = 0;
  for (; j + lanes <= columns; j += lanes) {
    if constexpr (Fetch)
      for (std::size_t r = 0; r < tile_rows / 2; ++r) fetch(next[r] + j);
    Pack weight[M];
    TACIT_UNROLL
    for (std::size_t m = 0; m < M; ++m) weight[m] = load(w + m * features + j);
    TACIT_UNROLL
    for (std::size_t r = 0; r < tile_rows; ++r) {
      const Pack x = load(rows[r] + j);
      TACIT_UNROLL
      for (std::size_t m = 0; m < M; ++m) sum[r][m] = fused(x, weight[m], sum[r][m]);
    }
  }
  TACIT_UNROLL
  for (std::size_t r = 0; r < tile_rows; ++r) {
    TACIT_UNROLL
    for (std::size_t m = 0; m < M; ++m) {
      double rest = 0;
      for (std::size_t c = j; c < columns; ++c) rest += rows[r][c] * w[m * features + c];
      z[r][m] = total(sum[r][m]) + rest;
    }
  }
}

template <std::size_t M>
TACIT_TARGET TACIT_INLINE void forward_width(std::size_t width, const double* const* rows,
                                             const double* const* next, const double* w, std::size_t columns,
                                             std::size_t features, double (*z)[tile_outputs]) {
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
      for (std::size_t k = first; k < last; k += tile_outputs) {
        double tile[tile_rows][tile_outputs];
        const std::size_t width = std::min(tile_outputs, last - k);
        // One half of the next tile's rows with the first outputs, the other one with those that follow.
        const std::size_t half = k / tile_outputs * tile_rows / 2;
        const bool fetch_next = !block.fetched && half < tile_rows;
        forward_width<tile_outputs>(width, rows, fetch_next ? next + half : nullptr, w + k * features,
                                    block.columns, features, tile);
        for (std::size_t r = 0; r < tile_rows && i + r < block.count; ++r)
          std::copy_n(tile[r], width, z + (i + r) * outputs + k);
      }
    }
  }
}

// M outputs by P packs of columns, from column j on: the sums stay in registers while the rows go by. Some of
// the same columns of the rows to come are brought into the second cache on the way.
template <std::size_t M, std::size_t P, Ahead ahead>
TACIT_TARGET __attribute__((noinline)) void backward_tile(const RowBlock& block, const double* r,
                                                          std::size_t outputs, std::size_t j, double* sum) {
  const std::size_t features = block.features();
  Pack sums[M][P];
  TACIT_UNROLL
  for (std::size_t m = 0; m < M; ++m) {
    TACIT_UNROLL
    for (std::size_t p = 0; p < P; ++p) sums[m][p] = load(sum + m * features + p * lanes);
  }
  for (std::size_t i = 0; i < block.count; ++i) {
    if (ahead != Ahead::nothing && block.upcoming[i]) fetch_some<P * lanes, ahead>(block.upcoming[i] + j);
    const double* row = block.rows[i].values + j;
    Pack x[P];
    TACIT_UNROLL
    for (std::size_t p = 0; p < P; ++p) x[p] = load(row + p * lanes);
    TACIT_UNROLL
    for (std::size_t m = 0; m < M; ++m) {
      const Pack factor = same(r[i * outputs + m]);
      TACIT_UNROLL
      for (std::size_t p = 0; p < P; ++p) sums[m][p] = fused(factor, x[p], sums[m][p]);
    }
  }
  TACIT_UNROLL
  for (std::size_t m = 0; m < M; ++m) {
    TACIT_UNROLL
    for (std::size_t p = 0; p < P; ++p) store(sum + m * features + p * lanes, sums[m][p]);
  }
}

template <std::size_t M, std::size_t P, Ahead ahead>
TACIT_TARGET TACIT_INLINE void backward_width(std::size_t width, const RowBlock& block, const double* r,
                                              std::size_t outputs, std::size_t j, double* sum) {
  if (width >= M)
    backward_tile<M, P, ahead>(block, r, outputs, j, sum);
  else if constexpr (M > 1)
    backward_width<M - 1, P, ahead>(width, block, r, outputs, j, sum);
}

template <std::size_t P>
TACIT_TARGET TACIT_INLINE void backward_columns(const RowBlock& block, const double* r, std::size_t outputs,
                                                std::size_t j, double* sum) {
  constexpr std::size_t M = tile_outputs;
  const std::size_t features = block.features();
  if (outputs <= M) return backward_width<M, P, Ahead::all>(outputs, block, r, outputs, j, sum + j);
  backward_width<M, P, Ahead::first_half>(M, block, r, outputs, j, sum + j);
  backward_width<M, P, Ahead::second_half>(outputs - M, block, r + M, outputs, j, sum + M * features + j);
  for (std::size_t k = 2 * M; k < outputs; k += M)
    backward_width<M, P, Ahead::nothing>(outputs - k, block, r + k, outputs, j, sum + k * features + j);
}

TACIT_TARGET void backward(const RowBlock& block, const double* r, std::size_t outputs, double* sum) {
  const std::size_t columns = block.columns, features = block.features();
  std::size_t j = 0;
  for (; j + tile_packs * lanes <= columns; j += tile_packs * lanes)
    backward_columns<tile_packs>(block, r, outputs, j, sum);
  for (; j + 2 * lanes <= columns; j += 2 * lanes) backward_columns<2>(block, r, outputs, j, sum);
  for (; j + lanes <= columns; j += lanes) backward_columns<1>(block, r, outputs, j, sum);
  for (std::size_t i = 0; i < block.count; ++i)
    for (std::size_t k = 0; k < outputs; ++k)
      for (std::size_t c = j; c < columns; ++c)
        sum[k * features + c] += r[i * outputs + k] * block.rows[i].values[c];
}
