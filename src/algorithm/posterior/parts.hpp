#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algorithm/posterior/options.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/problem.hpp"

// What the samplers of this folder plan and do alike [docs/posterior_exact.md, "What it computes"].

namespace tacit::inline v1::posterior {

inline constexpr double room =
    1 - 1e-12;  // for the roundings of the shares, so that the steps fit the budget

inline bool is_pure(const Guarantee& budget) { return std::holds_alternative<Pure>(budget); }
// ε or μ.
inline double size_of(const Guarantee& budget) {
  return is_pure(budget) ? std::get<Pure>(budget).epsilon : std::get<Gaussian>(budget).mu;
}
// A part of a budget, of the same notion: shares of ε, or of μ².
Guarantee part_of(const Guarantee& budget, double share);

// Of the options that both samplers have: the table, and what one says of another.
const OptionTable<SamplingOptions>& sampling_table();
void validate_sampling(const SamplingOptions& options);

// The samplers like losses without kinks near the data, so the slope limit is the loss's own bound rather
// than the tighter one of limited-objective [heuristic: utility only].
LossLimits sampling_limits(const Shape& shape, const heavy_tails::Options& limits);

// Their proofs are for records that count once. UsageError.
void require_no_weights(const Problem& problem, std::string_view method);

// θ₀ = projected certified minimiser + isotropic Laplace or Gaussian noise.
struct Localisation {
  Step step;
  double reach = 0;  // the minimiser is this near to θ₀ with probability `coverage`
};
Localisation plan_localisation(const Shape& shape, const LossLimits& limits, double regularisation,
                               double projection_radius, const Guarantee& cost, double coverage,
                               Neighbours neighbours);
// `shape` is the public one of the problem.
Released<Vector> localize(const Problem& problem, const Shape& shape, const LossLimits& limits,
                          double regularisation, double projection_radius, const Step& step, unsigned threads,
                          Meter& meter);

// γ, ρ = γnα and the step of one posterior sample that costs `cost`, on a ball of this radius.
struct SamplePlan {
  double inverse_temperature = 0, strength = 0;
  Step step;
};
SamplePlan plan_sample(const Shape& shape, const LossLimits& limits, double regularisation,
                       const Guarantee& cost, double ball, Neighbours neighbours);

// Samples onto the domain: post-processing.
void project_onto(const Domain& domain, std::vector<Released<Vector>>& samples);

// The regularisation where the bias nαR²/2 equals the expected excess d/γ of a sample, when θ₀ and a sample
// cost these [heuristic: utility only].
double useful_regularisation(const Shape& shape, const LossLimits& limits, double radius,
                             const Guarantee& first, const Guarantee& each, Neighbours neighbours);

// The certificate's bounds among the options, as `rebuild_steps` needs them.
Facts with_bounds(const Facts& options, const Facts& assumed_public);

}  // namespace tacit::inline v1::posterior
