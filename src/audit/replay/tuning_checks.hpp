#pragma once

#include <vector>

#include "tacit/audit.hpp"

namespace tacit::inline v1::audit {

// What the proof of `tuned` bounds [docs/tuned.md]: a run costs at most half of epsilon, and choosing the
// best of K runs adds at most the cost of a run again, for the law that K is drawn from.
std::vector<Check> tuning_checks(const Replayed& replayed);

}  // namespace tacit::inline v1::audit
