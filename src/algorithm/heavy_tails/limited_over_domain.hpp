#pragma once

// The minimiser of the limited loss over a ball or box W: inside of W, not projected onto it afterwards.

#include "algorithm/heavy_tails/options.hpp"
#include "solver/constrained.hpp"

namespace tacit::inline v1::heavy_tails {

// What the solver may leave, and the distance that it surely reaches, for any center w₀ in W. Throws
// InfeasibleError where doubles are too coarse for it.
struct DomainPlan {
  ConstrainedSetting solver;
  double distance = 0;
};
DomainPlan plan_over_domain(const Shape& shape, const LossLimits& limits, double regularisation,
                            const Options& options, const Domain& domain);

// A pull back into the W that the options state, where that is no ball or box: so strong that a point outside
// of W costs the most that F could win there, D/128 away [heuristic: utility only].
Penalty penalty_for(const Shape& shape, const Options& options, double lipschitz, double diameter);

// A point of W within that distance of argmin over W of (1/n) Σ φᵢ(⟨aᵢ,w⟩) + (λ/2)‖w − center‖².
Vector solve_over_domain(const Problem& problem, const Shape& shape, const LossLimits& limits,
                         const Options& options, const DomainPlan& plan, const Vector& center);

}  // namespace tacit::inline v1::heavy_tails
