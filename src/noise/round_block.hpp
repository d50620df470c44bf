#pragma once

#include <cmath>
#include <limits>

#include "kernels.hpp"
#include "tacit/core/rounding.hpp"

namespace tacit::inline v1::noise {

// Adding and subtracting this rounds |v| < 2^51 to the nearest integer.
inline constexpr double to_integer = 0x1.8p52;

// Kernels::round, in a form that the compiler turns into the vector instructions of the function it is
// inlined into.
[[gnu::always_inline]] inline std::size_t round_block(const double* x, const double* z, const double* error,
                                                      double* out, std::size_t count,
                                                      const BlockRounding& rounding) {
  const BlockRounding b = rounding;
  constexpr double u = unit_roundoff;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  std::size_t undecided = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double above = x[i] > -b.range ? x[i] : -b.range;  // NaN goes to −range
    const double clamped = above < b.range ? above : b.range;
    const double cells = clamped * b.inverse_grid;
    const double k0 = (cells + to_integer) - to_integer;
    const double r = cells - k0;
    const double y = b.multiplier * z[i];
    const double v = r + y;
    const double k = (v + to_integer) - to_integer;
    const double bound =
        b.multiplier * error[i] + (b.relative_error + 2 * u) * std::abs(y) + 4 * u * std::abs(v) + 2 * u;
    const bool decided = std::abs(v - k) < 0.5 - bound;
    const double value = (k0 + k + 0.0) * b.grid;  // + 0.0 turns −0 into 0
    out[i] = decided ? value : nan;
    undecided += decided ? 0 : 1;
  }
  return undecided;
}

}  // namespace tacit::inline v1::noise
