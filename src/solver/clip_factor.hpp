#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "solver/clipped_sums.hpp"
#include "tacit/core.hpp"
#include "tacit/data.hpp"

// The arithmetic of clipping: upper bounds of norms, and a factor that is never too large.

namespace tacit::inline v1 {

// Entries beyond 2^±400 could overflow when squared, or vanish.
inline constexpr double largest_entry = 0x1p400, smallest_entry = 0x1p-400;

// An upper bound of ‖x‖₂, exact up to rounding where the largest entry is at least 2^−400; infinite where an
// entry is larger than 2^400 or is not a number.
inline double norm_up(std::span<const double> x) {
  double largest = 0, squares = 0;
  bool sane = true;
  for (const double v : x) {
    sane &= std::fabs(v) <= largest_entry;  // false for NaN
    largest = std::max(largest, std::fabs(v));
    squares += v * v;
  }
  if (!sane) return std::numeric_limits<double>::infinity();
  const double size = static_cast<double>(x.size());
  if (largest < smallest_entry) return mul_up(sqrt_up(size), smallest_entry);
  // The sum rounds size times, so its root by size/2 roundings at most, and root and product once more each;
  // squares that underflow are far below one ulp of the largest.
  return std::sqrt(squares) * (1 + (size + 8) * 2 * unit_roundoff);
}

// An upper bound of a·b for a, b >= 0.
inline double product_up(double a, double b) {
  return a * b * (1 + 4 * unit_roundoff) + std::numeric_limits<double>::min();
}

// What a residual is multiplied with, for a gradient of norm at most `norm` > 0; 0 where that is not finite.
// The three roundings here and the product's, also by underflow, are within the room of 32:
// ‖fl(factor·r)‖·‖input‖ ≤ length, surely.
inline double clip_factor(const Clip& clip, double norm, double residual_norm) {
  if (!std::isfinite(norm)) return 0;
  if (!clip.limited) return clip.length;
  constexpr double room = 1 - 0x1p-48;
  const double scaled =
      clip.threshold * (norm / residual_norm);  // may be no number; comparisons are then false
  const double tau = scaled > clip.norm ? scaled : clip.norm;
  return room * (clip.length / (tau > norm ? tau : norm));
}

// The factor for a record with a weight: as weights are at most 1 and rounding is monotone, neither it nor
// any product with it is larger than without.
inline double weighted(double factor, const Dataset& data, std::size_t record) {
  return data.weights.empty() ? factor : factor * data.weights[record];
}

}  // namespace tacit::inline v1
