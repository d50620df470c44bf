#include "solver/dense_products.hpp"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define TACIT_INLINE __attribute__((always_inline)) inline
// Of loops of a few turns over arrays that must become registers.
#define TACIT_UNROLL _Pragma("GCC unroll 8")

namespace tacit::inline v1 {

namespace {

// tile_rows rows by tile_outputs outputs make as many sums as leave registers for what is multiplied;
// backward it is tile_outputs outputs by tile_packs packs of columns.
constexpr std::size_t tile_rows = 4, tile_packs = 4;

// Outputs are taken fifteen at a time: their weights stay in a near cache while the rows go by.
constexpr std::size_t cached_outputs = 15;

constexpr std::size_t line = 8;  // doubles that come from memory at once

// Asks for the second cache: the first one is full of what is being multiplied.
TACIT_INLINE void fetch(const double* values) { __builtin_prefetch(values, 0, 2); }

// Which of the columns that a tile works on are fetched of the rows to come: with more outputs than one tile
// has, half of them with the first outputs and half with the next, as the processor drops what it is asked
// for faster than the memory gives.
enum class Ahead { nothing, first_half, second_half, all };

template <std::size_t Columns, Ahead ahead>
TACIT_INLINE void fetch_some(const double* values) {
  constexpr std::size_t lines = (Columns + line - 1) / line, half = (lines + 1) / 2;
  constexpr std::size_t begin = ahead == Ahead::second_half ? half : 0;
  constexpr std::size_t end = ahead == Ahead::first_half ? half : lines;
  for (std::size_t k = begin; k < end; ++k) fetch(values + k * line);
}

#if defined(__x86_64__)

namespace avx512 {
#if defined(__clang__)  // has no such preference, and would drop the whole attribute
#define TACIT_TARGET __attribute__((target("avx512f")))
#else
#define TACIT_TARGET __attribute__((target("avx512f,prefer-vector-width=512")))
#endif
constexpr std::size_t lanes = 8, tile_outputs = 5;
typedef __m512d Pack;
TACIT_TARGET TACIT_INLINE Pack fused(Pack a, Pack b, Pack c) { return _mm512_fmadd_pd(a, b, c); }
#include "solver/dense_tiles.inl"
#undef TACIT_TARGET
}  // namespace avx512

namespace avx2 {
#define TACIT_TARGET __attribute__((target("avx2,fma")))
constexpr std::size_t lanes = 4, tile_outputs = 3;
typedef __m256d Pack;
TACIT_TARGET TACIT_INLINE Pack fused(Pack a, Pack b, Pack c) { return _mm256_fmadd_pd(a, b, c); }
#include "solver/dense_tiles.inl"
#undef TACIT_TARGET
}  // namespace avx2

#endif

// What every machine has: two lanes, products and sums rounded one by one.
namespace portable {
#define TACIT_TARGET
constexpr std::size_t lanes = 2, tile_outputs = 3;
typedef double Pack __attribute__((vector_size(lanes * sizeof(double))));
TACIT_TARGET TACIT_INLINE Pack fused(Pack a, Pack b, Pack c) { return a * b + c; }
#include "solver/dense_tiles.inl"
#undef TACIT_TARGET
}  // namespace portable

std::vector<DenseProducts> runnable() {
  std::vector<DenseProducts> found;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) found.push_back({avx512::forward, avx512::backward});
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    found.push_back({avx2::forward, avx2::backward});
#endif
  found.push_back({portable::forward, portable::backward});
  return found;
}

}  // namespace

const std::vector<DenseProducts>& runnable_products() {
  static const std::vector<DenseProducts> products = runnable();
  return products;
}

}  // namespace tacit::inline v1
