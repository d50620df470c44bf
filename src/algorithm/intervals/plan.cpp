#include <algorithm>
#include <cmath>

#include "algorithm/heavy_tails/limited_objective.hpp"
#include "algorithm/heavy_tails/private_limits.hpp"
#include "algorithm/intervals/intervals.hpp"
#include "algorithm/intervals/weight.hpp"
#include "privacy/accounting/calibrate.hpp"
#include "solver/record_moments.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/method.hpp"

namespace tacit::inline v1::intervals {

namespace {

// One record adds two positive semidefinite matrices of Frobenius norm ≤ 1, the second times `weight`. Where
// it is replaced the differences are ≤ √2 each: ‖h − h′‖² = ‖h‖² + ‖h′‖² − 2⟨h,h′⟩, and ⟨h,h′⟩ ≥ 0.
// Slack: the row times its factor is rounded, so that its norm is ≤ 1 + 2u (the square ≤ 1 + 5u), and twice
// the rounding of the sum.
Sensitivity sensitivity_of(std::size_t records, std::size_t features, Neighbours neighbours) {
  const bool replaced = neighbours == Neighbours::replace_one;
  const double both = sqrt_up(add_up(1, variation_weight * variation_weight));
  const double value = replaced ? mul_up(sqrt_up(2), both) : both;
  const double rounding = record_moments_rounding(records, features, variation_weight);
  return {.value = value,
          .slack = add_up(mul_up(16 * unit_roundoff, value), 2 * rounding),
          .norm = Norm::l2,
          .reason = replaced ? "one record adds two matrices of Frobenius norm <= 1 and 1/2, both positive "
                               "semidefinite, so two differ by <= sqrt(2) of that"
                             : "one record adds two matrices of Frobenius norm <= 1 and 1/2"};
}

Step step_for(const Guarantee& cost, const Sensitivity& sensitivity, double range, std::size_t dimension) {
  if (const auto* pure = std::get_if<Pure>(&cost))
    return noise::plan_isotropic_laplace(sensitivity, noise::scale_for(sensitivity, *pure), range, dimension);
  const auto* approx = std::get_if<Approx>(&cost);
  const double mu = approx ? calibrate_gaussian(*approx) : std::get<Gaussian>(cost).mu;
  const double sigma = div_up(sensitivity.total(), mu * (1 - 1e-12));
  return noise::plan_gaussian(sensitivity, sigma, range, dimension);
}

bool has_curvature(const LossSpec& loss) {
  const auto* link = std::get_if<Link>(&loss);
  if (link == nullptr) return false;
  switch (link->kind) {
    case LinkKind::squared:
    case LinkKind::huber:
    case LinkKind::logistic:
      return true;
    default:
      return false;
  }
}

}  // namespace

Plan plan(const Fit& fit, const Guarantee& cost) {
  const Facts& options = fit.options;
  const Shape shape = shape_from(fit.assumed_public);
  Plan plan;
  plan.limits = {.slope = options.number("slope_limit"), .curvature = options.number("curvature_limit")};
  if (options.has("feature_blocks"))
    plan.limits.blocks = FeatureBlocks::parse(options.text("feature_blocks"));
  if (fit.assumed_public.has("label_bound")) plan.label_bound = fit.assumed_public.number("label_bound");
  const double records = static_cast<double>(shape.records);
  plan.strength = records * options.number("regularisation");
  plan.features = shape.features;
  plan.range = add_up(mul_up(records, 1.0 + 0x1p-20), 1);
  // The moments of noise in a plane are not known here; fits with intervals have noise in all of K.
  if (plan.limits.blocks.in_plane() || !has_curvature(shape.loss) || shape.features == 0 ||
      shape.features > most_parameters || !(plan.strength > 0) || !(plan.limits.curvature > 0) ||
      !(plan.limits.slope > 0))
    throw_error<VerificationError>("there are no intervals for such a fit");
  const Sensitivity sensitivity = sensitivity_of(shape.records, shape.features, fit.neighbours);
  plan.step = step_for(cost, sensitivity, plan.range, 2 * triangle_size(shape.features));
  return plan;
}

std::string why_not(const std::string& method) {
  if (noise_entry(method) != NoiseEntry::unknown) return "";
  const auto row = std::ranges::find(methods(), method, &Method::name);
  if (row != methods().end() && row->unit == Unit::user)
    return fmt::format(
        "{} does not end at a minimiser with noise of a known law; make one record of each user's records "
        "and fit those, or leave the intervals out",
        method);
  return fmt::format(
      "the law of the noise in the parameters of {} is not known; that of limited-objective and "
      "limited-output is",
      method);
}

std::string why_not(const std::string& method, const Shape& shape, const Facts& options) {
  if (std::string why = why_not(method); !why.empty()) return why;
  if (!has_curvature(shape.loss)) return "they are for the losses logistic, squared and huber";
  if (shape.features > most_parameters)
    return fmt::format("{} parameters are more than {}; the encoder linear makes fewer", shape.features,
                       most_parameters);
  if (options.has("domain")) return "a domain cuts the noise off";
  heavy_tails::Options common = heavy_tails::Options::from(options);
  if (!shape.blocks.empty() && !common.row_norm_bound) common.row_norm_bound = shape.blocks.l2_bound();
  if (heavy_tails::needs_private_limits(shape, common))
    return "the size of rows and labels must be known: give a schema with ranges, the target's too";
  return "";
}

Released<Vector> release(const Plan& plan, const Problem& problem, const Vector& w, unsigned threads,
                         Meter& meter) {
  const Sensitive<Vector> moments(
      record_moments(problem, plan.limits, plan.label_bound, w, variation_weight, threads),
      plan.step.sensitivity, meter.budget().neighbours);
  const auto mechanism = plan.step.mechanism == "gaussian" ? noise::gaussian : noise::isotropic_laplace;
  return mechanism(moments, plan.step.scale, plan.range, meter);
}

}  // namespace tacit::inline v1::intervals
