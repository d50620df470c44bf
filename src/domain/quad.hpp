#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "tacit/core.hpp"

// IEEE binary128, rounded to nearest, in which certificates are evaluated. A residual that double arithmetic
// would drown in its own rounding error (an ellipsoid of condition 1e12, the square root in a duality gap)
// keeps 113 bits here, and no product of a few doubles can overflow or underflow.

namespace tacit::inline v1::detail {

// A double becomes a Quad without error: that promotion is what Quad is for.
#pragma GCC diagnostic ignored "-Wdouble-promotion"

__extension__ typedef __float128 Quad;  // NOLINT(modernize-use-using): __extension__ takes no using
using QuadVector = std::vector<Quad>;

// γ_k of [Higham, Lemma 3.1] for u = 2⁻¹¹³, k < 2⁴⁰.
inline Quad quad_gamma(std::size_t k) { return static_cast<Quad>(k) * 0x1p-113 * (1 + Quad{0x1p-60}); }

// A sum of non-negative terms, evaluated in fewer than 2⁴⁰ operations, is off by less than a factor 1 ± 2⁻⁷².
inline Quad padded(Quad bound) { return bound * (1 + Quad{0x1p-60}); }

inline Quad magnitude(Quad x) { return x < 0 ? -x : x; }

// long double has the range of Quad and at least 64 bits: its square root is off by less than 2⁻⁶².
static_assert(std::numeric_limits<long double>::digits >= 64 &&
              std::numeric_limits<long double>::max_exponent >= 16384);
inline Quad sqrt_up(Quad x) {
  return static_cast<Quad>(std::sqrt(static_cast<long double>(x))) * (1 + Quad{0x1p-61});
}

inline double double_up(Quad x) { return next_up(static_cast<double>(x)); }

inline QuadVector to_quad(const Vector& x) { return QuadVector(x.data(), x.data() + x.size()); }

inline Vector to_double(const QuadVector& x) {
  Vector rounded(static_cast<Eigen::Index>(x.size()));
  for (Eigen::Index i = 0; i < rounded.size(); ++i) rounded[i] = static_cast<double>(x[i]);
  return rounded;
}

// ‖x‖ and ‖x − y‖, never below the real value.
inline Quad norm_up(const QuadVector& x) {
  Quad sum = 0;
  for (const Quad v : x) sum += v * v;
  return sqrt_up(padded(sum));
}
inline Quad distance_up(const QuadVector& x, const QuadVector& y) {
  Quad sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sqrt_up(padded(sum));
}

}  // namespace tacit::inline v1::detail
