#pragma once

#include "tacit/core.hpp"
#include "tacit/domain.hpp"

namespace tacit::inline v1 {

// The ξ-inexact projection of x onto W ∩ B(w₀, r) [Lowy26, Lemma 2.8]: a point of the intersection within
// `distance` ≤ xi of the true projection, rounding included. It uses projections onto W only.
// Needs w₀ ∈ W (UsageError otherwise). Throws InfeasibleError when double arithmetic cannot certify xi.
TACIT_API Projection project_intersection(const Projector& domain, const Ball& ball, const Vector& x,
                                          double xi);
TACIT_API Projection project_intersection(const Domain& domain, const Ball& ball, const Vector& x, double xi);

}  // namespace tacit::inline v1
