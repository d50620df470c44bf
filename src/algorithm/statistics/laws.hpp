#pragma once

// How far known noise reaches: the intervals of statistics. Each is computed from a step, which says the law.

#include <span>

#include "tacit/core.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1::statistics {

struct Interval {
  double low = 0, high = 0;
};

// A number with an interval that holds the records' own value with the stated probability, over the noise.
struct Estimate {
  double value = 0;
  Interval interval;
};

// P(|noise of one number| > reach) ≤ failure.
TACIT_API double reach(const Step& step, double failure);

// P(Σ coefficientᵢ·noiseᵢ > reach) ≤ failure, where `counts` of the coefficients have these `sizes` in turn:
// by Chernoff's bound, or exactly for a Gaussian.
struct Coefficients {
  double size = 0;
  std::size_t count = 0;
};
TACIT_API double reach_of_sum(const Step& step, std::span<const Coefficients> sum, double failure);

// The value, cut to the interval of what is possible, ± reach within it. Cut first: around an impossible
// value the interval would shrink to a point, and look exact where noise was largest. It only gains by that.
TACIT_API Estimate estimate(double value, double reach, Interval possible);

}  // namespace tacit::inline v1::statistics
