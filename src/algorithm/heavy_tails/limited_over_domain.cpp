#include "algorithm/heavy_tails/limited_over_domain.hpp"

#include "domain/local.hpp"

namespace tacit::inline v1::heavy_tails {

Penalty penalty_for(const Shape& shape, const Options& options, double lipschitz, double diameter) {
  const std::optional<Domain> domain = stated_domain(shape, options);
  if (!domain || std::holds_alternative<Ball>(*domain) || std::holds_alternative<Box>(*domain)) return {};
  return {*domain, 128 * lipschitz / diameter, options.radius};
}

DomainPlan plan_over_domain(const Shape& shape, const LossLimits& limits, double regularisation,
                            const Options& options, const Domain& domain) {
  const double strength = checked_strength(shape, regularisation), slope = limits.gradient_norm();
  const double diameter = LocalDomain(domain).diameter();
  const auto n = static_cast<double>(shape.records);
  // Of the sum; one more rounding makes it the mean's.
  const GradientError error =
      gradient_error(shape, limits, strength, largest_norm(domain), options.label_bound.value_or(0));
  DomainPlan plan;
  plan.solver = {.domain = domain,
                 .strength = div_down(strength, n),
                 .curvature = limits.curvature,
                 .pull = slope,
                 .lipschitz = add_up(slope, mul_up(regularisation, diameter)),
                 .error = {.vector = div_up(mul_up(1.01, error.at(diameter)), n), .cut = 0},
                 .residual = residual_share * slope / n};
  plan.solver.penalty = penalty_for(shape, options, plan.solver.lipschitz, diameter);
  plan.distance = constrained_distance(plan.solver);
  require_fine(plan.distance, div_up(2 * slope, strength), diameter);
  return plan;
}

Vector solve_over_domain(const Problem& problem, const Shape& shape, const LossLimits& limits,
                         const Options& options, const DomainPlan& plan, const Vector& center) {
  const auto n = static_cast<double>(shape.records);
  LimitedObjective objective(problem, limits, {.strength = n * *options.regularisation, .center = center},
                             Vector::Zero(center.size()), options.label_bound.value_or(0), options.threads);
  ConstrainedOracle oracle{.gradient = [&](const Vector& w, Vector& g) {
    objective.gradient(w, g, nullptr);
    g /= n;
  }};
  if (std::holds_alternative<Link>(shape.loss))
    oracle.round_off = [&](double curvature) { objective.soften(curvature / limits.curvature); };
  return minimise_constrained(plan.solver, oracle, center).point;
}

}  // namespace tacit::inline v1::heavy_tails
