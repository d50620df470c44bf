#pragma once

#include "solver/limited_objective.hpp"
#include "tacit/core.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::sampler {

// The density p(θ) ∝ exp(−γ Σ φᵢ(⟨aᵢ,θ⟩) − (ρ/2)‖θ‖²) on the ball ‖θ − center‖ ≤ radius, φᵢ the limited
// losses, of K−1 scores each for softmax. Every number is a double and is meant exactly: p is a density over
// the reals.
struct Target {
  const Problem* problem = nullptr;  // a Link or Softmax loss; must outlive what is made of it
  LossLimits limits;
  double inverse_temperature = 1;  // γ > 0
  double strength = 1;             // ρ > 0
  Vector center;
  double radius = 0;  // > 0; infinity: the whole space
};

}  // namespace tacit::inline v1::sampler
