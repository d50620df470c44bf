#pragma once

#include <span>

#include "tacit/core/api.hpp"
#include "tacit/privacy/event.hpp"
#include "tacit/privacy/guarantee.hpp"

namespace tacit::inline v1 {

// What all the events together give, in the notion of `target` (for Approx: the epsilon at target's delta; for
// Renyi: at target's orders). Sequential composition; never below the truth, rounding included. Throws
// UsageError when an event has no guarantee in that notion.
TACIT_API Guarantee compose(std::span<const Event> events, const Guarantee& target);

// Whether a dataset protected by `spent` is at least as protected as `limit` says; both of one notion.
TACIT_API bool fits(const Guarantee& spent, const Guarantee& limit);

}  // namespace tacit::inline v1
