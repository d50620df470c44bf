#pragma once

#include <cmath>

namespace tacit::inline v1 {

// log |Γ(x)|. std::lgamma writes the sign into a global of the C library, which is a race between threads.
inline double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

}  // namespace tacit::inline v1
