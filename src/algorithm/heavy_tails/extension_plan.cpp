#include "algorithm/heavy_tails/extension_plan.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm/heavy_tails/limited_over_domain.hpp"
#include "domain/local.hpp"

namespace tacit::inline v1::heavy_tails {

namespace {

// Q: the extension with its kinks rounded off is within (A + 3C/2)√d·C/Q of f_C. Beyond 2^20·λ a solver would
// take long where W binds, for a rounding that is far below the noise.
double rounding_curvature(const Shape& shape, double slope, double regularisation, double diameter) {
  const auto n = static_cast<double>(shape.records);
  return std::max(regularisation * std::min(36 * n * n, 0x1p20), div_up(slope, diameter));
}

}  // namespace

ExtensionPlan plan_extension_solver(const Shape& shape, const LossLimits& limits, double regularisation,
                                    double gradient_bound, const Options& options, const Domain& domain) {
  const double slope = limits.slope, diameter = LocalDomain(domain).diameter();
  ExtensionPlan plan;
  plan.setting = {.lipschitz = slope,
                  .gradient_bound = gradient_bound,
                  .curvature = rounding_curvature(shape, slope, regularisation, diameter),
                  .regularisation = regularisation,
                  .records = shape.records,
                  .center = LocalDomain(domain).some_point(),
                  .domain = domain};
  // Of a mean with the weight λ, whose nλ is no double: what is divided by must not be above it.
  static_cast<void>(checked_strength(shape, regularisation));
  const double strength = mul_down(regularisation, static_cast<double>(shape.records));
  plan.solver = {.domain = domain,
                 .strength = regularisation,
                 .curvature = plan.setting.curvature,
                 .pull = slope,
                 .lipschitz = add_up(slope, mul_up(regularisation, diameter)),
                 .error = extended_error(plan.setting, shape),
                 .residual = residual_share * slope / static_cast<double>(shape.records)};
  plan.solver.penalty = penalty_for(shape, options, plan.solver.lipschitz, diameter);
  const double distance = constrained_distance(plan.solver);
  require_fine(distance, div_up(2 * slope, strength), diameter);
  plan.sensitivity = minimiser_sensitivity(slope, strength, distance, options.neighbours);
  return plan;
}

Vector solve_extension(const Problem& problem, const ExtensionPlan& plan, const Vector& center,
                       unsigned threads) {
  ExtendedSetting setting = plan.setting;
  setting.center = center;
  ExtendedObjective objective(problem, setting, threads);
  const ConstrainedOracle oracle{.gradient = [&](const Vector& w, Vector& g) { objective.gradient(w, g); },
                                 .round_off = [&](double curvature) { objective.round_off(curvature); }};
  return minimise_constrained(plan.solver, oracle, center).point;
}

}  // namespace tacit::inline v1::heavy_tails
