#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>

#include "tacit/algorithm/posterior/exact.hpp"
#include "tacit/core/error.hpp"
#include "tacit/core/rounding.hpp"
#include "tacit/noise/mechanisms.hpp"
#include "tacit/noise/samplers.hpp"
#include "tacit/sampler/exact.hpp"
#include "tacit/solver/certified.hpp"

namespace tacit::inline v1::posterior {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double room = 1 - 1e-12;  // for the roundings of the shares, so that the steps fit the budget

bool pure(const Options& options) { return std::holds_alternative<Pure>(options.budget); }

double budget_of(const Options& options) {
  return pure(options) ? std::get<Pure>(options.budget).epsilon : std::get<Gaussian>(options.budget).mu;
}

// The sampler likes losses without kinks near the data, so the slope limit is the loss's own bound rather
// than the tighter one of limited-objective [heuristic: utility only].
LossLimits choose_limits(const Shape& shape, const Options& options) {
  heavy_tails::Options limits = options.limits;
  const Link& link = std::get<Link>(shape.loss);
  if (!limits.slope_limit && limits.row_norm_bound) {
    const double slope = facts(link).slope, label = limits.label_bound.value_or(1);
    const bool bounded = std::isfinite(slope);
    if (bounded || limits.label_bound)
      limits.slope_limit = (bounded ? slope : label) * *limits.row_norm_bound;
  }
  return heavy_tails::choose_limits(shape, limits);
}

struct Shares {
  double first = 0, each = 0;  // for θ₀, for each sample
};
Shares split(const Options& options, double share) {
  const double whole = budget_of(options), samples = static_cast<double>(options.samples);
  if (pure(options)) return {share * whole * room, (1 - share) * whole / samples * room};
  return {std::sqrt(share) * whole * room, std::sqrt((1 - share) / samples) * whole * room};
}

// θ₀ = projected certified minimiser + isotropic Laplace or Gaussian noise, and the ball around it.
void plan_localisation(const Shape& shape, const Options& options, double cost, ExactPlan& plan) {
  const double strength = heavy_tails::checked_strength(shape, plan.regularisation);
  const std::size_t d = shape.parameters();
  const GradientError error = gradient_error(shape, plan.limits, strength, 0.0, 0.0);
  const double distance =
      heavy_tails::projected_distance(solver_distance(error, strength), 0, plan.projection_radius, d);
  // [docs/limited_output.md]: minimisers of neighbours are within 2C/(nα).
  const Sensitivity sensitivity{
      .value = div_up(2 * plan.limits.slope, strength),
      .slack = 2 * distance,
      .norm = Norm::l2,
      .reason =
          "minimisers of n alpha-strongly convex sums that differ by one C-Lipschitz record move by <= "
          "2C/(n alpha); slack: twice the certified solver distance"};
  const double scale = div_up(sensitivity.total(), cost);
  const double size = static_cast<double>(d);
  if (pure(options)) {
    plan.localisation = noise::plan_isotropic_laplace(sensitivity, scale, plan.projection_radius, d);
    plan.ball = distance + scale * boost::math::gamma_p_inv(size, options.coverage);
  } else {
    plan.localisation = noise::plan_gaussian(sensitivity, scale, plan.projection_radius, d);
    plan.ball = distance + scale * std::sqrt(2 * boost::math::gamma_p_inv(size / 2, options.coverage));
  }
}

// γ, ρ and the step of one sample that costs `cost`. Records differ by a 2C-Lipschitz function.
void plan_sample(const Shape& shape, const Options& options, double cost, ExactPlan& plan) {
  const double shift = 2 * plan.limits.slope;
  const double curvature = static_cast<double>(shape.records) * plan.regularisation;
  Step& step = plan.sample;
  step.mechanism = "posterior-sample";
  step.sensitivity = {
      .value = shift,
      .slack = 0,
      .norm = Norm::l2,
      .reason = "the log-densities of neighbours differ by gamma times a 2C-Lipschitz function"};
  if (pure(options)) {
    // Over a ball of diameter 2B the difference has range ≤ γ·2C·2B.
    plan.inverse_temperature = div_down(cost, mul_up(2 * shift, plan.ball));
    plan.strength = plan.inverse_temperature * curvature;
    step.scale = div_down(1.0, mul_up(2 * plan.inverse_temperature, plan.ball));
    step.event = BoundedRangeEvent{div_up(shift, step.scale)};
  } else {
    // −ln p is ρ-strongly convex, ρ = γnα: μ = 2Cγ/√ρ [docs/posterior_exact.md, "Gaussian"].
    plan.inverse_temperature = cost * cost * curvature / (shift * shift) * room;
    plan.strength = plan.inverse_temperature * curvature;
    step.scale = div_down(sqrt_down(plan.strength), plan.inverse_temperature);
    step.event = GaussianEvent{noise::epsilon_of(step.sensitivity, step.scale)};
  }
  const double sharpest =
      plan.strength + plan.inverse_temperature * static_cast<double>(shape.records) * plan.limits.curvature;
  step.grid = noise::lattice_for(1 / std::sqrt(sharpest), 0).grid;
  step.dimension = shape.parameters();
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

ExactPlan plan_at(const Shape& shape, const Options& options, double regularisation) {
  ExactPlan plan;
  plan.limits = choose_limits(shape, options);
  plan.regularisation = regularisation;
  plan.share = options.localisation.value_or(pure(options) ? 0.5 : 0.0);
  plan.projection_radius = heavy_tails::projection_radius(options.limits);
  plan.ball = infinity;
  plan.samples = options.samples;
  const Shares shares = split(options, plan.share);
  if (plan.share > 0) plan_localisation(shape, options, shares.first, plan);
  plan_sample(shape, options, shares.each, plan);
  return plan;
}

// The norm of a row that the prediction reckons with: the public bound, or the one at which the limits bind.
double typical_norm(const ExactPlan& plan, const Options& options) {
  return options.limits.row_norm_bound.value_or(2 * std::sqrt(plan.limits.curvature));
}

// The least regularisation with this predicted acceptance: it falls with n·α.
double regularisation_for(const Shape& shape, const Options& options, double acceptance) {
  double low = 1e-12, high = 1e-12;
  const auto predicted = [&](double alpha) {
    const ExactPlan plan = plan_at(shape, options, alpha);
    return predicted_acceptance(shape, plan, typical_norm(plan, options));
  };
  const auto enough = [&](double alpha) {
    try {
      return predicted(alpha) >= acceptance;
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

// Where the bias nαR²/2 and the sample's expected excess d/γ are equal, γ = μ²nα/(2C)² or, on the ball,
// ε₁ε₂nα/(8C²d) [heuristic: utility only].
double useful_regularisation(const Shape& shape, const Options& options) {
  const double n = static_cast<double>(shape.records), d = static_cast<double>(shape.features);
  const double share = options.localisation.value_or(pure(options) ? 0.5 : 0.0);
  const Shares shares = split(options, share);
  const double per_square =
      pure(options) ? shares.first * shares.each / (8 * d) : shares.each * shares.each / 4;
  return choose_limits(shape, options).slope / (n * options.limits.radius) * std::sqrt(2 * d / per_square);
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
        "posterior-exact has no proved envelope for this loss; it samples logistic, squared, huber, "
        "absolute, pinball, "
        "hinge and smoothed-hinge");
  constexpr double comfortable = 1e-3;  // [heuristic: utility only]
  const double alpha =
      options.limits.regularisation
          ? *options.limits.regularisation
          : std::max(useful_regularisation(shape, options), regularisation_for(shape, options, comfortable));
  ExactPlan plan = plan_at(shape, options, alpha);
  require_fine_arithmetic(shape, plan);
  plan.acceptance = predicted_acceptance(shape, plan, typical_norm(plan, options));
  if (!(plan.acceptance >= options.least_acceptance))
    throw_error<InfeasibleError>(
        "exact sampling would take too long: the predicted acceptance is {:.2g}, the least is {:.2g}; a "
        "regularisation of {:.3g} would give 0.001, or use limited-objective",
        plan.acceptance, options.least_acceptance, regularisation_for(shape, options, comfortable));
  return plan;
}

}  // namespace tacit::inline v1::posterior
