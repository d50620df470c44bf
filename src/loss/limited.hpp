#pragma once

#include "tacit/core.hpp"
#include "tacit/data.hpp"
#include "tacit/loss.hpp"

// Limited losses [ours, docs/limited_loss.md]: for each record a convex function with slope·‖a‖ ≤ C and
// curvature·‖a‖² ≤ Q whatever the record holds, and equal to the loss for every record that obeys both.

namespace tacit::inline v1 {

// What one record's link may do. Both > 0; infinity: no limit.
struct Limits {
  double slope = 0;      // c: |φ'| ≤ c
  double curvature = 0;  // q: φ'' ≤ q
};

// Rows whose largest entry lies outside [smallest_row_entry, largest_row_entry] contribute the zero function,
// which is convex and obeys every limit: beyond these sizes the products of the solver could overflow.
inline constexpr double largest_row_entry = 0x1p250;
inline constexpr double smallest_row_entry = 0x1p-250;

// An upper bound of the row's ℓ2 norm with the intercept counted, exact up to rounding. 0 for a row that
// contributes nothing.
TACIT_API double row_norm(const RowView& row, double intercept);

// c = C/norm and q = Q/norm², rounded down. `norm` > 0.
TACIT_API Limits limits_of_record(double slope_limit, double curvature_limit, double norm);
// The same with another norm, a gauge, for the slope: c = C/gauge. `gauge` > 0.
TACIT_API Limits limits_of_record(double slope_limit, double curvature_limit, double gauge, double norm);

// The link with its curvature limited to q, then its slope clamped to ±c:
//   squared, Huber, logistic       weighted by min(1, q/sup φ'')
//   absolute, pinball, hinges      their Moreau envelope of curvature q
//   Poisson                        continued linearly with slope q where e^s > q
TACIT_API LinkPoint evaluate(const Link& link, const Limits& limits, double s, double y);

// The first and second derivative alone, for the solver's inner loop: the same numbers as evaluate() gives.
struct LinkSlope {
  double first = 0, second = 0;
};
TACIT_API LinkSlope slope(const Link& link, const Limits& limits, double s, double y);

// A public bound on ‖a‖·|computed φ'(s) − φ'(s)| over all records with limits from (C, Q), at the same
// double s: what the machine's arithmetic does to one record's gradient. `label_bound` bounds |y| for
// Poisson.
TACIT_API double slope_rounding(const Link& link, double slope_limit, double curvature_limit,
                                double label_bound);

}  // namespace tacit::inline v1
