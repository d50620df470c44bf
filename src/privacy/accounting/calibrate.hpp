#pragma once

#include <cstdint>
#include <span>

#include "tacit/core.hpp"
#include "tacit/guarantee.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1 {

// The least noise multiplier with which `steps` steps, each unit joining with probability `rate` (1:
// everyone, every time), keep `target`: Approx, Gaussian or Zcdp. For Approx the epsilon that
// account_poisson_gaussian gives for it is at most the target's and at least 0.999 of it. Gaussian and Zcdp
// gain nothing from sampling.
TACIT_API double calibrate_noise(const Guarantee& target, double rate, std::int64_t steps,
                                 Neighbours relation = Neighbours::zero_out);

// The same for steps that share an Approx target with `others`, which are accounted together with them. For
// zero_out and add_remove. UsageError when the others leave nothing.
TACIT_API double calibrate_noise_beside(std::span<const Event> others, const Approx& target, double rate,
                                        std::int64_t steps);

// The largest mu that is (epsilon, delta)-DP, up to relative 1e-9 from below.
TACIT_API double calibrate_gaussian(const Approx& target);

// The largest mu with which this Gaussian objective perturbation (its own mu is not read) keeps the target
// beside `others`: the epsilon is at most the target's and at least 0.999 of it. UsageError when the others
// and the Jacobian's term leave nothing.
TACIT_API double calibrate_objective(GaussianObjectiveEvent event, std::span<const Event> others,
                                     const Approx& target);

}  // namespace tacit::inline v1
