#pragma once

#include "tacit/core.hpp"

namespace tacit::inline v1::detail {

struct Bounds {
  double lower = 0, upper = 0;
};

// Bounds on the real ‖v‖, for entries up to the largest double.
Bounds norm_bounds(const Vector& v);

// Bounds on the real ‖x − y‖, for entries up to `largest_coordinate`.
Bounds distance_bounds(const Vector& x, const Vector& y);

// A lower bound on the smallest eigenvalue of a symmetric matrix; not positive when that is not certain.
// Entries up to `largest_coordinate`.
long double smallest_eigenvalue_down(const Matrix& symmetric);

}  // namespace tacit::inline v1::detail
