#pragma once

#include <cmath>
#include <limits>

#include "noise/kernels.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::noise {

// Adding and subtracting this rounds |v| < 2^51 to the nearest integer, and to 0 rather than −0.
inline constexpr double to_integer = 0x1.8p52;

// Kernels::round for one coordinate; false where it stays undecided.
inline bool round_one(double x, double z, double error, const BlockRounding& b, double& out) {
  constexpr double u = unit_roundoff;
  const double above = x > -b.range ? x : -b.range;  // NaN goes to −range
  const double clamped = above < b.range ? above : b.range;
  const double cells = clamped * b.inverse_grid;
  const double k0 = (cells + to_integer) - to_integer;
  const double y = b.multiplier * z;
  const double v = (cells - k0) + y;
  const double k = (v + to_integer) - to_integer;
  const double bound = b.multiplier * error + (b.relative_error + 4 * u) * std::abs(y) + 4 * u;
  const bool decided = std::abs(v - k) < 0.5 - bound;
  out = decided ? (k0 + k) * b.grid : std::numeric_limits<double>::quiet_NaN();
  return decided;
}

}  // namespace tacit::inline v1::noise
