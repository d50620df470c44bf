#pragma once

#include <cmath>
#include <utility>

#include "privacy/accounting/loss_law.hpp"
#include "tacit/core.hpp"

// Masses of normal laws with their rounding.

namespace tacit::inline v1::pld {

struct Tail {
  double value, error;
};

// Phi(t) for a t that carries a relative error of at most 2u. The argument of erfc then carries 4u, which
// moves Phi by at most 4u (t²+1) relative, as |t| phi(t)/Phi(t) <= t²+1 for t < 0; glibc's erfc is within 5
// ulp (glibc manual, "Errors in Math Functions"), taken as 16. 2^-1060 covers underflow.
inline Tail phi(double t) {
  if (std::isinf(t)) return {t > 0 ? 1.0 : 0.0, 0};
  constexpr double sqrt_half = 0.70710678118654752440;
  const double value = std::erfc(-t * sqrt_half) / 2;
  const double square = t < 0 ? std::fmin(t * t, 1e6) : 1;
  return {value, unit_roundoff * (8 * square + 64) * value + 0x1p-1060};
}

// The mass of N(center, sigma²) between two doubles.
inline Enclosure normal_between(double from, double to, double center, double sigma) {
  if (!(from < to)) return {};
  double a = (from - center) / sigma, b = (to - center) / sigma;
  if (a > 0) {  // both in the upper tail: mirror, so that the difference keeps its leading digits
    std::swap(a, b);
    a = -a;
    b = -b;
  }
  const Tail low = phi(a), high = phi(b);
  const double value = high.value - low.value;
  const double error = next_up(high.error + low.error) + unit_roundoff * value;
  return {std::fmax(next_down(value - error), 0.0), next_up(value + error)};
}

}  // namespace tacit::inline v1::pld
