#include "algorithm/heavy_tails/double_output.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm/heavy_tails/double_plan.hpp"
#include "algorithm/heavy_tails/extension_plan.hpp"
#include "algorithm/heavy_tails/limited_over_domain.hpp"
#include "algorithm/onto_domain.hpp"
#include "domain/local.hpp"
#include "solver/certified.hpp"
#include "solver/link_loss.hpp"
#include "solver/structured.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"

namespace tacit::inline v1::heavy_tails {

namespace {

// With k = 2 and C = G₂(nε/d)^½, no record of n has a gradient above G₂(n/ρ)^½ with probability 1 − ρ
// [Lowy26, App. D.1]: the extension sees the data as it is, and time stays public. ρ = 1/10 [heuristic:
// utility only].
double choose_gradient_bound(const Shape& shape, const Options& options, double slope) {
  const double d = static_cast<double>(shape.parameters());
  return options.extension.gradient_bound.value_or(slope *
                                                   std::max(1.0, std::sqrt(10 * d / options.epsilon)));
}

ExtensionSetting setting_of(const Shape& shape, const Options& options, const DoubleOutputPlan& plan) {
  const Vector zero = Vector::Zero(static_cast<Eigen::Index>(shape.parameters()));
  const Domain domain = solved_domain(shape, options).value_or(Ball{zero, options.radius});
  return {.lipschitz = plan.limits.slope,
          .regularisation = plan.regularisation,
          .center = project(domain, zero).point,
          .domain = domain};
}

// The slope-limited loss. With a domain its minimiser over W serves both releases, else that over ℝᵈ by
// Newton's method, projected onto the ball: the projection is nonexpansive, so that it moves no further.
DoublePlan plan_limited(const Shape& shape, const Options& options, const DoubleOutputPlan& plan,
                        double center_bound) {
  const double strength = checked_strength(shape, plan.regularisation);
  const double label = options.label_bound.value_or(0);
  const std::optional<Domain> domain = solved_domain(shape, options);
  const double distance =
      domain
          ? plan_over_domain(shape, plan.limits, plan.regularisation, options, *domain).distance
          : projected_distance(
                solver_distance(gradient_error(shape, plan.limits, strength, center_bound, label), strength),
                recentring_error(center_bound, options.radius), options.radius, shape.parameters());
  const Sensitivity sensitivity =
      minimiser_sensitivity(plan.limits.slope, strength, distance, options.neighbours);
  return plan_noise(sensitivity, sensitivity,
                    domain ? largest_norm(*domain) : add_up(center_bound, options.radius), options.epsilon,
                    shape.parameters(), options.neighbours);
}

Vector limited_minimiser(const Vector& center, const Problem& problem, const Options& options,
                         const DoubleOutputPlan& plan) {
  const Shape shape = public_shape(problem, options);
  if (const std::optional<Domain> domain = solved_domain(shape, options))
    return solve_over_domain(problem, shape, plan.limits, settled(options, plan.limits, plan.regularisation),
                             plan_over_domain(shape, plan.limits, plan.regularisation, options, *domain),
                             center);
  LimitedObjective objective(
      problem, plan.limits,
      {.strength = static_cast<double>(shape.records) * plan.regularisation, .center = center},
      Vector::Zero(center.size()), options.label_bound.value_or(0), options.threads);
  return onto_ball_around(center, minimise(objective, {}).point, options.radius);
}

ExtensionPlan plan_extended(const Shape& shape, const Options& options, const DoubleOutputPlan& plan) {
  return plan_extension_solver(shape, plan.limits, plan.regularisation, plan.gradient_bound, options,
                               setting_of(shape, options, plan).domain);
}

// The minimiser over W serves both releases. Where it lies in W₀ it is the minimiser over W₀ too; where it
// does not, the last projection onto W₀ is what [Lowy26, Alg. 4] has as well.
LocalMinimiser once(Vector point) {
  return [point = std::move(point)](const std::optional<Ball>&) { return point; };
}

LocalMinimiser minimiser_around(const Vector& center, const Problem& problem, const Options& options,
                                const DoubleOutputPlan& plan) {
  if (options.extension.oracle == ExtensionOracle::limited)
    return once(limited_minimiser(center, problem, options, plan));
  return once(solve_extension(problem, plan_extended(public_shape(problem, options), options, plan), center,
                              options.threads));
}

}  // namespace

LocalMinimiser double_output_minimiser(const Problem& problem, const Options& options,
                                       const DoubleOutputPlan& plan) {
  const Shape shape = public_shape(problem, options);
  const ExtensionSetting setting = setting_of(shape, options, plan);
  const double size = largest_norm(setting.domain);
  const auto solved_by = [setting, plan](auto solver, auto loss) {
    return [=](const std::optional<Ball>& local) {
      ExtensionSetting here = setting;
      here.local = local;
      return solver(here, loss, local ? plan.noise.second_accuracy : plan.noise.first_accuracy).point;
    };
  };
  switch (options.extension.oracle) {
    case ExtensionOracle::limited:
    case ExtensionOracle::extension:
      break;
    case ExtensionOracle::subgradient:
      return solved_by(minimise_extension, LinkLoss(problem, plan.gradient_bound, size, shape.records));
    case ExtensionOracle::structured:
      return solved_by(minimise_structured,
                       polyhedral_loss(problem, plan.gradient_bound, size, shape.records));
  }
  return minimiser_around(setting.center, problem, options, plan);
}

DoubleOutputPlan plan_double_output(const Shape& shape, const Options& options) {
  return plan_double_output(shape, options, 0);
}

DoubleOutputPlan plan_double_output(const Shape& shape, const Options& options, double center_bound) {
  options.validate();
  DoubleOutputPlan plan;
  plan.limits = choose_limits(shape, options);
  // The rule of limited-output, (C/R)·√(d/(nε)), for half of ε [heuristic: utility only].
  const double n = static_cast<double>(shape.records), d = static_cast<double>(shape.parameters());
  const double radius = size_of_interest(options, solved_domain(shape, options));
  plan.regularisation =
      options.regularisation.value_or(plan.limits.slope / radius * std::sqrt(2 * d / (n * options.epsilon)));
  const ExtensionOracle oracle = options.extension.oracle;
  if (oracle == ExtensionOracle::limited) {
    plan.noise = plan_limited(shape, options, plan, center_bound);
    return plan;
  }
  if (center_bound > 0 && oracle != ExtensionOracle::extension)
    throw_error<UsageError>("oracle = {} solves around 0 only", name(oracle));
  if (oracle != ExtensionOracle::extension && options.domain &&
      solved_domain(shape, options)->index() != stated_domain(shape, options)->index())
    throw_error<UsageError>(
        "oracle = {} takes balls and boxes; for a polytope or an ellipsoid, use oracle = limited or "
        "extension",
        name(oracle));
  checked_strength(shape, plan.regularisation);
  if (shape.outputs != 1 || std::get<Link>(shape.loss).kind == LinkKind::poisson)
    throw_error<UsageError>(
        "oracle = {} is for losses of one output except poisson; oracle = limited takes every loss",
        name(oracle));
  if (oracle == ExtensionOracle::structured && !is_polyhedral(shape.loss))
    throw_error<UsageError>("oracle = structured is for the absolute, pinball and hinge losses");
  plan.gradient_bound = choose_gradient_bound(shape, options, plan.limits.slope);
  if (oracle == ExtensionOracle::extension) {
    const ExtensionPlan extended = plan_extended(shape, options, plan);
    plan.noise = plan_noise(extended.sensitivity, extended.sensitivity, largest_norm(extended.setting.domain),
                            options.epsilon, shape.parameters(), options.neighbours);
    return plan;
  }
  const bool structured = oracle == ExtensionOracle::structured;
  const ExtensionSetting setting = setting_of(shape, options, plan);
  const double size = largest_norm(setting.domain);
  const LossSizes sizes{.records = shape.records,
                        .dimension = shape.parameters(),
                        .lipschitz = plan.gradient_bound,
                        .error = structured ? PolyhedralLoss::error(plan.gradient_bound, size, shape.features)
                                            : LinkLoss::error(shape, plan.gradient_bound, size)};
  plan.noise =
      plan_extension(setting, sizes, {options.epsilon, options.extension.iteration_limit, options.neighbours},
                     structured ? structured_iterations : subgradient_iterations);
  return plan;
}

Released<Vector> double_output_around(const Vector& center, double center_bound, const Problem& problem,
                                      const Options& options, Meter& meter) {
  const Shape shape = public_shape(problem, options);
  const DoubleOutputPlan plan = plan_double_output(shape, options, center_bound);
  const Domain domain = solved_domain(shape, options).value_or(Ball{center, options.radius});
  return perturb_twice(domain, minimiser_around(center, problem, options, plan), plan.noise, meter);
}

Release double_output(const Problem& problem, const Options& asked, Meter& meter) {
  validate(problem);
  const Options options = with_domain(asked, problem);
  require_places(options, meter);
  require_sums_only(problem, options);
  const Shape shape = public_shape(problem, options);
  const DoubleOutputPlan plan = plan_double_output(shape, options);
  const Domain domain = setting_of(shape, options, plan).domain;
  Released<Vector> w =
      perturb_twice(domain, double_output_minimiser(problem, options, plan), plan.noise, meter);
  w = onto_domain(w, stated_domain(shape, options).value_or(WholeSpace{}), plan.noise.release.grid);

  return {std::move(w),
          certify("double-output", meter, certified_options(plan, options), public_facts(shape, options))};
}

const OptionTable<Options>& double_output_table() {
  static const OptionTable<Options> table = {extended_table().lines(), places_table().lines(),
                                             domain_table().lines(), planned("local_radius")};
  return table;
}

Facts certified_options(const DoubleOutputPlan& plan, const Options& options) {
  Options run = settled(options, plan.limits, plan.regularisation);
  run.extension.gradient_bound = plan.gradient_bound;
  Facts more;
  more.set("local_radius", plan.noise.local_radius);
  return double_output_table().certified(run, more);
}

}  // namespace tacit::inline v1::heavy_tails
