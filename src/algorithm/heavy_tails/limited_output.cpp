#include "algorithm/heavy_tails/limited_output.hpp"

#include <fmt/format.h>

#include <cmath>

#include "algorithm/onto_domain.hpp"
#include "domain/local.hpp"
#include "privacy/accounting/calibrate.hpp"
#include "solver/certified.hpp"
#include "tacit/core.hpp"
#include "tacit/domain.hpp"
#include "tacit/mechanisms.hpp"

namespace tacit::inline v1::heavy_tails {

namespace {

bool gaussian_noise(const Options& options) { return options.mu || options.delta; }

// The epsilon of isotropic Laplace noise, or the mu of Gaussian noise.
double noise_budget(const Options& options) {
  if (options.mu) return *options.mu;
  return options.delta ? calibrate_gaussian({options.epsilon, *options.delta}) : options.epsilon;
}

// λ = 2(C/D)·√(d/(nε)), D = 2R; for Gaussian noise √d/μ in the place of d/ε [heuristic: utility only].
double choose_regularisation(const Shape& shape, const LossLimits& limits, const Options& options,
                             double radius) {
  if (options.regularisation) return *options.regularisation;
  const double n = static_cast<double>(shape.records), d = static_cast<double>(shape.parameters());
  const double length = gaussian_noise(options) ? std::sqrt(d) : d;
  return limits.slope / radius * std::sqrt(length / (n * noise_budget(options)));
}

}  // namespace

OutputPlan plan_limited_output(const Shape& shape, const Options& options) {
  return plan_limited_output(shape, options, 0);
}

OutputPlan plan_limited_output(const Shape& shape, const Options& options, double center_bound) {
  options.validate();
  OutputPlan plan;
  plan.limits = choose_limits(shape, options);
  plan.radius = projection_radius(options);

  const std::optional<Domain> domain = solved_domain(shape, options);
  plan.regularisation = choose_regularisation(shape, plan.limits, options, size_of_interest(options, domain));

  const double strength = checked_strength(shape, plan.regularisation);
  const double label = options.label_bound.value_or(0);
  if (domain) plan.domain = plan_over_domain(shape, plan.limits, plan.regularisation, options, *domain);
  const double distance =
      domain
          ? plan.domain->distance
          : projected_distance(
                solver_distance(gradient_error(shape, plan.limits, strength, center_bound, label), strength),
                recentring_error(center_bound, plan.radius), plan.radius, shape.parameters());
  plan.sensitivity = minimiser_sensitivity(plan.limits.slope, strength, distance, options.neighbours);
  plan.range = domain ? largest_norm(*domain) : add_up(center_bound, plan.radius);
  const auto plan_noise = gaussian_noise(options) ? noise::plan_gaussian : noise::plan_isotropic_laplace;
  const double scale = div_up(plan.sensitivity.total(), noise_budget(options) * (1 - 1e-12));
  plan.release = plan_noise(plan.sensitivity, scale, plan.range, shape.parameters());
  return plan;
}

namespace {

Vector minimiser_around(const Vector& center, const Problem& problem, const Shape& shape,
                        const Options& options, const OutputPlan& plan) {
  if (plan.domain)
    return solve_over_domain(problem, shape, plan.limits, settled(options, plan.limits, plan.regularisation),
                             *plan.domain, center);
  const double strength = static_cast<double>(shape.records) * plan.regularisation;
  LimitedObjective objective(problem, plan.limits, {.strength = strength, .center = center},
                             Vector::Zero(center.size()), options.label_bound.value_or(0), options.threads);
  return onto_ball_around(center, minimise(objective, {}).point, plan.radius);
}

}  // namespace

Released<Vector> limited_output_around(const Vector& center, double center_bound, const Problem& problem,
                                       const Options& options, Meter& meter) {
  const Shape shape = public_shape(problem, options);
  const OutputPlan plan = plan_limited_output(shape, options, center_bound);

  // 1. w̃ = argmin Σ φᵢ(⟨aᵢ,w⟩) + (nλ/2)‖w − center‖², within a certified distance: over W, or over all of
  // space and then projected onto the public ball.
  const Sensitive<Vector> minimiser(minimiser_around(center, problem, shape, options, plan), plan.sensitivity,
                                    options.neighbours);

  // 2. Release w̃ + b with density ∝ exp(−ε‖b‖/Δ), or b ~ N(0, (Δ/μ)²I).
  const auto mechanism = gaussian_noise(options) ? noise::gaussian : noise::isotropic_laplace;
  return mechanism(minimiser, plan.release.scale, plan.range, meter);
}

Release limited_output(const Problem& problem, const Options& asked, Meter& meter) {
  validate(problem);
  const Options options = with_domain(asked, problem);
  require_relation(options, meter);
  const Shape shape = public_shape(problem, options);
  const OutputPlan plan = plan_limited_output(shape, options);

  const std::optional<Domain> domain = solved_domain(shape, options);
  const Vector zero = Vector::Zero(static_cast<Eigen::Index>(shape.parameters()));
  const Vector center = domain ? project(*domain, zero).point : zero;
  Released<Vector> w = limited_output_around(center, 0, problem, options, meter);
  // 3. Onto the domain, which noise may leave.
  w = onto_domain(w, stated_domain(shape, options).value_or(WholeSpace{}), plan.release.grid);

  return {std::move(w),
          certify("limited-output", meter, certified_options(plan, options), public_facts(shape, options),
                  count_assumptions(options.neighbours, shape.records))};
}

const OptionTable<Options>& limited_output_table() {
  static const OptionTable<Options> table = {limits_table().lines(), relation_table().lines(),
                                             domain_table().lines(), planned("projection_radius")};
  return table;
}

Facts certified_options(const OutputPlan& plan, const Options& options) {
  Facts more;
  if (!plan.domain) more.set("projection_radius", plan.radius);
  return limited_output_table().certified(settled(options, plan.limits, plan.regularisation), more);
}

}  // namespace tacit::inline v1::heavy_tails
