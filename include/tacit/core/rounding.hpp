#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

// Bounds for what IEEE double arithmetic, rounded to nearest, does to real numbers. Everything that privacy
// rests on is evaluated through these: `up` results are never below the real value, `down` never above.

namespace tacit::inline v1 {

inline constexpr double unit_roundoff = 0x1p-53;

// The neighbours of a rounded result: an operation's true value lies strictly between them. (The error of one
// rounded operation is at most half the gap to a neighbour, underflow included.)
inline double next_up(double x) { return std::nextafter(x, std::numeric_limits<double>::infinity()); }
inline double next_down(double x) { return std::nextafter(x, -std::numeric_limits<double>::infinity()); }

inline double add_up(double a, double b) { return next_up(a + b); }
inline double add_down(double a, double b) { return next_down(a + b); }
inline double sub_up(double a, double b) { return next_up(a - b); }
inline double sub_down(double a, double b) { return next_down(a - b); }
inline double mul_up(double a, double b) { return next_up(a * b); }
inline double mul_down(double a, double b) { return next_down(a * b); }
inline double div_up(double a, double b) { return next_up(a / b); }
inline double div_down(double a, double b) { return next_down(a / b); }
inline double sqrt_up(double a) { return next_up(std::sqrt(a)); }
inline double sqrt_down(double a) { return a <= 0 ? 0.0 : next_down(std::sqrt(a)); }

// glibc's exp, log, log1p, expm1 and pow are within 1 ulp in double (glibc manual, "Errors in Math
// Functions"); four steps away is a bound with room to spare.
inline double library_up(double x) { return next_up(next_up(next_up(next_up(x)))); }
inline double library_down(double x) { return next_down(next_down(next_down(next_down(x)))); }

inline double log1p_up(double x) { return library_up(std::log1p(x)); }
inline double exp_up(double x) { return library_up(std::exp(x)); }
inline double exp_down(double x) { return library_down(std::exp(x)); }

// gamma_k = k u / (1 - k u) [Higham, Accuracy and Stability, Lemma 3.1]: a product of k factors (1 + delta),
// |delta| <= u, is 1 + theta with |theta| <= gamma_k. Rounded up.
inline double gamma_bound(std::size_t k) {
  const double ku = mul_up(static_cast<double>(k), unit_roundoff);
  return div_up(ku, sub_down(1.0, ku));
}

// The depth of a sum of `count` terms added in blocks of `block` terms, the blocks added pairwise.
inline std::size_t blocked_sum_depth(std::size_t count, std::size_t block) {
  std::size_t depth = count < block ? count : block;
  for (std::size_t blocks = (count + block - 1) / block; blocks > 1; blocks = (blocks + 1) / 2) ++depth;
  return depth;
}

}  // namespace tacit::inline v1
