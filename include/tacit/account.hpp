#pragma once

// Layer: privacy.
//
// What events cost together.
//
//     tacit::Guarantee total = tacit::compose(events, tacit::Approx{.epsilon = 0, .delta = 1e-6});

#include <cstdint>
#include <span>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/guarantee.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1 {

// What all the events together give, in the notion of `target` (for Approx: the epsilon at target's delta;
// for Renyi: at target's orders). Sequential composition; never below the truth, rounding included. Throws
// UsageError when an event has no guarantee in that notion.
TACIT_API Guarantee compose(std::span<const Event> events, const Guarantee& target);

// The same for parts of the data that no unit shares: the maximum over the parts, as a neighbour changes one
// part only. The caller must have made that true. Under replace_one the assignment of units to parts must be
// independent of their values (a secret random permutation of the units: file order does not do, nor does
// assignment by value, where two parts change); under add_remove it is an independent coin per unit.
TACIT_API Guarantee compose_parallel(std::span<const std::vector<Event>> parts, const Guarantee& target);

// Whether a dataset protected by `spent` is at least as protected as `limit` says; both of one notion.
TACIT_API bool fits(const Guarantee& spent, const Guarantee& limit);

// The true epsilon at a delta lies between the two; the upper one is what is charged. Where no epsilon is
// enough (delta is spent on failures alone) both are infinite.
struct Bracket {
  double epsilon_lower = 0, epsilon_upper = 0;
};
struct DeltaBracket {
  double delta_lower = 0, delta_upper = 0;
};

// By privacy-loss distributions [docs/accounting.md]. 0 < delta < 1; delta = 0 only where every event is
// pure. For an event that names a family (pure, (eps, delta), bounded range) the truth is that of its worst
// member; of an isotropic Laplace in more than one dimension only the epsilon is used, so the lower end is
// loose.
TACIT_API Bracket account(std::span<const Event> events, double delta);
TACIT_API DeltaBracket account_delta(std::span<const Event> events, double epsilon);  // epsilon >= 0

// DP-SGD: `steps` Poisson-sampled steps. Under replace_one with a rate of 1 it is the bracket of half of the
// noise; below, the upper end is converted from zero_out (2 eps, (1+e^eps) delta) and the lower end is that
// of zero_out, which is a special case: the bracket is wide there.
TACIT_API Bracket account_poisson_gaussian(double noise_multiplier, double rate, std::int64_t steps,
                                           double delta, Neighbours relation = Neighbours::zero_out);

}  // namespace tacit::inline v1
