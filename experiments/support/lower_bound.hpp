#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/guarantee.hpp"

// The data on which no private algorithm does better than φ^{1−1/k} [Das23, Thm 6.6/L.1 and I.3]: almost all
// records are 0, a few are p^{−1/k}·v for a hidden direction v. The k-th moment of ‖x‖ is bounded, the
// records are not. For experiments: made with ordinary pseudo-random numbers, nothing private.

namespace tacit::inline v1::clipping {

// `count` vectors of {0,1}^d with d/2 ones each, any two of which differ in at least d/8 places: the
// directions among which the proof hides one. d even, ≥ 8. InfeasibleError when random search does not find
// that many.
TACIT_API std::vector<Vector> hard_directions(std::size_t dimension, std::size_t count,
                                              std::mt19937_64& random);

// p = 2√(d·log(1/δ))/(nε), the share of records that are not 0. InfeasibleError unless it is < 1/2.
TACIT_API double hard_share(std::size_t records, std::size_t dimension, const Approx& target);

// A dataset of the proof: record i is `magnitude`·v when active[i], and 0 otherwise.
struct TACIT_API HardInstance {
  Vector direction;          // v
  double magnitude = 0;      // p^{−1/k}
  std::vector<bool> active;  // one per record, each true with probability p

  // E[G^k]^{1/k}: 3‖v‖ without constraint, ‖v‖ over the unit ball.
  double unconstrained_moment() const { return 3 * direction.norm(); }
  double constrained_moment() const { return direction.norm(); }
  Vector mean() const;  // x̄

  // Without constraint [Thm 6.6]: ℓ(w,x) = −⟨w,x⟩ + 2‖x‖·max(‖w‖ − 1, 0), minimised at x̄/‖x̄‖ (anywhere when
  // x̄ = 0). A subgradient where ‖w‖ = 1.
  Vector gradient(std::size_t record, const Vector& w) const;
  // f(w) − min f: ‖x̄‖·(1 − ⟨w, x̄/‖x̄‖⟩ + 2·max(‖w‖ − 1, 0)). For w in the unit ball this is also the excess
  // risk of the constrained problem [Thm I.3], ℓ(w,x) = −⟨w,x⟩ over the unit ball.
  double excess_risk(const Vector& w) const;
};

// moment_order k > 1.
TACIT_API HardInstance hard_instance(std::size_t records, const Vector& direction, double moment_order,
                                     const Approx& target, std::mt19937_64& random);

}  // namespace tacit::inline v1::clipping
