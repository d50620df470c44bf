#include "algorithm/heavy_tails/double_output.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm/heavy_tails/double_plan.hpp"
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
  return {.lipschitz = plan.limits.slope,
          .regularisation = plan.regularisation,
          .center = zero,
          .domain = Ball{zero, options.radius}};
}

// The slope-limited loss and Newton's method. Its minimiser over ℝᵈ, projected onto W, serves both releases:
// the projection is nonexpansive, so that it moves no further than the minimiser.
DoublePlan plan_limited(const Shape& shape, const Options& options, const DoubleOutputPlan& plan,
                        double center_bound) {
  const double strength = checked_strength(shape, plan.regularisation);
  const GradientError error =
      gradient_error(shape, plan.limits, strength, center_bound, options.label_bound.value_or(0));
  const double distance =
      projected_distance(solver_distance(error, strength), recentring_error(center_bound, options.radius),
                         options.radius, shape.parameters());
  const Sensitivity sensitivity{
      .value = div_up(2 * plan.limits.slope, strength),
      .slack = 2 * distance,
      .norm = Norm::l2,
      .reason =
          "minimisers of nλ-strongly convex sums that differ by one C-Lipschitz record move by <= "
          "2C/(n lambda); slack: twice the certified solver distance"};
  return plan_noise(sensitivity, sensitivity, add_up(center_bound, options.radius), options.epsilon,
                    shape.parameters());
}

LocalMinimiser limited_minimiser(const Vector& center, const Problem& problem, const Options& options,
                                 const DoubleOutputPlan& plan) {
  LimitedObjective objective(
      problem, plan.limits,
      {.strength = static_cast<double>(problem.data->size()) * plan.regularisation, .center = center},
      Vector::Zero(center.size()), options.label_bound.value_or(0), options.threads);
  const Vector point = onto_ball_around(center, minimise(objective, {}).point, options.radius);
  return [point](const std::optional<Ball>&) { return point; };
}

}  // namespace

LocalMinimiser double_output_minimiser(const Problem& problem, const Options& options,
                                       const DoubleOutputPlan& plan) {
  const ExtensionSetting setting = setting_of(shape_of(problem), options, plan);
  const auto solved_by = [setting, plan](auto solver, auto loss) {
    return [=](const std::optional<Ball>& local) {
      ExtensionSetting here = setting;
      here.local = local;
      return solver(here, loss, local ? plan.noise.second_accuracy : plan.noise.first_accuracy).point;
    };
  };
  switch (options.extension.oracle) {
    case ExtensionOracle::limited:
      break;
    case ExtensionOracle::subgradient:
      return solved_by(minimise_extension, LinkLoss(problem, plan.gradient_bound, options.radius));
    case ExtensionOracle::structured:
      return solved_by(minimise_structured, polyhedral_loss(problem, plan.gradient_bound, options.radius));
  }
  return limited_minimiser(setting.center, problem, options, plan);
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
  plan.regularisation = options.regularisation.value_or(plan.limits.slope / options.radius *
                                                        std::sqrt(2 * d / (n * options.epsilon)));
  const ExtensionOracle oracle = options.extension.oracle;
  if (oracle == ExtensionOracle::limited) {
    plan.noise = plan_limited(shape, options, plan, center_bound);
    return plan;
  }
  if (center_bound > 0) throw_error<UsageError>("oracle = {} solves around 0 only", name(oracle));
  checked_strength(shape, plan.regularisation);
  if (shape.outputs != 1 || std::get<Link>(shape.loss).kind == LinkKind::poisson)
    throw_error<UsageError>(
        "oracle = {} is for losses of one output except poisson; oracle = limited takes every loss",
        name(oracle));
  if (oracle == ExtensionOracle::structured && !is_polyhedral(shape.loss))
    throw_error<UsageError>("oracle = structured is for the absolute, pinball and hinge losses");
  plan.gradient_bound = choose_gradient_bound(shape, options, plan.limits.slope);
  const bool structured = oracle == ExtensionOracle::structured;
  const LossSizes sizes{
      .records = shape.records,
      .dimension = shape.parameters(),
      .lipschitz = plan.gradient_bound,
      .error = structured ? PolyhedralLoss::error(plan.gradient_bound, options.radius, shape.features)
                          : LinkLoss::error(shape, plan.gradient_bound, options.radius)};
  plan.noise = plan_extension(setting_of(shape, options, plan), sizes,
                              {options.epsilon, options.extension.iteration_limit},
                              structured ? structured_iterations : subgradient_iterations);
  return plan;
}

Released<Vector> double_output_around(const Vector& center, double center_bound, const Problem& problem,
                                      const Options& options, Meter& meter) {
  const DoubleOutputPlan plan = plan_double_output(shape_of(problem), options, center_bound);
  return perturb_twice(Ball{center, options.radius}, limited_minimiser(center, problem, options, plan),
                       plan.noise, meter);
}

Release double_output(const Problem& problem, const Options& options, Meter& meter) {
  validate(problem);
  require_replaced_records(meter);
  const Shape shape = shape_of(problem);
  const DoubleOutputPlan plan = plan_double_output(shape, options);
  const Domain domain = setting_of(shape, options, plan).domain;
  Released<Vector> w =
      perturb_twice(domain, double_output_minimiser(problem, options, plan), plan.noise, meter);

  return {std::move(w),
          certify("double-output", meter, certified_options(plan, options), public_facts(shape, options))};
}

const OptionTable<Options>& double_output_table() {
  static const OptionTable<Options> table = {extended_table().lines(), planned("local_radius")};
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
