#pragma once

#include "solver/limited_objective.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

// A point that is surely within `distance` of the exact minimiser, the rounding of evaluating the residual
// included.
struct Certified {
  Vector point;
  double distance = 0;
  // Work done: depends on the data, so it never leaves with a release.
  int newton_steps = 0;
  bool fell_back = false;
};

// A bound, from public values alone, on what minimise() returns: surely
// distance ≤ constant + per_distance·‖point − center‖.
TACIT_API GradientError solver_distance(const GradientError& error, double strength);

struct SolverOptions {
  int newton_steps = 200;  // after which the provable method takes over; ≥ 0
  // > 0: stop where ‖∇F‖ is this much smaller than at the start, without a certificate (no privacy promised).
  double relative_tolerance = 0;
};

// The minimiser of F, which is strength-strongly convex: ‖w − w*‖ ≤ ‖∇F(w)‖/strength. Newton's method; should
// it not reach the public cap (it has in every trial), gradient descent, which provably does. Never fails.
TACIT_API Certified minimise(LimitedObjective& objective, const SolverOptions& options);

}  // namespace tacit::inline v1
