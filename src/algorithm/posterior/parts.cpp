#include "algorithm/posterior/parts.hpp"

#include <fmt/format.h>

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "algorithm/onto_domain.hpp"
#include "noise/samplers.hpp"
#include "solver/certified.hpp"
#include "tacit/core.hpp"
#include "tacit/domain.hpp"

namespace tacit::inline v1::posterior {

Guarantee part_of(const Guarantee& budget, double share) {
  if (is_pure(budget)) return Pure{share * size_of(budget) * room};
  return Gaussian{std::sqrt(share) * size_of(budget) * room};
}

const OptionTable<SamplingOptions>& sampling_table() {
  static const OptionTable<SamplingOptions> table = {
      within(&SamplingOptions::limits, heavy_tails::limits_table()), budget(&SamplingOptions::budget),
      field(&SamplingOptions::samples, "samples", between(1, 10000), "how many samples share the budget"),
      field(&SamplingOptions::coverage, "coverage", open(0, 1),
            "probability that the minimiser lies in the ball")};
  return table;
}

void validate_sampling(const SamplingOptions& options) {
  options.limits.validate();
  validate(options.budget);
  for (const auto& [name, share] : {std::pair("limit-share", options.limits.limit_share),
                                    std::pair("column-share", options.limits.column_share)})
    if (share.value_or(0) > 0)
      throw_error<UsageError>("{} has no effect here: a posterior needs public bounds, and chooses no sizes",
                              name);
  if (!is_pure(options.budget) && !std::holds_alternative<Gaussian>(options.budget))
    throw_error<UsageError>("the budget is {}, expected pure or gaussian", notion(options.budget));
}

LossLimits sampling_limits(const Shape& shape, const heavy_tails::Options& asked) {
  heavy_tails::Options limits = asked;
  const auto* link = std::get_if<Link>(&shape.loss);  // softmax has its own bound anyway
  if (link && !limits.slope_limit && limits.row_norm_bound) {
    const double slope = facts(*link).slope, label = limits.label_bound.value_or(1);
    const bool bounded = std::isfinite(slope);
    if (bounded || limits.label_bound)
      limits.slope_limit = (bounded ? slope : label) * *limits.row_norm_bound;
  }
  return heavy_tails::choose_limits(shape, limits);
}

void require_no_weights(const Problem& problem, std::string_view method) {
  if (!problem.data->weights.empty()) throw_error<UsageError>("{} takes no weights of records", method);
}

Localisation plan_localisation(const Shape& shape, const LossLimits& limits, double regularisation,
                               double projection_radius, const Guarantee& cost, double coverage,
                               Neighbours neighbours) {
  const double strength = heavy_tails::checked_strength(shape, regularisation);
  const std::size_t d = shape.parameters();
  const GradientError error = gradient_error(shape, limits, strength, 0.0, 0.0);
  const double distance =
      heavy_tails::projected_distance(solver_distance(error, strength), 0, projection_radius, d);
  // [docs/limited_output.md]: minimisers of neighbours are within 2C/(nα), or C/(nα) if one record is null.
  const bool replaced = neighbours == Neighbours::replace_one;
  const Sensitivity sensitivity{
      .value = div_up(heavy_tails::shift_of(limits.slope, neighbours), strength),
      .slack = 2 * distance,
      .norm = Norm::l2,
      .reason =
          fmt::format("minimisers of n alpha-strongly convex sums that differ by one C-Lipschitz record{} "
                      "move by <= {}C/(n alpha); slack: twice the certified solver distance",
                      replaced ? "" : ", which is there or null,", replaced ? "2" : "")};
  const double scale = div_up(sensitivity.total(), size_of(cost));
  const double size = static_cast<double>(d);
  if (is_pure(cost))
    return {noise::plan_isotropic_laplace(sensitivity, scale, projection_radius, d),
            distance + scale * boost::math::gamma_p_inv(size, coverage)};
  return {noise::plan_gaussian(sensitivity, scale, projection_radius, d),
          distance + scale * std::sqrt(2 * boost::math::gamma_p_inv(size / 2, coverage))};
}

Released<Vector> localize(const Problem& problem, const Shape& shape, const LossLimits& limits,
                          double regularisation, double projection_radius, const Step& step, unsigned threads,
                          Meter& meter) {
  const Vector zero = Vector::Zero(static_cast<Eigen::Index>(shape.parameters()));
  const double strength = static_cast<double>(shape.records) * regularisation;
  LimitedObjective objective(problem, limits, {.strength = strength, .center = zero}, zero, 0, threads);
  const Sensitive<Vector> minimiser(onto_ball(minimise(objective, {}).point, projection_radius),
                                    step.sensitivity, meter.budget().neighbours);
  const bool gaussian = std::holds_alternative<GaussianEvent>(step.event);
  const auto mechanism = gaussian ? noise::gaussian : noise::isotropic_laplace;
  return mechanism(minimiser, step.scale, projection_radius, meter);
}

// Neighbours differ by a 2C-Lipschitz function, or by a C-Lipschitz one if one record is null.
SamplePlan plan_sample(const Shape& shape, const LossLimits& limits, double regularisation,
                       const Guarantee& cost, double ball, Neighbours neighbours) {
  const double shift = heavy_tails::shift_of(limits.slope, neighbours),
               n = static_cast<double>(shape.records);
  const double curvature = n * regularisation;
  SamplePlan plan;
  Step& step = plan.step;
  step.mechanism = "posterior-sample";
  step.sensitivity = {
      .value = shift,
      .slack = 0,
      .norm = Norm::l2,
      .reason = fmt::format("the log-densities of neighbours differ by gamma times a {}C-Lipschitz function",
                            neighbours == Neighbours::replace_one ? "2" : "")};
  if (is_pure(cost)) {
    // Over a ball of diameter 2B the difference has range ≤ γ·shift·2B.
    plan.inverse_temperature = div_down(size_of(cost), mul_up(2 * shift, ball));
    plan.strength = plan.inverse_temperature * curvature;
    step.scale = div_down(1.0, mul_up(2 * plan.inverse_temperature, ball));
    step.event = BoundedRangeEvent{div_up(shift, step.scale)};
  } else {
    // −ln p is ρ-strongly convex, ρ = γnα: μ = shift·γ/√ρ [docs/posterior_exact.md, "Gaussian"].
    plan.inverse_temperature = size_of(cost) * size_of(cost) * curvature / (shift * shift) * room;
    plan.strength = plan.inverse_temperature * curvature;
    step.scale = div_down(sqrt_down(plan.strength), plan.inverse_temperature);
    step.event = GaussianEvent{noise::epsilon_of(step.sensitivity, step.scale)};
  }
  const double sharpest = plan.strength + plan.inverse_temperature * n * limits.curvature;
  step.grid = noise::lattice_for(1 / std::sqrt(sharpest), 0).grid;
  step.dimension = shape.parameters();
  return plan;
}

void project_onto(const Domain& domain, std::vector<Released<Vector>>& samples) {
  for (Released<Vector>& sample : samples) sample = onto_domain(sample, domain);
}

// γ = μ²nα/shift² or, on the ball, about ε₁ε₂nα/(2·shift²·d).
double useful_regularisation(const Shape& shape, const LossLimits& limits, double radius,
                             const Guarantee& first, const Guarantee& each, Neighbours neighbours) {
  const double shift = heavy_tails::shift_of(1, neighbours);
  const double n = static_cast<double>(shape.records), d = static_cast<double>(shape.parameters());
  const double per_square = is_pure(each) ? size_of(first) * size_of(each) / (2 * shift * shift * d)
                                          : size_of(each) * size_of(each) / (shift * shift);
  return limits.slope / (n * radius) * std::sqrt(2 * d / per_square);
}

Facts with_bounds(const Facts& options, const Facts& assumed_public) {
  Facts all = options;
  for (const auto& [key, value] : assumed_public.entries())
    if (key == "row_norm_bound" || key == "label_bound") all.set(key, value);
  return all;
}

}  // namespace tacit::inline v1::posterior
