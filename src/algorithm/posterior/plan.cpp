#include <algorithm>
#include <cmath>

#include "algorithm/posterior/exact.hpp"
#include "algorithm/posterior/parts.hpp"
#include "core/numbers.hpp"
#include "sampler/exact.hpp"
#include "solver/certified.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::posterior {

namespace {

// The parts of the budget for θ₀ and for each sample.
struct ExactShares {
  Guarantee first, each;
};
ExactShares split(const Options& options) {
  const double share = options.localisation.value_or(is_pure(options.budget) ? 0.5 : 0.0);
  return {part_of(options.budget, share),
          part_of(options.budget, (1 - share) / static_cast<double>(options.samples))};
}

// The residual that the solver surely reaches at the mode must be small beside the posterior's width: then
// the sampler's envelope exists whatever the data. [docs/posterior_exact.md, "The envelope"]
void require_fine_arithmetic(const Shape& shape, const ExactPlan& plan) {
  const double n = static_cast<double>(shape.records), strength = plan.strength / plan.inverse_temperature;
  const GradientError error = gradient_error(shape, plan.limits, strength, 0.0, 0.0);
  const double far = 2 * n * plan.limits.slope / strength + 2 * plan.projection_radius;
  const double residual = 4.04 * error.at(far) * (1 + n * plan.limits.curvature / strength);
  const double delta = plan.inverse_temperature * residual / std::sqrt(plan.strength);
  if (!(delta < 0.1))
    throw_error<InfeasibleError>(
        "double arithmetic is too coarse: the mode would be known to {:.3g} of the posterior's width, "
        "expected "
        "below 0.1; more regularisation or a smaller budget is needed",
        delta);
}

// The envelope of softmax takes a Hessian of all parameters, summed over the pairs of classes of every
// record.
void require_small_work(const Shape& shape) {
  constexpr double most =
      2e13;  // multiplications: hours of one core [heuristic: a refusal, from public values]
  const double outputs = static_cast<double>(shape.outputs), d = static_cast<double>(shape.parameters());
  const double work = static_cast<double>(shape.records) * outputs * (outputs + 1) / 2 * d * d;
  if (outputs > 1 && work > most)
    throw_error<InfeasibleError>(
        "exact sampling of softmax with {} parameters and {} records takes about {:.2g} multiplications, "
        "expected at most {:.2g}; use fewer columns or classes, or limited-objective",
        shape.parameters(), shape.records, work, most);
}

// Refused before anything is charged: memory that is not there would end the fit after the charge.
void require_small_memory(const Shape& shape) {
  constexpr double most = 0x1p33;  // bytes [heuristic: a refusal, from public values]
  const double d = static_cast<double>(shape.parameters()), outputs = static_cast<double>(shape.outputs),
               pairs = outputs > 1 ? outputs * (outputs + 1) / 2 : 0;
  const double bytes = 6 * 8 * d * d + 100 * static_cast<double>(shape.records) * pairs;
  if (bytes > most)
    throw_error<InfeasibleError>(
        "exact sampling with {} parameters and {} records takes about {:.2g} GB of memory, expected at most "
        "{:.2g}; use fewer columns or classes, or limited-objective",
        shape.parameters(), shape.records, bytes * 1e-9, most * 1e-9);
}

ExactPlan plan_at(const Shape& shape, const Options& options, double regularisation) {
  ExactPlan plan;
  plan.limits = sampling_limits(shape, options.limits);
  plan.regularisation = regularisation;
  plan.share = options.localisation.value_or(is_pure(options.budget) ? 0.5 : 0.0);
  plan.projection_radius = heavy_tails::projection_radius(options.limits);
  plan.ball = infinity;
  plan.samples = options.samples;
  const ExactShares shares = split(options);
  if (plan.share > 0) {
    Localisation first = plan_localisation(shape, plan.limits, regularisation, plan.projection_radius,
                                           shares.first, options.coverage, options.limits.neighbours);
    plan.localisation = std::move(first.step);
    plan.ball = first.reach;
  }
  SamplePlan each =
      plan_sample(shape, plan.limits, regularisation, shares.each, plan.ball, options.limits.neighbours);
  plan.inverse_temperature = each.inverse_temperature;
  plan.strength = each.strength;
  plan.sample = std::move(each.step);
  return plan;
}

// The norm of a row that the prediction reckons with: the public bound, or the one at which the limits bind.
double typical_norm(const Shape& shape, const ExactPlan& plan, const Options& options) {
  const double most = std::holds_alternative<Softmax>(shape.loss) ? 0.5 : 0.25;  // of a loss's curvature
  return options.limits.row_norm_bound.value_or(std::sqrt(plan.limits.curvature / most));
}

double predicted(const Shape& shape, const ExactPlan& plan, const Options& options) {
  return predicted_acceptance(shape, plan, typical_norm(shape, plan, options),
                              options.moments.value_or(fourth_moments(shape, plan)));
}

// The least regularisation that double arithmetic bears and that has this predicted acceptance.
double regularisation_for(const Shape& shape, const Options& options, double acceptance) {
  double low = 1e-12, high = 1e-12;
  const auto predicted_at = [&](double alpha) {
    const ExactPlan plan = plan_at(shape, options, alpha);
    require_fine_arithmetic(shape, plan);
    return predicted(shape, plan, options);
  };
  const auto enough = [&](double alpha) {
    try {
      return predicted_at(alpha) >= acceptance;
    } catch (const Error&) {
      return false;  // too little regularisation for double arithmetic
    }
  };
  while (!enough(high) && high < 1e12) high *= 10;
  for (low = high / 10; high / low > 1.05;) {
    const double middle = std::sqrt(low * high);
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

std::vector<Step> ExactPlan::steps() const {
  std::vector<Step> result(samples, sample);
  if (localisation) result.insert(result.begin(), *localisation);
  return result;
}

ExactPlan plan_exact(const Shape& shape, const Options& options) {
  options.validate();
  if (!sampler::can_sample(shape.loss))
    throw_error<UsageError>(
        "posterior-exact has no proved envelope for this loss; it samples logistic, softmax, squared, huber, "
        "absolute, pinball, hinge and smoothed-hinge");
  require_small_work(shape);
  require_small_memory(shape);
  constexpr double comfortable = 1e-3;  // [heuristic: utility only]
  const ExactShares shares = split(options);
  const double alpha = options.limits.regularisation
                           ? *options.limits.regularisation
                           : std::max(useful_regularisation(shape, sampling_limits(shape, options.limits),
                                                            options.limits.radius, shares.first, shares.each,
                                                            options.limits.neighbours),
                                      regularisation_for(shape, options, comfortable));
  ExactPlan plan = plan_at(shape, options, alpha);
  require_fine_arithmetic(shape, plan);
  plan.acceptance = predicted(shape, plan, options);
  if (!(plan.acceptance >= options.least_acceptance))
    throw_error<InfeasibleError>(
        "exact sampling would take too long: the predicted acceptance is {:.2g}, the least is {:.2g}; a "
        "regularisation of {:.3g} would give 0.001; {}or use {}",
        plan.acceptance, options.least_acceptance, regularisation_for(shape, options, comfortable),
        shape.blocks.empty() ? "" : "use the encoder linear-v1 (fewer parameters), ",
        is_pure(options.budget) ? "limited-objective" : "dp-gd");
  return plan;
}

}  // namespace tacit::inline v1::posterior
