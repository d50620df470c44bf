#pragma once

// A public, smooth, convex pull back into a polytope or ellipsoid, for problems that are solved over a ball
// around it: projections onto these sets are certified only once they are made, so that no plan could state
// their error. A function of public values alone moves no minimiser apart (docs/double_output.md, "Polytopes
// and ellipsoids").

#include "tacit/core.hpp"
#include "tacit/domain.hpp"

namespace tacit::inline v1 {

// Ψ on the ball of radius `radius` around 0:
//   polytope   (M/2) Σ ((⟨aⱼ,w⟩ − bⱼ)₊/‖aⱼ‖)²
//   ellipsoid  (M/2) (√q − 1)₊²/‖P‖_F,  q = (w − c)ᵀP(w − c)
// 0 exactly on the set, and nothing for other domains.
class TACIT_API Penalty {
 public:
  Penalty() = default;
  Penalty(const Domain& domain, double strength, double radius);

  void add_gradient(const Vector& w, Vector& gradient) const;
  double lipschitz() const { return lipschitz_; }    // on the ball
  double smoothness() const { return smoothness_; }  // on ℝᵈ
  double error() const { return error_; }            // of a computed gradient, on the ball

 private:
  Domain domain_;
  double strength_ = 0, lipschitz_ = 0, smoothness_ = 0, error_ = 0;
  Vector norms_;  // of a polytope's rows
};

}  // namespace tacit::inline v1
