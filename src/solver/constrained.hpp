#pragma once

// Certified minimisers over a ball or box W of a strongly convex, smooth mean whose gradients are known up to
// a public error. docs/double_output.md, "Record by record", has the proofs.

#include <functional>

#include "solver/extended_objective.hpp"
#include "solver/penalty.hpp"
#include "tacit/core.hpp"
#include "tacit/domain.hpp"

namespace tacit::inline v1 {

// F as it is known in public.
struct ConstrainedSetting {
  Domain domain;         // W
  double strength = 1;   // λ: F is λ-strongly convex
  double curvature = 1;  // Q: F less its regulariser is Q-smooth on all of ℝᵈ
  double pull = 1;       // C: F less its regulariser (λ/2)‖w − w₀‖², w₀ in W, is C-Lipschitz
  double lipschitz = 1;  // of F on W
  GradientCut error;     // of a computed gradient
  double residual = 0;   // what may be left of the projected gradient
  Penalty penalty = {};  // a public part of F, whose sizes the others do not count
};

// How far the point that minimise_constrained() returns may be from the minimiser, from public values alone.
TACIT_API double constrained_distance(const ConstrainedSetting& setting);

struct ConstrainedOracle {
  std::function<void(const Vector& w, Vector& gradient)> gradient;  // of F less its penalty, w in W
  std::function<void(double curvature)> round_off;                  // F with another Q; may be empty
};

struct ConstrainedOptions {
  int passes = 200000;  // of the fast method, after which the provable one takes over; ≥ 0
};

// A point of W surely within constrained_distance() of the minimiser of F over W, which is within C/λ of w₀:
// where that is less than a solver can promise, w₀ itself. Else accelerated projected
// gradients, with kinks that are sharpened in stages; should they not reach the distance, projected
// gradients, which provably do. Never fails.
struct Constrained {
  Vector point;
  // Work done: depends on the data, so it never leaves with a release.
  int passes = 0;
  bool fell_back = false;
};
TACIT_API Constrained minimise_constrained(const ConstrainedSetting& setting, const ConstrainedOracle& oracle,
                                           const Vector& center, const ConstrainedOptions& options = {});

}  // namespace tacit::inline v1
