#pragma once

#include <vector>

#include "tacit/core.hpp"

// The Jensen shell envelope [docs/posterior_exact.md, "The envelope"]: in whitened coordinates v the negative
// log-density rises by at least constant + ½Σ(q − B_k)v_k² + ψ(√(vᵀBv)), with
//   ψ(0) = ψ'(0) = 0,   ψ''(r) = max(0, e^{−βr} − k²r², e^{−σr−β²r²/4} − l²r²).

namespace tacit::inline v1::sampler {

struct EnvelopeConstants {
  double beta = 0, sigma = 0, kink = 0, tilted_kink = 0;  // β, σ, k, l
  double quadratic = 1;                                   // q, 0 < q ≤ 1
  double constant = 0;                                    // ≤ 0
  Vector b;                                               // B's diagonal, 0 < B_k < q
};

// One Gaussian of the proposal: N(0, diag(deviation²)), kept where inner ≤ vᵀBv < outer. There the rise is at
// least floor + ½Σ(v_k/deviation_k)².
struct Shell {
  double inner = 0, outer = 0;
  double floor = 0;
  Vector deviation;
};

struct Shells {
  std::vector<Shell> shells;
  double log_mass = 0;  // ln Σ e^{−floor}·∏deviation: what an envelope costs
};

// ψ''(r), less `bend_rounding` for what rounding may add: never above the real one.
inline constexpr double bend_rounding = 0x1p-49;
double bend_below(const EnvelopeConstants& constants, double r);

// The cheapest shells with edges among a few radii.
Shells make_shells(const EnvelopeConstants& constants);

}  // namespace tacit::inline v1::sampler
