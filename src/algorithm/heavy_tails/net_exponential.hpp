#pragma once

// The exponential mechanism with the clipped projected-gradient score on a net [Lowy26, App. E, Alg. 5;
// docs/net_exponential.md].
//
// Solves      min over ‖w − c‖ ≤ r of (1/n) Σ φ(⟨aᵢ,w⟩) + (λ/2)‖w − c‖², for few parameters.
// Assumes     nothing about the data.
// Guarantees  pure ε-DP for one record that is there or null, or that is replaced: a choice among public
//             points, exactly by their weights.

#include <optional>
#include <vector>

#include "algorithm/heavy_tails/options.hpp"
#include "tacit/meter.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::heavy_tails {

// Every number of a run, from public values alone.
struct NetPlan {
  LossLimits limits;
  double regularisation = 0;    // λ
  double smoothing_radius = 0;  // ρ; 0: curvature is limited to Q instead
  double step = 0;              // γ = 1/(λ + H), H = Q or C·√p/ρ
  double radius = 0;            // r
  double spacing = 0;           // a power of two: the net is c and its multiples in the ball
  double grid = 0;              // of c, and so of all points; 0 for c = 0
  double range = 0;             // of the scores
  Step choice;
};
// c = 0, r = R. Throws InfeasibleError, with the numbers, where so few points an axis are left that the net
// means nothing.
TACIT_API NetPlan plan_net_exponential(const Shape& shape, const Options& options);
// Around any center of norm ≤ center_bound, r = min(C/λ, R): no minimiser is further than C/λ from its
// center.
TACIT_API NetPlan plan_net_around(const Shape& shape, const Options& options, double center_bound);
// Whether doubles near such centers are fine enough for its points.
TACIT_API bool representable(const NetPlan& plan, double center_bound);
// What the certificate of such a run states.
TACIT_API const OptionTable<Options>& net_exponential_table();
TACIT_API Facts certified_options(const NetPlan& plan, Options options);

// The multiples of `spacing` in the ball of this radius around 0, in a fixed order.
TACIT_API std::vector<Vector> net_points(std::size_t dimension, double spacing, double radius);

// For a plan that is representable().
TACIT_API Released<Vector> net_exponential_around(const Vector& center, double center_bound,
                                                  const Problem& problem, const Options& options,
                                                  Meter& meter);

TACIT_API Release net_exponential(const Problem& problem, const Options& options, Meter& meter);

}  // namespace tacit::inline v1::heavy_tails
