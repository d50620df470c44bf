#pragma once

#include <cstddef>
#include <cstdint>

// The fast evaluation of noise in double arithmetic, many at a time, with error bounds.
//
// Notation: u = 2^−53; w a uniform's first word, so that U lies in [w, w + 1]·2^−64; Û = fl(w)·2^−64.
//
// What the bounds rest on: IEEE arithmetic rounded to nearest, and SLEEF's stated errors [SLEEF 3.5
// reference: log_u10 ≤ 1.0 ULP; sincospi_u05 ≤ max(0.506 ULP, DBL_MIN) for |a| ≤ 1e9/4]. The bounds below
// allow twice as much: 2 ULP (relative 4u) for the logarithm, 1 ULP (relative 2u) for sine and cosine.
//
//   |ln Û − ln U| ≤ 1/w + u/(1 − u)          (bits of U not read; rounding of w)
//
// Every bound is multiplied by at least 1.02 so that the rounding of the bound itself, and products of
// bounds, are covered. An infinite or NaN bound is allowed: it means undecided.

namespace tacit::inline v1::noise {

// How a block is rounded onto its grid: multiplier·z is the noise in grid cells.
struct BlockRounding {
  double grid = 1, inverse_grid = 1, range = 0;
  double multiplier = 1;
  double relative_error = 0;  // of the multiplier
};

struct Kernels {
  static constexpr std::size_t width = 4;  // counts are rounded up to this; arrays must reach that far

  // uniform[i] = Û.
  void (*to_uniform)(const std::uint64_t* words, double* uniform, std::size_t count);

  // values[i] = −ln(values[i]), relative error ≤ 4u.
  void (*minus_log)(double* values, std::size_t count);

  // Box–Muller: t = −ln U, (cosine, sine) = √(2t)·(cos 2πV, sin 2πV), V in [−1/2, 1/2) from the word as a
  // signed number; error[i] bounds the error of both coordinates:
  //   |R̂ − R| ≤ 2(1/w + u)/R̂ + 5uR̂            (R = √(2t); t̂ off by 1/w + u + 4u t̂; one square root)
  //   |ĉ − cos 2πV| ≤ πu + 2π·2^−64 + 2u ≤ 5.2u  (rounding of v; bits not read; SLEEF)
  //   |R̂ĉ − Rc| ≤ (1 + 5.2 + 5)uR̂ + 2(1/w + u)/R̂ ≤ error/1.02,  error = 13uR̂ + 2.1(u + 2^−64/Û)/R̂.
  void (*box_muller)(const std::uint64_t* radius_words, const std::uint64_t* angle_words, double* cosine,
                     double* sine, double* t, double* error, std::size_t pairs);

  // out[i] = the multiple of the grid nearest to clamp(x[i]) + multiplier·z[i]·grid, or NaN where the error
  // bound does not decide it; returns whether all are decided. error[i] bounds |z[i] − its true value|·1.02.
  // With x = k₀·grid + r·grid exactly, |r| ≤ 1/2, and v = r + y, y = multiplier·z: the product and the sum
  // add u|y| + u|v| ≤ 2u|y| + u, so the error of v in cells is at most
  //   multiplier·error + (relative_error + 4u)|y| + 4u,
  // where the room covers underflow and the rounding of the comparison itself. |v| ≥ 2^51, which is too large
  // to be rounded this way, is never decided, since then 4u|y| > 1/2.
  bool (*round)(const double* x, const double* z, const double* error, double* out, std::size_t count,
                const BlockRounding& rounding);
};

// count, rounded up to the width.
constexpr std::size_t padded(std::size_t count) {
  return (count + Kernels::width - 1) / Kernels::width * Kernels::width;
}

const Kernels& portable_kernels();
// AVX2 where the processor has it, else portable. Both decide alike: the rounding is exact either way.
const Kernels& best_kernels();

}  // namespace tacit::inline v1::noise
