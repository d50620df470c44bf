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
                            double label_bound, const Domain& domain);

// A point of W within that distance of argmin over W of (1/n) Σ φᵢ(⟨aᵢ,w⟩) + (λ/2)‖w − center‖².
Vector solve_over_domain(const Problem& problem, const Shape& shape, const LossLimits& limits,
                         const Options& options, const DomainPlan& plan, const Vector& center);

}  // namespace tacit::inline v1::heavy_tails
