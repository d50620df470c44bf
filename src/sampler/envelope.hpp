#pragma once

#include "sampler/record_sums.hpp"
#include "sampler/shells.hpp"
#include "sampler/target.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::sampler {

// A proposal that covers the target: θ = mode + transform·v, v from one of the shells. With
//   F(θ) = γΣφ + (ρ/2)‖θ‖² + (pull/2)‖θ − center‖²
// every θ = mode + transform·v whose vᵀBv lies in a shell has F(θ) − F(mode) ≥ floor + ½Σ(v_k/deviation_k)².
struct Envelope {
  double pull = 0;  // κ ≥ 0
  Vector mode;
  Matrix transform;
  EnvelopeConstants constants;  // B among them
  Shells shells;
  // ln of the proposal's mass over the target's e^{−γJ}, up to a constant that is the same for every envelope
  // of one target: less is better.
  double log_cost = 0;
};

// The envelope of the least cost that a short search finds. Any search gives a valid one.
Envelope find_envelope(const Target& target, RecordSums& records, unsigned threads);

// γΣ(φᵢ(s) − φᵢ(0)) + (ρ/2)‖θ‖² at θ, and a bound on its error when the true point is within `distance` of θ.
struct Energy {
  double value = 0, error = 0;
};
Energy energy(const Target& target, RecordSums& records, const Vector& theta, double distance);

// A bound on |computed ⟨a,θ⟩ − ⟨a,θ⟩| over ‖a‖‖θ‖.
double score_rounding(std::size_t features);

}  // namespace tacit::inline v1::sampler
