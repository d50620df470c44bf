#pragma once

#include <vector>

#include "tacit/audit.hpp"

namespace tacit::inline v1::audit {

// What the proof of `asap-mala` bounds [docs/asap_mala.md, "Proof"] beyond posterior_checks(): the noise goes
// onto the sample that was charged, and γJ is nowhere on the ball steeper than the number of steps reckons
// with. How near a chain comes to its target is assumed.
std::vector<Check> asap_checks(const Replayed& replayed);

// The chain of the first run, beside exact samples of the same target.
std::vector<Diagnostic> asap_diagnostics(const Replayed& replayed, BitSource& bits);

// Trials of the exact sampler on the target of the first run.
std::vector<Diagnostic> exact_diagnostics(const Replayed& replayed, BitSource& bits);

}  // namespace tacit::inline v1::audit
