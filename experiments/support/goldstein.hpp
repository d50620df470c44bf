#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "tacit/core.hpp"

// How stationary a point of a function without smoothness or convexity is: the least norm in Goldstein's
// subdifferential ∂_α f(x) = conv{∇f(y) : ‖y − x‖ ≤ α} [Goldstein 1977]. Not private: for tests and
// experiments.

namespace tacit::inline v1::audit {

// The point nearest to 0 in the convex hull of the columns.
struct MinNormPoint {
  Vector point;
  Vector weights;          // convex: point = columns·weights
  double lower_bound = 0;  // no point of the hull has a smaller norm, up to rounding
};
// Wolfe's algorithm [Wolfe 1976]: finite, and stopped when ‖point‖² − min_j ⟨point, g_j⟩ ≤ 1e-10·max‖g‖². At
// least one column.
TACIT_API MinNormPoint min_norm_point(const Matrix& columns);

struct GoldsteinOptions {
  std::size_t samples = 1000;  // gradients, ≥ 1: half uniform in the ball, half where the norm can still fall
  std::uint64_t seed = 1;      // of the points
};

struct GoldsteinNorm {
  double upper_bound = 0;  // of the least norm: that of a convex combination of gradients in the ball
  double hull = 0;         // no combination of the gradients that were sampled has a smaller norm
  std::size_t samples = 0;
};

// `gradient(y, g)` writes ∇f(y), which exists almost everywhere for a Lipschitz f.
using GradientField = std::function<void(const Vector& y, Vector& g)>;
TACIT_API GoldsteinNorm goldstein_norm(const GradientField& gradient, const Vector& x, double radius,
                                       const GoldsteinOptions& options = {});

}  // namespace tacit::inline v1::audit
