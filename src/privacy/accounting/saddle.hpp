#pragma once

#include <span>
#include <vector>

#include "privacy/accounting/loss_law.hpp"

// Where the composed loss lives once it is tilted by e^{lambda L}: the planning of grids and windows. Numbers
// from here decide how tight a bracket is, never whether it holds.

namespace tacit::inline v1::pld {

// `count` independent copies of a law.
struct Part {
  const LossLaw* law = nullptr;
  double count = 0;
  std::vector<SketchPoint> sketch;
};

// Of the composed loss: K(lambda) = ln E e^{lambda L}, its mean and variance under the tilted law.
struct Cumulants {
  double log_moment = 0, mean = 0, variance = 0;
};
Cumulants cumulants(std::span<const Part> parts, double lambda);

// The tilt at which the composed loss at level delta (or at epsilon) is typical.
double tilt_for_delta(std::span<const Part> parts, double delta);
double tilt_for_epsilon(std::span<const Part> parts, double epsilon);

// The losses that a cyclic convolution has to see: from below epsilon up to where the tilted law ends, by
// Chernoff's bound at lambda + upper_tilt; and wide enough that what lies below, and appears at the top, does
// not matter there: because of the tilt, or because little lies below, by Chernoff's bound at lambda −
// lower_tilt.
struct Window {
  double low = 0, width = 0, lower_tilt = 0, upper_tilt = 0;
};

// What a computation is to resolve: the composed loss tilted by `lambda`, near `epsilon`, at which delta is
// about e^{log_delta}. `log_signal` is how large delta appears among the tilted mass; `slope` about how fast
// ln delta falls.
struct Aim {
  double lambda = 0, epsilon = 0, log_delta = 0, log_signal = 0, slope = 0;
  bool extended = false;  // whether the signal is so small that the transform needs extended precision
  Window window{};        // made once: finding its ends takes longer than what follows
};
Aim aim_with(std::span<const Part> parts, double lambda, double epsilon, double log_delta);

}  // namespace tacit::inline v1::pld
