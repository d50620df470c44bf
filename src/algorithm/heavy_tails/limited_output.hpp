#pragma once

// Single output perturbation of the limited loss [ours, docs/limited_output.md].
//
// Solves      min over w in ℝᵈ, a ball or a box of (1/n) Σ φᵢ(⟨aᵢ,w⟩) + (λ/2)‖w‖², φᵢ limited to slope C.
// Assumes     nothing about the data.
// Guarantees  pure ε-DP, μ-GDP or (ε,δ)-DP for one record that is there or not: the minimiser moves by
//             ≤ C/(λn), the computed one by 2t more; or for one that is replaced, 2C/(λn).

#include <optional>

#include "algorithm/heavy_tails/limited_over_domain.hpp"
#include "algorithm/heavy_tails/options.hpp"
#include "tacit/meter.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::heavy_tails {

struct OutputPlan {
  LossLimits limits;
  double regularisation = 0;
  double radius = 0;
  std::optional<DomainPlan> domain;  // where there is a W to solve over
  double range = 0;                  // of the coordinates that noise is added to
  Sensitivity sensitivity;
  Step release;
};
// The lines of its options, and what the certificate of a run states of them.
TACIT_API const OptionTable<Options>& limited_output_table();
TACIT_API Facts certified_options(const OutputPlan& plan, const Options& options);

TACIT_API OutputPlan plan_limited_output(const Shape& shape, const Options& options);
// The same with (λ/2)‖w − center‖², for any center of norm ≤ center_bound, or in W: without a W the minimiser
// is projected onto the ball around it.
TACIT_API OutputPlan plan_limited_output(const Shape& shape, const Options& options, double center_bound);

TACIT_API Released<Vector> limited_output_around(const Vector& center, double center_bound,
                                                 const Problem& problem, const Options& options,
                                                 Meter& meter);

TACIT_API Release limited_output(const Problem& problem, const Options& options, Meter& meter);

}  // namespace tacit::inline v1::heavy_tails
