#pragma once

// The exponential mechanism with the clipped projected-gradient score on a net [Lowy26, App. E, Alg. 5;
// docs/net_exponential.md].
//
// Solves      min over ‖w‖ ≤ R of (1/n) Σ φ(⟨aᵢ,w⟩) + (λ/2)‖w‖², for few parameters.
// Assumes     nothing about the data.
// Guarantees  pure ε-DP for one replaced record: a choice among public points, exactly by their weights.

#include <optional>
#include <vector>

#include "algorithm/heavy_tails/options.hpp"
#include "tacit/meter.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::heavy_tails {

// How kinks are smoothed for the score: rounded off within the limit on curvature, or by convolution with a
// ball [Lowy26, App. E.2], for absolute, pinball and hinge.
enum class Smoothing { curvature, ball };
TACIT_API std::string_view name(Smoothing smoothing);

struct TACIT_API NetOptions {
  Options common;
  std::size_t points = 4096;  // 3 … 2²²: at most this many in the cube around the net
  Smoothing smoothing = Smoothing::curvature;
  std::optional<double> smoothing_radius;  // ρ of the ball, 2^−100 … 2^100; absent: the net's spacing

  static const OptionTable<NetOptions>& table();
  void validate() const;
  static NetOptions from(const Facts& facts) { return table().read(facts); }
};

// Every number of a run, from public values alone.
struct NetPlan {
  LossLimits limits;
  double regularisation = 0;    // λ
  double smoothing_radius = 0;  // ρ; 0: curvature is limited to Q instead
  double step = 0;              // γ = 1/(λ + H), H = Q or C·√p/ρ
  double spacing = 0;           // a power of two: the net is its multiples in the ball
  double range = 0;             // of the scores
  Step choice;
};
// Throws InfeasibleError, with the numbers, where so few points an axis are left that the net means nothing.
TACIT_API NetPlan plan_net_exponential(const Shape& shape, const NetOptions& options);
// What the certificate of such a run states.
TACIT_API Facts certified_options(const NetPlan& plan, NetOptions options);

// The multiples of `spacing` in the ball of this radius around 0, in a fixed order.
TACIT_API std::vector<Vector> net_points(std::size_t dimension, double spacing, double radius);

TACIT_API Release net_exponential(const Problem& problem, const NetOptions& options, Meter& meter);

}  // namespace tacit::inline v1::heavy_tails
