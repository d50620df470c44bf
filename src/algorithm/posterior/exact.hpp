#pragma once

// Exact posterior sampling [ours, docs/posterior_exact.md; after Lin24, Alg. 3].
//
// Samples     p ∝ exp(−γ(Σ φᵢ(⟨aᵢ,θ⟩) + (nα/2)‖θ‖²)), φᵢ limited to slope C and curvature Q; linear models.
// Assumes     nothing about the data.
// Guarantees  pure ε-DP (on a ball around a released θ₀) or μ-GDP (over the whole space, or on a ball), for
//             one replaced record: what comes out is exactly a rounded sample of p.

#include <optional>
#include <vector>

#include "algorithm/posterior/options.hpp"
#include "tacit/meter.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::posterior {

// What the prediction takes for the fourth moments of whitened rows. The sampler bounds them sharply up to 12
// parameters, and else by the longest row.
enum class FourthMoments {
  sharp,  // that bound, of rows that spread evenly
  rows,   // the longest of such rows
  blocks  // encoded rows: of a value that few records have
};

struct TACIT_API Options : SamplingOptions {
  std::optional<double> localisation;  // share of the budget for θ₀: pure (0,1), Gaussian [0,1)
  double least_acceptance = 1e-7;      // refuse when fewer trials than this are predicted to succeed; (0,1)
  std::optional<FourthMoments> moments = {};  // that the prediction reckons with; absent: by the shape

  static const OptionTable<Options>& table();
  void validate() const;
  static Options from(const Facts& facts) { return table().read(facts); }
};

// Every number of a run, from public values alone.
struct ExactPlan {
  LossLimits limits;                 // C, Q
  double regularisation = 0;         // α
  double share = 0;                  // of the budget that goes to θ₀
  std::optional<Step> localisation;  // θ₀
  double projection_radius = 0;      // of the ball that the minimiser is projected onto before noise
  double ball = 0;                   // around θ₀; infinite without localisation
  double inverse_temperature = 0;    // γ
  double strength = 0;               // ρ = γnα
  Step sample;                       // each of the K
  std::size_t samples = 1;
  double acceptance = 0;  // predicted

  std::vector<Step> steps() const;
};
TACIT_API ExactPlan plan_exact(const Shape& shape, const Options& options);

// What the certificate of such a run states.
TACIT_API Facts certified_options(const ExactPlan& plan, Options options);

TACIT_API Release exact(const Problem& problem, const Options& options, Meter& meter);

// A prediction of how many proposals are accepted, from public values: the sampler's envelope in the worst
// rotation, with rows of norm A that spread evenly [heuristic: decides only whether to start].
TACIT_API double predicted_acceptance(const Shape& shape, const ExactPlan& plan, double row_norm,
                                      FourthMoments moments);
// Those of the shape. On a ball they are taken to be sharp, as the prediction is pessimistic there.
TACIT_API FourthMoments fourth_moments(const Shape& shape, const ExactPlan& plan);

// That so many samples at this predicted acceptance will take long, and what would shorten it; else empty.
TACIT_API std::string long_work(const Shape& shape, double acceptance, std::size_t samples);

}  // namespace tacit::inline v1::posterior
