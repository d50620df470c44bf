#include "noise/kernels_avx2.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#include "noise/round_one.hpp"

#define TACIT_AVX2 [[gnu::target("avx2,fma")]]

// <sleef.h> declares these only in files compiled for AVX; here single functions are.
extern "C" {
struct SinCosPi {
  __m256d sine, cosine;
};
TACIT_AVX2 __m256d Sleef_logd4_u10avx2(__m256d);
TACIT_AVX2 SinCosPi Sleef_sincospid4_u05avx2(__m256d);
}

namespace tacit::inline v1::noise {

namespace {

TACIT_AVX2 __m256i load(const std::uint64_t* words) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
}

// The high and the low 32 bits of w are put into the mantissas of 2^20 and 2^−12, where they stand for
// w·2^−64; the offsets cancel exactly, and the one rounded operation is the last addition: the result is
// fl(w)·2^−64.
TACIT_AVX2 __m256d uniform(const std::uint64_t* words) {
  const __m256i w = load(words);
  const __m256i high =
      _mm256_xor_si256(_mm256_srli_epi64(w, 32), _mm256_castpd_si256(_mm256_set1_pd(0x1p20)));
  const __m256i low = _mm256_blend_epi32(w, _mm256_castpd_si256(_mm256_set1_pd(0x1p-12)), 0xaa);
  return (_mm256_castsi256_pd(high) - _mm256_set1_pd(0x1p20 + 0x1p-12)) + _mm256_castsi256_pd(low);
}
// The same for 2V: v as a signed number times 2^−63. Flipping the sign bit adds 2^63, that is 1.
TACIT_AVX2 __m256d half_turns(const std::uint64_t* words) {
  const __m256i v = load(words);
  const __m256i high =
      _mm256_xor_si256(_mm256_srli_epi64(v, 32), _mm256_castpd_si256(_mm256_set1_pd(0x1p21 + 1)));
  const __m256i low = _mm256_blend_epi32(v, _mm256_castpd_si256(_mm256_set1_pd(0x1p-11)), 0xaa);
  return (_mm256_castsi256_pd(high) - _mm256_set1_pd(0x1p21 + 1 + 0x1p-11)) + _mm256_castsi256_pd(low);
}

TACIT_AVX2 void to_uniform(const std::uint64_t* words, double* uniforms, std::size_t count) {
  for (std::size_t i = 0; i < count; i += Kernels::width) _mm256_storeu_pd(uniforms + i, uniform(words + i));
}

TACIT_AVX2 void minus_log(double* values, std::size_t count) {
  for (std::size_t i = 0; i < count; i += Kernels::width)
    _mm256_storeu_pd(values + i, -Sleef_logd4_u10avx2(_mm256_loadu_pd(values + i)));
}

TACIT_AVX2 void box_muller(const std::uint64_t* radius_words, const std::uint64_t* angle_words,
                           double* cosine, double* sine, double* t, double* error, std::size_t pairs) {
  for (std::size_t i = 0; i < pairs; i += Kernels::width) {
    const __m256d first = uniform(radius_words + i);
    const __m256d minus_log = -Sleef_logd4_u10avx2(first);
    const __m256d radius = _mm256_sqrt_pd(minus_log + minus_log);
    const SinCosPi angle = Sleef_sincospid4_u05avx2(half_turns(angle_words + i));
    _mm256_storeu_pd(t + i, minus_log);
    _mm256_storeu_pd(cosine + i, radius * angle.cosine);
    _mm256_storeu_pd(sine + i, radius * angle.sine);
    const __m256d unread = (unit_roundoff * first + 0x1p-64) / (first * radius);
    _mm256_storeu_pd(error + i, 13 * unit_roundoff * radius + 2.1 * unread);
  }
}

// round_one of round_one.hpp, four at a time; the compiler does not vectorise it by itself.
TACIT_AVX2 bool round(const double* x, const double* z, const double* error, double* out, std::size_t count,
                      const BlockRounding& rounding) {
  constexpr double u = unit_roundoff;
  const BlockRounding b = rounding;
  const __m256d low = _mm256_set1_pd(-b.range), high = _mm256_set1_pd(b.range);
  const __m256d shift = _mm256_set1_pd(to_integer), sign = _mm256_set1_pd(-0.0);
  const __m256d relative = _mm256_set1_pd(b.relative_error + 4 * u);
  const __m256d multiplier = _mm256_set1_pd(b.multiplier);
  __m256d undecided = _mm256_setzero_pd();
  std::size_t i = 0;
  for (; i + Kernels::width <= count; i += Kernels::width) {
    // max takes its second operand when the first is NaN.
    const __m256d clamped = _mm256_min_pd(_mm256_max_pd(_mm256_loadu_pd(x + i), low), high);
    const __m256d cells = clamped * b.inverse_grid;
    const __m256d k0 = (cells + shift) - shift;
    const __m256d y = multiplier * _mm256_loadu_pd(z + i);
    const __m256d v = (cells - k0) + y;
    const __m256d k = (v + shift) - shift;
    const __m256d bound =
        multiplier * _mm256_loadu_pd(error + i) + relative * _mm256_andnot_pd(sign, y) + 4 * u;
    const __m256d open = _mm256_cmp_pd(_mm256_andnot_pd(sign, v - k), 0.5 - bound, _CMP_NLT_UQ);
    // All bits set is a NaN.
    _mm256_storeu_pd(out + i, _mm256_or_pd((k0 + k) * b.grid, open));
    undecided = _mm256_or_pd(undecided, open);
  }
  bool all_decided = _mm256_movemask_pd(undecided) == 0;
  for (; i < count; ++i) all_decided &= round_one(x[i], z[i], error[i], b, out[i]);
  return all_decided;
}

}  // namespace

const Kernels& avx2_kernels() {
  static constexpr Kernels kernels{to_uniform, minus_log, box_muller, round};
  return kernels;
}

}  // namespace tacit::inline v1::noise

#endif
