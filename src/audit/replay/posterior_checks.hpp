#pragma once

#include <vector>

#include "tacit/audit.hpp"

namespace tacit::inline v1::audit {

// What the proof of `posterior-exact` bounds [docs/posterior_exact.md, "Proof"]: with h = γ(Σφ − Σφ′), the
// log-densities of neighbours differ by h and a constant. On a ball h has range ≤ the step's epsilon; for
// Gaussian DP ‖∇h‖/√ρ ≤ the step's mu. And every sample lies in its ball.
std::vector<Check> posterior_checks(const Replayed& replayed);

}  // namespace tacit::inline v1::audit
