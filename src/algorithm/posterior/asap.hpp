#pragma once

// Localised approximate sample perturbation [Lin24, Alg. 3; docs/asap_mala.md]: the paper's own route.
//
// Samples     p ∝ exp(−γ(Σ φᵢ(⟨aᵢ,θ⟩) + (nα/2)‖θ‖²)) on a ball around a released θ₀, φᵢ limited to
//             slope C and curvature Q, for linear models: by Metropolis-adjusted Langevin chains, whose
//             distance to p a little noise covers.
// Assumes     that [Lin24, Thm 1] holds with its constants 1, for chains computed in doubles: the certificate
//             says so. Everything else is proved, for every dataset and every θ₀.
// Guarantees  under that assumption pure ε-DP or μ-GDP, for one record that is there or null
//             (zero_out), there or absent (add_remove), or replaced.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithm/posterior/options.hpp"
#include "tacit/meter.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::posterior {

// In every certificate of it, and in `tacit methods`.
inline constexpr std::string_view mixing_assumption =
    "mixing constant = 1 [Lin24, Thm 1], for chains computed in doubles";

struct TACIT_API AsapOptions : SamplingOptions {
  double localisation = 0.45;  // share of the budget for θ₀; (0,1), with `perturbation` below 1
  double perturbation = 0.1;   // share of the budget for the noise that covers the chain's distance; (0,1)
  std::optional<std::int64_t> mala_steps;  // ≥ 1: of each chain, in place of the theorem's number
  double step_limit = 1e7;                 // ≥ 1: refuse when the theorem asks for more

  static const OptionTable<AsapOptions>& table();
  void validate() const;
  static AsapOptions from(const Facts& facts) { return table().read(facts); }
};

// Every number of a run, from public values alone.
struct TACIT_API AsapPlan {
  LossLimits limits;                    // C, Q
  double regularisation = 0;            // α
  Step localisation;                    // θ₀
  double projection_radius = 0;         // of the ball that the minimiser is projected onto before noise
  double center_radius = 0;             // θ₀ is projected onto the ball of this radius around 0
  double ball = 0;                      // B, around θ₀
  double inverse_temperature = 0;       // γ
  double strength = 0, smoothness = 0;  // m = γnα and M = γn(α+Q), of γJ
  Step sample;                          // what an exact sample of p costs
  double distance = 0;                  // Δ: the chain's W∞ distance to p
  Guarantee cover;                      // the part of the budget for the noise that covers it,
  double range = 0;                     // a bound on what it is added to,
  Step perturbation;                    // and that noise
  double log_ratio = 0;                 // ln(β₀/ξ): how near the unconstrained chain must come
  double step_size = 0, steps = 0;      // of a chain
  double theorem_steps = 0;             // that [Lin24, Thm 1] asks for, with constant 1
  std::size_t samples = 1;

  std::vector<Step> all_steps() const;
};
TACIT_API AsapPlan plan_asap(const Shape& shape, const AsapOptions& options);

// What the guarantee rests on: the first always, the second with a step count of one's own.
TACIT_API std::vector<std::string> asap_assumptions(const AsapPlan& plan, const AsapOptions& options);

// What the certificate of such a run states.
TACIT_API Facts certified_options(const AsapPlan& plan, AsapOptions options);

TACIT_API Release asap(const Problem& problem, const AsapOptions& options, Meter& meter);

}  // namespace tacit::inline v1::posterior
