#pragma once

#include <cstdint>

#include "tacit/core.hpp"
#include "tacit/guarantee.hpp"

namespace tacit::inline v1 {

// Two kinds of sampled Gaussian steps in one run, each unit joining with probability `rate`.
struct SampledPair {
  double rate = 1;
  std::int64_t first = 1, second = 1;  // steps of each kind, >= 1
  double ratio = 1;                    // the second kind's noise multiplier over that of the first, > 0
};
// The least noise multiplier of the first kind with which all steps keep the target under zero_out or
// add_remove: the epsilon of both events together is at most the target's and at least 0.999 of it.
TACIT_API double calibrate_noise_pair(const Approx& target, const SampledPair& steps);

}  // namespace tacit::inline v1
