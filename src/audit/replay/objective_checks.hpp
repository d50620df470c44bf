#pragma once

#include <vector>

#include "solver/limited_objective.hpp"
#include "tacit/audit.hpp"

namespace tacit::inline v1::audit {

// What the proof of `limited-objective` bounds [docs/limited_objective.md, "Proof"; docs/shaped_noise.md]: at
// one output w, the two b's that lead to it are within the sensitivity, the Jacobians within
// rank·ln(1 + Q/(nλ)), and the log-densities within the step's epsilon; and what the noise cover is given
// lies within the public distance of the ideal sample.
std::vector<Check> objective_checks(const Replayed& replayed);

// One of them: at each output the gradients of two neighbours differ by a vector of the plane of the full
// blocks, up to rounding. There are two full blocks or more.
Check plane_check(const FeatureBlocks& blocks, LimitedObjective& first, LimitedObjective& second,
                  const std::vector<Vector>& outputs);

}  // namespace tacit::inline v1::audit
