#pragma once

#include <cstddef>

#include "tacit/core.hpp"
#include "tacit/meter.hpp"

// From how near a chain is in total variation to how near it is surely, on a ball of radius B in ℝᵈ. All in
// logarithms: the numbers are far below what a double holds. Proofs: docs/asap_mala.md.

namespace tacit::inline v1::sampler {

TACIT_API double log_ball_volume(std::size_t dimension, double radius);

// How much γJ varies over the ball: J is Lipschitz, or smooth with gradient norm `gradient` somewhere in the
// ball. All numbers are γJ's. [Lin24, Cor. 20]
TACIT_API double lipschitz_range(double lipschitz, double radius);
TACIT_API double smooth_range(double gradient, double smoothness, double radius);

// ln of a lower bound on the density ∝ e^{−γJ} on the ball, when γJ varies by `range`. [Lin24, Lemma 9]
TACIT_API double log_density_floor(std::size_t dimension, double radius, double range);

// ln ξ such that a law within ξ (total variation) of one with this density floor is within `distance` of it
// in W∞, measured in this norm (l1 or l2). [Lin24, Lemma 8]
TACIT_API double log_total_variation(double log_density_floor, std::size_t dimension, double distance,
                                     Norm norm);

// ln of a lower bound on the mass of the ball under the density ∝ e^{−γJ} on all of ℝᵈ, wherever its mode
// lies: γJ is strength-strongly convex, with gradients ≤ lipschitz on the ball.
// [ours, docs/asap_mala.md, "Restarts"]
TACIT_API double log_mass_floor(std::size_t dimension, double radius, double lipschitz, double strength);

// A chain's step size h and number of steps. Steps are a double: they can be astronomically many.
struct Mixing {
  double step_size = 0, steps = 0;
};
// Of MALA on a density with this smoothness and strong convexity, from a β₀-warm start to ξ in total
// variation; log_ratio = ln(β₀/ξ). The theorem's constants are taken to be 1. [Lin24, Thm 1]
TACIT_API Mixing mixing(double smoothness, double strength, std::size_t dimension, double log_ratio);
// The same, with the step size of the log_ratio that so many steps are good for.
TACIT_API Mixing mixing_within(double smoothness, double strength, std::size_t dimension, double steps);

}  // namespace tacit::inline v1::sampler
