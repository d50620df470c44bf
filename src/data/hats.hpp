#pragma once

#include <cstddef>
#include <span>

#include "tacit/data.hpp"

namespace tacit::inline v1 {

// Where a number lies among knots: between knot `left` and the next one, `share` of the way. The hats of
// those two are 1 − share and share, all others 0.
struct HatPosition {
  std::size_t left = 0;
  double share = 0;  // a multiple of 2^-53 in [0, 1], so that 1 − share is a double and both sum to 1 exactly
};

// K even knots over the (transformed) range; K >= 2.
HatPosition hat_position(const NumericColumn& column, std::size_t knots, double value);

// A list of knots, at least 2. Before the first and after the last the curve is level.
HatPosition hat_position(const NumericColumn& column, std::span<const double> knots, double value);

// Whether the column's transform tells two knots apart, as a hat between them must.
bool tells_apart(const NumericColumn& column, double knot, double next);

// Knot number k of K even ones, in the column's units (rounded, for people).
double even_knot(const NumericColumn& column, std::size_t knots, std::size_t k);

}  // namespace tacit::inline v1
