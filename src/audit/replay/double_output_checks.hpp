#pragma once

#include <vector>

#include "tacit/audit.hpp"

namespace tacit::inline v1::audit {

// Whether `double-output` minimises over the ball that its first release chose: with the oracles `structured`
// and `subgradient`.
bool extends_the_loss(const Facts& options);

// The second release of such a run, compared at one ball for both neighbours: around what the first run
// opened.
std::vector<Check> double_output_checks(const Replayed& replayed);

}  // namespace tacit::inline v1::audit
