#pragma once

#include <cstdint>
#include <string_view>

#include "tacit/core.hpp"
#include "tacit/guarantee.hpp"

// Steps, clip norm and learning rate that the theorems of [Das23] prescribe, with explicit constants and the
// noise that is really added. They rest on guesses about the data (a moment, a distance): a wrong guess costs
// accuracy, never privacy.

namespace tacit::inline v1::clipping {

enum class Theorem {
  interpolation,  // Thm 5.4: convex, every record nearly fitted at the optimum
  constrained,    // Thm I.1: convex over a bounded set, G has k moments
  unconstrained,  // Thm 6.2/J.1: convex, G has k moments
  growth,         // Thm 6.5/K.1: convex and growing away from the optimum (Asm. 6.4), G has k moments
  nonconvex,      // Thm 6.8: smooth, G has k moments
};

TACIT_API std::string_view name(Theorem theorem);
TACIT_API Theorem parse_theorem(std::string_view name);  // UsageError lists the names

// What is public of a run: the guarantee to keep, and shapes.
struct RunShape {
  Approx target;                        // of the whole run
  std::size_t records = 0;              // n ≥ 1
  std::size_t parameters = 0;           // d ≥ 1
  double batch = 500;                   // b, expected; 1 ≤ b ≤ n
  std::int64_t most_steps = 1'000'000;  // ≥ 1: fewer than the theorem's T when that is more
};

// What the theorems are told of the data, as guesses.
struct Guesses {
  double moment_order = 2;   // k > 1: E[G^k]^{1/k} ≤ moment. `interpolation` does not use it
  double moment = 1;         // > 0. For `interpolation`: the clip norm itself, at most the least G
  double failure = 0.25;     // γ in (0,1): chance of an unlucky dataset. `growth` has 1/4, whatever this is
  double distance = 1;       // ‖w₀ − w*‖ > 0; for `constrained` the diameter of the set
  double growth_radius = 1;  // D ≥ 0 of Asm. 6.4; `growth` only
  double smoothness = 1;     // L > 0; `nonconvex` only
  double initial_gap = 1;    // f(w₀) − inf f > 0; `nonconvex` only
};

struct Schedule {
  std::int64_t steps = 0;       // T
  double noise_multiplier = 0;  // z: with it the target is kept
  double noise_cost = 0;        // φ = √d·z/(b√T)
  double clip_norm = 0;         // τ
  double learning_rate = 0;     // η
  double step_length = 0;       // η·τ: how far a step moves the parameters at most, noise apart
  double risk_bound = 0;  // what the theorem promises (E‖∇f‖² for `nonconvex`, the excess risk else);
                          // for `interpolation` where every record is fitted and has G = τ
};

// τ, η and the bound of the theorem for T steps with the noise multiplier z.
TACIT_API Schedule schedule_at(Theorem theorem, const RunShape& shape, const Guesses& guesses,
                               std::int64_t steps, double noise_multiplier);

// T, τ and η of the theorem. T solves T = 1/(cφ²), where φ itself depends on T through the noise: c = 3 for
// `interpolation`, 1 for the others. InfeasibleError when even one step has φ too large (n·ε too small).
TACIT_API Schedule plan_schedule(Theorem theorem, const RunShape& shape, const Guesses& guesses);

}  // namespace tacit::inline v1::clipping
