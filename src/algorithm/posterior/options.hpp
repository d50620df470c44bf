#pragma once

#include <cstddef>

#include "algorithm/heavy_tails/options.hpp"
#include "tacit/guarantee.hpp"

namespace tacit::inline v1::posterior {

// What both samplers are told.
struct TACIT_API SamplingOptions {
  // Limits, regularisation α, radius, bounds and threads; its epsilon is not used.
  heavy_tails::Options limits;
  Guarantee budget = Pure{1};  // Pure or Gaussian, the whole budget
  std::size_t samples = 1;     // K, 1 … 10000: they share the budget
  double coverage = 0.99;  // the ball around θ₀ is made for the minimiser to lie in it this often; (0,1)
};

}  // namespace tacit::inline v1::posterior
