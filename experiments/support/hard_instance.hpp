#pragma once

// The hard instances behind the lower bounds of [Lowy26, App. G]: linear losses f(w, z) = ⟨z, w⟩ over the
// ball of diameter D around 0, with known minimisers. docs/heavy_tails.md, "Hard instances", has the
// constants.

#include <cstdint>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/data.hpp"

namespace tacit::inline v1::heavy_tails {

// z = `far` with probability `rate`, else `near`.
struct HardInstance {
  Vector near, far;
  double rate = 0;
  double diameter = 1;

  Vector mean() const { return (1 - rate) * near + rate * far; }
  Vector minimiser() const { return -0.5 * diameter * mean().normalized(); }
  double least_risk() const { return -0.5 * diameter * mean().norm(); }
  double excess_risk(const Vector& w) const { return mean().dot(w) - least_risk(); }
};

struct HardOptions {
  std::size_t records = 1000;  // n
  double epsilon = 1;          // 0 … 1
  double failure = 0.25;       // ζ, 0 … 1/4: a bound holds with at least this probability
  double moment = 1;           // G_k (G₂ for two points)
  double order = 2;            // k ≥ 2
  double diameter = 2;         // D
  void validate() const;
};

// (1−p)δ₀ + pδ_{aν} with p = min(1, ln((|V|−1)/(4eζ))/(nε)), |V| = 2^d, a = G_k·p^{−1/k}, ν a unit vector
// [Prop. G.4]: E‖z‖^k = G_k^k. Needs 2^d − 1 > 4eζ.
TACIT_API HardInstance packing_instance(const Vector& direction, const HardOptions& options);

// ±G₂·e₁ with probabilities (1 ± ρ)/2, ρ = min(½, √(ln(1/(4ζ(1−ζ)))/(4n))) [Prop. G.2]. Needs ζ < ½.
TACIT_API HardInstance two_point_instance(std::size_t dimension, const HardOptions& options);

// The packing in the first d coordinates u of w = (u, s), and in its last one what everybody can learn: the
// records that are 0 in the packing have the loss G|s − s₀| instead, over ‖w‖ ≤ √(D²/4 + s₀²). The lower
// bound is the packing's, and w = 0 has an excess risk above (1 − p)G·s₀, whatever n is
// [docs/heavy_tails.md].
struct ShiftedInstance {
  HardInstance packing;
  double weight = 1;  // G
  double place = 1;   // s₀ > 0

  double radius() const;  // of W
  Vector minimiser() const;
  double excess_risk(const Vector& w) const;
};
// G = G_k, so that E‖∇f‖^k ≤ 2G_k^k, and s₀ = D/2. UsageError unless ‖μ‖ ≤ (1 − p)G, which makes s = s₀
// best.
TACIT_API ShiftedInstance shifted_instance(const Vector& direction, const HardOptions& options);

// What every ε-DP algorithm exceeds with probability ≥ ζ on some member of the packing family: D·‖μ‖/128.
TACIT_API double packing_lower_bound(std::size_t dimension, const HardOptions& options);

// n records of the instance as a linear model whose absolute loss |⟨z,w⟩ − y| is ⟨z,w⟩ + constant on the
// ball: y lies far below every score. The intercept must be 0.
TACIT_API Dataset sample(const HardInstance& instance, std::size_t records, std::uint64_t seed);
TACIT_API Dataset sample(const ShiftedInstance& instance, std::size_t records, std::uint64_t seed);

}  // namespace tacit::inline v1::heavy_tails
