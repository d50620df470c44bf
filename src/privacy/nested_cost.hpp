#pragma once

#include <cstdint>

#include "tacit/core.hpp"
#include "tacit/guarantee.hpp"
#include "tacit/meter.hpp"

// What steps within steps cost (the rules and their theorems: tacit/meter.hpp).

namespace tacit::inline v1 {

// Whether whatever the first costs, the second costs at least as much: of one kind, number by number; any
// pure cost is within a larger one.
TACIT_API bool within(const Event& event, const Event& limit);

// Throws BudgetError unless the event of the step, and of every step within it, covers its inner steps by its
// rule; UsageError where the rule has no theorem for this relation.
TACIT_API void require_covered(const Step& step, Neighbours neighbours);

// What a step that is (ε,δ)-DP on a sample of this share of the units costs [tacit/meter.hpp, Sampled].
TACIT_API ApproxEvent amplified(const Approx& step, double rate);

// (ε',δ') for each record such that `records` of them together have (ε,δ), rounded down [tacit/meter.hpp,
// Group]. Throws InfeasibleError where δ' is below the least normal double.
TACIT_API Approx item_target(const Approx& user, std::uint64_t records);

}  // namespace tacit::inline v1
