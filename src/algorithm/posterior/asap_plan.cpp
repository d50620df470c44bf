#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "algorithm/posterior/asap.hpp"
#include "algorithm/posterior/parts.hpp"
#include "noise/approximate_sample.hpp"
#include "sampler/exact.hpp"
#include "sampler/mixing.hpp"
#include "solver/certified.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::posterior {

namespace {

// The parts of the budget for θ₀, for each exact sample, and for the noise that covers its chain's distance.
struct Shares {
  Guarantee first, each, cover;
};
Shares split(const AsapOptions& options) {
  const double samples = static_cast<double>(options.samples);
  return {part_of(options.budget, options.localisation),
          part_of(options.budget, (1 - options.localisation - options.perturbation) / samples),
          part_of(options.budget, options.perturbation / samples)};
}

// B with room for the posterior around the minimiser: reach + r/√m, r = √d + √(2 ln 2), holds half of its
// mass whenever the minimiser is within `reach` of θ₀ [ours, docs/asap_mala.md, "The ball"; Lin24, Assumption
// 3 has r = 8√d]. For pure DP m depends on B: m = ε₂nα/(2sB), and B − a√B = reach with a = r√(2s/(ε₂nα)), s =
// 2C, or C where a record may be null.
double ball_around(double reach, const AsapPlan& plan, double records, double d, const Guarantee& each,
                   Neighbours neighbours) {
  const double r = std::sqrt(d) + std::sqrt(2 * std::log(2)), curvature = records * plan.regularisation;
  const double shift = heavy_tails::shift_of(plan.limits.slope, neighbours), size = size_of(each);
  if (!is_pure(each)) return reach + r * shift / (size * curvature);  // √m = μ₂nα/s
  const double a = r * std::sqrt(2 * shift / (size * curvature));
  const double root = 0.5 * (a + std::sqrt(a * a + 4 * reach));
  return root * root;
}

// Δ: so small that the noise adds a hundredth to the posterior's own d/2 [heuristic: utility only]. Smaller
// costs steps in proportion to ln(1/Δ).
double covered_distance(const AsapPlan& plan, double d, const Guarantee& cover) {
  const double dimensions = is_pure(cover) ? d + 1 : 1;
  return size_of(cover) / (20 * std::sqrt(dimensions * plan.smoothness));
}

// ln(β₀/ξ): how near the chain on the whole space must come, for every dataset and every θ₀, so that its end,
// given that it lies in the ball, is within Δ of p in W∞ [docs/asap_mala.md, "Proof"].
double required_log_ratio(const Shape& shape, const AsapPlan& plan) {
  const double n = static_cast<double>(shape.records), gamma = plan.inverse_temperature;
  const std::size_t d = shape.parameters();
  // ‖∇J‖ ≤ nC + nα‖θ‖ on the ball, with fewer records than the public number too.
  const double gradient =
      gamma * n * (plan.limits.slope + plan.regularisation * (plan.center_radius * 1.000001 + plan.ball));
  const double floor =
      sampler::log_density_floor(d, plan.ball, sampler::lipschitz_range(gradient, plan.ball));
  const double constrained = sampler::log_total_variation(floor, d, plan.distance, Norm::l2);
  const double mass = sampler::log_mass_floor(d, plan.ball, gradient, plan.strength);
  const double unconstrained = constrained + mass - std::log(2);
  // The start N(computed minimiser, I/(2M)) is β₀-warm, β₀ = (2κ)^{d/2}·e^{Mt²}, t the solver's distance.
  const double strength = n * plan.regularisation, far = 2 * plan.limits.slope / plan.regularisation;
  const double t = solver_distance(gradient_error(shape, plan.limits, strength, 0.0, 0.0), strength).at(far);
  const double warm =
      0.5 * static_cast<double>(d) * std::log(2 * plan.smoothness / plan.strength) + plan.smoothness * t * t;
  return warm - unconstrained;
}

void plan_chain(const Shape& shape, const AsapOptions& options, AsapPlan& plan) {
  plan.log_ratio = required_log_ratio(shape, plan);
  const std::size_t d = shape.parameters();
  sampler::Mixing chain = sampler::mixing(plan.smoothness, plan.strength, d, plan.log_ratio);
  plan.theorem_steps = chain.steps;
  if (options.mala_steps)
    chain =
        sampler::mixing_within(plan.smoothness, plan.strength, d, static_cast<double>(*options.mala_steps));
  plan.step_size = chain.step_size;
  plan.steps = chain.steps;
  if (!options.mala_steps && !(plan.steps <= options.step_limit))
    throw_error<InfeasibleError>(
        "a chain would take {:.2g} steps, the step-limit is {:.2g}; take a smaller budget or more "
        "regularisation, use posterior-exact, or set mala-steps (the certificate then says that the number "
        "is yours)",
        plan.steps, options.step_limit);
}

}  // namespace

std::vector<Step> AsapPlan::all_steps() const {
  std::vector<Step> result{localisation};
  for (std::size_t k = 0; k < samples; ++k) {
    result.push_back(sample);
    result.push_back(perturbation);
  }
  return result;
}

std::vector<std::string> asap_assumptions(const AsapPlan& plan, const AsapOptions& options) {
  std::vector<std::string> result{std::string(mixing_assumption)};
  if (options.mala_steps)
    result.push_back(fmt::format("{} steps of a chain are enough where the theorem asks for {:.3g}",
                                 *options.mala_steps, plan.theorem_steps));
  return result;
}

AsapPlan plan_asap(const Shape& shape, const AsapOptions& options) {
  options.validate();
  if (!sampler::can_sample(shape.loss) || std::holds_alternative<Softmax>(shape.loss))
    throw_error<UsageError>(
        "asap-mala samples only the losses logistic, squared, huber, absolute, pinball, hinge and "
        "smoothed-hinge");
  const double n = static_cast<double>(shape.records), d = static_cast<double>(shape.parameters());
  const Neighbours neighbours = options.limits.neighbours;
  const Shares shares = split(options);
  AsapPlan plan;
  plan.samples = options.samples;
  plan.limits = sampling_limits(shape, options.limits);
  plan.regularisation = options.limits.regularisation.value_or(useful_regularisation(
      shape, plan.limits, options.limits.radius, shares.first, shares.each, neighbours));
  plan.projection_radius = heavy_tails::projection_radius(options.limits);
  // No minimiser is farther from 0: nα‖θ*‖ = ‖Σ∇φ‖ ≤ nC.
  plan.center_radius = std::min(plan.projection_radius, div_up(plan.limits.slope, plan.regularisation));

  Localisation first = plan_localisation(shape, plan.limits, plan.regularisation, plan.projection_radius,
                                         shares.first, options.coverage, neighbours);
  plan.localisation = std::move(first.step);
  plan.ball = ball_around(first.reach, plan, n, d, shares.each, neighbours);
  SamplePlan each = plan_sample(shape, plan.limits, plan.regularisation, shares.each, plan.ball, neighbours);
  plan.inverse_temperature = each.inverse_temperature;
  plan.strength = each.strength;
  plan.smoothness = plan.strength + plan.inverse_temperature * n * plan.limits.curvature;
  plan.distance = covered_distance(plan, d, shares.cover);
  plan_chain(shape, options, plan);

  plan.sample = std::move(each.step);
  plan.sample.sensitivity.reason +=
      fmt::format("; drawn by a chain, assumed: {}", fmt::join(asap_assumptions(plan, options), "; "));
  plan.cover = shares.cover;
  plan.range = add_up(plan.center_radius, plan.ball) * 1.000001;
  const std::size_t size = shape.parameters();
  plan.perturbation =
      is_pure(plan.cover)
          ? noise::plan_cover(plan.distance, std::get<Pure>(plan.cover), plan.range, size)
          : noise::plan_cover(plan.distance, std::get<Gaussian>(plan.cover), plan.range, size);
  return plan;
}

}  // namespace tacit::inline v1::posterior
