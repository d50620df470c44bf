#include "tacit/algorithm/heavy_tails/limited_objective.hpp"

#include <algorithm>
#include <cmath>

#include "tacit/core/error.hpp"
#include "tacit/core/rounding.hpp"
#include "tacit/domain/domain.hpp"
#include "tacit/noise/mechanisms.hpp"
#include "tacit/privacy/accounting/calibrate.hpp"
#include "tacit/solver/certified.hpp"

namespace tacit::inline v1::heavy_tails {

namespace {

// Shares of epsilon [heuristic: utility only].
constexpr double erase_share = 0.01;
constexpr double jacobian_share = 0.3;

// How far noise that costs what is left moves w, about, times nλ/(2C): d/ε for isotropic Laplace noise, √d/μ
// for Gaussian noise.
double relative_noise(double parameters, const Options& options) {
  if (!options.delta) return parameters / options.epsilon;
  return std::sqrt(parameters) / calibrate_gaussian({options.epsilon, *options.delta});
}

// λ = max(Q/(n(e^{0.3ε/rank} − 1)), 2C·noise/(nR)) [heuristic: utility only]: the Jacobian term then takes at
// most 0.3ε, and the noise alone moves w by no more than about R.
double choose_regularisation(const Shape& shape, const LossLimits& limits, const Options& options) {
  if (options.regularisation) return *options.regularisation;
  const double n = static_cast<double>(shape.records), d = static_cast<double>(shape.parameters());
  const double rank = static_cast<double>(shape.outputs);
  return std::max(limits.curvature / (n * std::expm1(jacobian_share * options.epsilon / rank)),
                  2 * limits.slope * relative_noise(d, options) / (n * options.radius));
}

// A record's gradient, as the output varies, stays within the hull of few points: two for a linear model
// (none is 0 when the slope can have either sign), 0 and one for each other class for softmax. The counts of
// pairs of these points, one for each of two records, by how far apart they lie [docs/gaussian_objective.md].
GaussianObjectiveEvent corners_of(const Shape& shape) {
  const auto rank = static_cast<std::uint64_t>(shape.outputs);
  const auto* link = std::get_if<Link>(&shape.loss);
  const bool either_sign = link && !facts(*link).classification;
  return {.mu = 1, .jacobian = 0, .far = either_sign ? 2 : rank * rank, .near = 2 * rank};
}

// The scale of the noise and what it costs, with this Jacobian term and the eraser beside it. At one output
// the two b's differ by ≤ shift = 2C.
struct Noise {
  double scale;
  Event event;
};

// b has density ∝ exp(−‖b‖/scale).
Noise laplace_noise(double shift, double jacobian, double erase_epsilon, const Shape& shape,
                    const LossLimits& limits, const Options& options) {
  const double left = (options.epsilon - erase_epsilon - jacobian) * (1 - 1e-12);
  if (!(left > 1e-3 * options.epsilon))
    throw_error<UsageError>(
        "epsilon {} leaves nothing for noise: the Jacobian term {:.4g} = {} ln(1 + Q/(n lambda)) takes all; "
        "a "
        "regularisation above {:.4g} is needed",
        options.epsilon, jacobian, shape.outputs,
        limits.curvature / (static_cast<double>(shape.records) *
                            std::expm1(0.5 * options.epsilon / static_cast<double>(shape.outputs))));
  const double scale = div_up(shift, left);
  return {scale, PureEvent{add_up(div_up(shift, scale), jacobian)}};
}

// b ~ N(0, scale²I). The accountant's grid may differ a little with mu: a part in 10⁵ is left for that.
Noise gaussian_noise(double shift, double jacobian, double erase_epsilon, const Shape& shape,
                     const Options& options) {
  GaussianObjectiveEvent event = corners_of(shape);
  event.jacobian = jacobian;
  const Event erasure = PureEvent{erase_epsilon};
  const double mu = calibrate_objective(event, {&erasure, 1}, {options.epsilon * (1 - 1e-5), *options.delta});
  const double scale = div_up(shift, mu);
  event.mu = div_up(shift, scale);
  return {scale, event};
}

}  // namespace

ObjectivePlan plan_limited_objective(const Shape& shape, const Options& options) {
  return plan_limited_objective(shape, options, 0);
}

ObjectivePlan plan_limited_objective(const Shape& shape, const Options& options, double center_bound) {
  options.validate();
  if (options.mu)
    throw_error<UsageError>(
        "objective perturbation is not mu-GDP for any mu; give epsilon, or epsilon and delta");
  ObjectivePlan plan;
  plan.limits = choose_limits(shape, options);
  plan.regularisation = choose_regularisation(shape, plan.limits, options);
  plan.radius = projection_radius(options);

  // Notation: C, Q = limits, strength = nλ, rank = outputs.
  const double strength = checked_strength(shape, plan.regularisation);
  const double rank = static_cast<double>(shape.outputs);

  // Jacobian ratio ≤ (1 + Q/(nλ))^rank: the n−1 shared records and the regulariser give H₀ ⪰ nλI, and one
  // record's Hessian has norm ≤ Q and rank ≤ `rank` [docs/limited_objective.md, step 3].
  const double jacobian = mul_up(rank, log1p_up(div_up(plan.limits.curvature, strength)));
  plan.erase_epsilon = erase_share * options.epsilon;
  const double shift = 2 * plan.limits.slope;
  const Noise noise = options.delta
                          ? gaussian_noise(shift, jacobian, plan.erase_epsilon, shape, options)
                          : laplace_noise(shift, jacobian, plan.erase_epsilon, shape, plan.limits, options);
  plan.perturbation = {
      .mechanism = "objective-perturbation",
      .event = noise.event,
      .sensitivity =
          {.value = shift,
           .slack = 0,
           .norm = Norm::l2,
           .reason = "one record's gradient has norm <= C, so two differ by <= 2C; the Jacobian ratio adds "
                     "rank ln(1 + Q/(n lambda))"},
      .scale = noise.scale,
      .grid = noise::perturbation_grid(noise.scale),
      .dimension = shape.parameters()};

  // t': solver, rounding of b (the minimiser moves by ≤ ‖δb‖/(nλ)), projection.
  const GradientError error =
      gradient_error(shape, plan.limits, strength, center_bound, options.label_bound.value_or(0));
  const double rounding =
      add_up(div_up(noise::perturbation_rounding(plan.perturbation.grid, shape.parameters()), strength),
             recentring_error(center_bound, plan.radius));
  plan.distance =
      projected_distance(solver_distance(error, strength), rounding, plan.radius, shape.parameters());
  plan.range = add_up(center_bound, plan.radius);
  plan.erasure = noise::plan_erase(plan.distance, Pure{plan.erase_epsilon}, plan.range, shape.parameters());
  return plan;
}

Released<Vector> limited_objective_around(const Vector& center, double center_bound, const Problem& problem,
                                          const Options& options, Meter& meter) {
  const Shape shape = shape_of(problem);
  const ObjectivePlan plan = plan_limited_objective(shape, options, center_bound);

  // 1. Draw b, exactly on its grid.
  const noise::Perturbation b = noise::perturb(plan.perturbation, meter);

  // 2. w* = argmin Σ φᵢ(⟨aᵢ,w⟩) + (nλ/2)‖w − center‖² + ⟨b,w⟩, within a certified distance.
  const double strength = static_cast<double>(shape.records) * plan.regularisation;
  LimitedObjective objective(problem, plan.limits, {.strength = strength, .center = center}, b.value,
                             options.label_bound.value_or(0), options.threads);
  const Certified solution = minimise(objective, {});

  // 3. Project onto the public ball, so that the distance has a public bound; erase it.
  const Ideal<Vector> ideal(onto_ball_around(center, solution.point, plan.radius), plan.distance,
                            "certified solver distance, rounding of b and of the projection");
  return noise::erase(ideal, Pure{plan.erase_epsilon}, plan.range, meter);
}

Release limited_objective(const Problem& problem, const Options& options, Meter& meter) {
  validate(problem);
  require_replaced_records(meter);
  const Shape shape = shape_of(problem);
  const ObjectivePlan plan = plan_limited_objective(shape, options);

  const Vector zero = Vector::Zero(static_cast<Eigen::Index>(shape.parameters()));
  Released<Vector> w = limited_objective_around(zero, 0, problem, options, meter);
  // 4. Onto the domain: post-processing.
  if (!std::holds_alternative<WholeSpace>(problem.domain))
    w = w.map([&](const Vector& x) { return project(problem.domain, x).point; });

  Facts certified = option_facts(options, plan.limits, plan.regularisation);
  certified.set("projection_radius", plan.radius);
  certified.set("distance", plan.distance);
  return {std::move(w),
          certify("limited-objective", meter, std::move(certified), public_facts(shape, options))};
}

}  // namespace tacit::inline v1::heavy_tails
