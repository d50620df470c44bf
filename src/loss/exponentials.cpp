#include "loss/exponentials.hpp"

#include <algorithm>
#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>

// <sleef.h> declares this only in files compiled for AVX; here one function is.
extern "C" [[gnu::target("avx2,fma")]] __m256d Sleef_expd4_u10avx2(__m256d);
#endif

namespace tacit::inline v1 {

namespace {

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void by_fours(std::span<double> x) {
  std::size_t k = 0;
  for (; k + 4 <= x.size(); k += 4)
    _mm256_storeu_pd(x.data() + k, Sleef_expd4_u10avx2(_mm256_loadu_pd(x.data() + k)));
  if (k == x.size()) return;
  double last[4] = {};
  std::copy(x.begin() + static_cast<std::ptrdiff_t>(k), x.end(), last);
  _mm256_storeu_pd(last, Sleef_expd4_u10avx2(_mm256_loadu_pd(last)));
  std::copy_n(last, x.size() - k, x.data() + k);
}
#endif

}  // namespace

void exponentials(std::span<double> x) {
#if defined(__x86_64__)
  static const bool fours = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (fours) return by_fours(x);
#endif
  for (double& v : x) v = std::exp(v);
}

}  // namespace tacit::inline v1
