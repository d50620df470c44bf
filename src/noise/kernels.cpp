#include "noise/kernels.hpp"

#include <sleef.h>

#include "noise/kernels_avx2.hpp"
#include "noise/round_one.hpp"

namespace tacit::inline v1::noise {

namespace {

void to_uniform(const std::uint64_t* words, double* uniform, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) uniform[i] = static_cast<double>(words[i]) * 0x1p-64;
}

void minus_log(double* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) values[i] = -Sleef_log_u10(values[i]);
}

void box_muller(const std::uint64_t* radius_words, const std::uint64_t* angle_words, double* cosine,
                double* sine, double* t, double* error, std::size_t pairs) {
  for (std::size_t i = 0; i < pairs; ++i) {
    const double uniform = static_cast<double>(radius_words[i]) * 0x1p-64;
    t[i] = -Sleef_log_u10(uniform);
    const double radius = std::sqrt(2 * t[i]);
    const Sleef_double2 angle =
        Sleef_sincospi_u05(static_cast<double>(static_cast<std::int64_t>(angle_words[i])) * 0x1p-63);
    cosine[i] = radius * angle.y;
    sine[i] = radius * angle.x;
    const double unread = (unit_roundoff * uniform + 0x1p-64) / (uniform * radius);
    error[i] = 13 * unit_roundoff * radius + 2.1 * unread;
  }
}

bool round(const double* x, const double* z, const double* error, double* out, std::size_t count,
           const BlockRounding& rounding) {
  bool all_decided = true;
  for (std::size_t i = 0; i < count; ++i) all_decided &= round_one(x[i], z[i], error[i], rounding, out[i]);
  return all_decided;
}

}  // namespace

const Kernels& portable_kernels() {
  static constexpr Kernels kernels{to_uniform, minus_log, box_muller, round};
  return kernels;
}

const Kernels& best_kernels() {
#if defined(__x86_64__)
  static const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2) return avx2_kernels();
#endif
  return portable_kernels();
}

}  // namespace tacit::inline v1::noise
