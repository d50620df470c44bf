#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "noise/kernels.hpp"
#include "tacit/core.hpp"

// What vectors of noise with a common radius share on the fast path: sums of logarithms of uniforms, and the
// length of a Gaussian vector, each with a bound on its error. Notation as in kernels.hpp.

namespace tacit::inline v1::noise {

// A positive number with a bound on its relative error; infinite: nothing is known.
struct Estimate {
  double value = 0, relative_error = 0;
};

// Products and quotients of bounds are covered where each is at most this.
inline constexpr double most_relative_error = 0.01;
inline double usable(double relative_error) {
  return relative_error <= most_relative_error ? relative_error : std::numeric_limits<double>::infinity();
}

// |t̂ − t| for t = −ln U, t̂ computed from the first word: 1/w + u + 4u·t̂, with room.
inline double log_error(std::uint64_t word, double t) {
  return 1.1 * (1 / static_cast<double>(word) + unit_roundoff) + 5 * unit_roundoff * t;
}

// Σ terms, terms ≥ 0, which it overwrites.
Estimate sum(std::vector<double>& terms);

// Σ 1/w, which bounds what the unread digits can do to Σ ln U.
double unread_digits(std::span<const std::uint64_t> words);

// Γ = −Σ ln U over the first `count` words.
Estimate gamma_sum(const std::vector<std::uint64_t>& words, std::size_t count, const Kernels& kernels);

// √(2·total): the length of a Gaussian vector, of which total is half the square, off by at most `absolute`.
Estimate gaussian_length(double total, double absolute);

// a/b, with three roundings to spare.
Estimate quotient(const Estimate& a, const Estimate& b);

// The error of z²/2 for a single Gaussian coordinate that is off by at most `error`.
inline double half_square_error(double z, double error) {
  const double size = z < 0 ? -z : z;
  return size * error + error * error + unit_roundoff * size * size;
}

}  // namespace tacit::inline v1::noise
