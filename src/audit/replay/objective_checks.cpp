#include "audit/replay/objective_checks.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "algorithm/heavy_tails/options.hpp"
#include "audit/replay/worst.hpp"
#include "core/symmetric.hpp"
#include "solver/certified.hpp"

namespace tacit::inline v1::audit {

namespace {

// How far b is from the plane of the full blocks: the most by which their sums, over their bounds, differ.
double off_plane(const FeatureBlocks& blocks, const Vector& b) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  Eigen::Index first = 0;
  for (const auto& [size, bound, full] : blocks.list()) {
    const double sum = b.segment(first, static_cast<Eigen::Index>(size)).sum() / bound;
    first += static_cast<Eigen::Index>(size);
    if (!full) continue;
    least = std::min(least, sum);
    most = std::max(most, sum);
  }
  return most - least;
}

// What an error of this ℓ2 norm can be in the gauge: ‖e_j‖₁/ρ_j ≤ √k_j·‖e‖₂/ρ_j.
double size_of_error(const FeatureBlocks& blocks, double error) {
  double most = blocks.empty() ? 1 : 0;
  for (const auto& [size, bound, full] : blocks.list())
    most = std::max(most, std::sqrt(static_cast<double>(size)) / bound);
  return error * most;
}

// The ideal mechanism as the certificate states it. Notation [docs/limited_objective.md,
// docs/shaped_noise.md]: C, Q = limits (s, Q with blocks), strength = nλ.
struct IdealObjective {
  LossLimits limits;
  double strength = 0, label_bound = 0, radius = 0;
  bool replaced = true;  // one record by another; else it is there or not

  explicit IdealObjective(const Certificate& certificate) {
    const Facts &options = certificate.options, &known = certificate.assumed_public;
    limits = {options.number("slope_limit"), options.number("curvature_limit")};
    strength = known.number("records") * options.number("regularisation");
    label_bound = known.has("label_bound") ? known.number("label_bound") : 0;
    radius = options.number("projection_radius");
    if (options.has("feature_blocks")) limits.blocks = FeatureBlocks::parse(options.text("feature_blocks"));
    if (options.has("neighbours"))
      replaced = parse_neighbours(options.text("neighbours")) == Neighbours::replace_one;
  }

  // How far apart the gradients of two neighbours may be: 2C, or C; 2s or s in the gauge.
  double shift() const { return replaced ? 2 * limits.slope : limits.slope; }
  // The norm that the noise depends on.
  double size(const Vector& b, std::size_t outputs) const {
    if (limits.blocks.empty()) return b.norm();
    return limits.blocks.gauge({b.data(), static_cast<std::size_t>(b.size())}, outputs);
  }
  LimitedObjective on(const Problem& problem, const Vector& tilt) const {
    return {problem, limits,      {.strength = strength, .center = Vector::Zero(tilt.size())},
            tilt,    label_bound, 1};
  }
};

// b(w) = −Σ∇φᵢ(w) − nλw, the one noise that leads to w, up to sign, and ln det of its Jacobian.
struct AtOutput {
  Vector gradient;
  double log_jacobian = 0;
};

AtOutput at_output(LimitedObjective& objective, const Vector& w) {
  const Eigen::Index p = w.size();
  AtOutput at;
  Matrix hessian(p, p);
  objective.gradient(w, at.gradient, objective.shape().outputs == 1 ? &hessian : nullptr);
  if (objective.shape().outputs > 1)
    for (Eigen::Index j = 0; j < p; ++j) {
      Vector column;
      objective.curvature(Vector::Unit(p, j), column);
      hessian.col(j) = column;
    }
  at.log_jacobian = log_determinant(hessian);
  return at;
}

// Outputs to look at: those that came out, random ones of all sizes, and far ones along the direction in
// which the two datasets pull differently, where the density ratio is largest.
std::vector<Vector> outputs_to_check(const Replayed& replayed, const IdealObjective& ideal,
                                     const Vector& pull) {
  std::vector<Vector> outputs{Vector::Zero(pull.size())};
  for (const WatchedRun& run : replayed.runs) outputs.push_back(run.release->parameters.value());
  const double pull_norm = pull.norm();
  std::mt19937_64 random(1);  // where to look, not noise
  std::normal_distribution<> normal;
  for (const double size : {1e-3, 0.1, 1.0, 10.0, ideal.radius, 100 * ideal.radius}) {
    for (int k = 0; k < 3; ++k) {
      Vector w(pull.size());
      for (double& x : w) x = size * normal(random);
      outputs.push_back(std::move(w));
    }
    if (pull_norm > 0)
      for (const double side : {-1.0, 1.0}) outputs.push_back(pull * (side * size / pull_norm));
  }
  return outputs;
}
// How large ln p(w)/p'(w) may be at an output w that the noise b, of this norm, leads to.
double allowed_ratio(const Event& event, double noise_norm, double scale) {
  if (const auto* pure = std::get_if<PureEvent>(&event)) return pure->epsilon;
  // ⟨b,Δ⟩/σ² + ‖Δ‖²/(2σ²) and the Jacobians', with ‖Δ‖ ≤ mu·σ [docs/gaussian_objective.md]
  const auto& gaussian = std::get<GaussianObjectiveEvent>(event);
  return gaussian.jacobian + gaussian.mu * noise_norm / scale + gaussian.mu * gaussian.mu / 2;
}

// ln ν(b)/ν(b') for the noise that the step draws.
double noise_ratio(const Step& step, double first, double second) {
  if (std::holds_alternative<PureEvent>(step.event)) return (second - first) / step.scale;
  return (second - first) / step.scale * (second + first) / step.scale / 2;
}

// What the step charges against what the proof needs.
std::vector<Check> cost_checks(const Step& step, const Shape& shape, bool replaced, double sensitivity,
                               double jacobian_bound) {
  constexpr double rounded = 1 - 1e-14;
  const double shift = sensitivity / step.scale;
  if (const auto* pure = std::get_if<PureEvent>(&step.event))
    return {{CheckKind::account,
             "step 1 (objective-perturbation): the shift over scale and the Jacobian's term, within what is "
             "charged",
             "", pure->epsilon, (shift + jacobian_bound) * rounded}};
  const auto& gaussian = std::get<GaussianObjectiveEvent>(step.event);
  const auto* link = std::get_if<Link>(&shape.loss);
  const auto rank = static_cast<double>(shape.outputs);
  const double far = link && !facts(*link).classification ? 2 : replaced ? rank * rank : rank;
  return {
      {CheckKind::account, "step 1 (objective-perturbation): the shift over scale, within what is charged",
       "", gaussian.mu, shift * rounded},
      {CheckKind::account, "step 1 (objective-perturbation): the Jacobian's term, within what is charged", "",
       gaussian.jacobian, jacobian_bound * rounded},
      {CheckKind::account, "step 1 (objective-perturbation): far corners, within what is charged", "",
       static_cast<double>(gaussian.far), far},
      {CheckKind::account, "step 1 (objective-perturbation): near corners, within what is charged", "",
       static_cast<double>(gaussian.near), replaced ? 2 * rank : 0}};
}

std::vector<Check> density_checks(const Replayed& replayed, const IdealObjective& ideal,
                                  const Opened& noise) {
  const Step& step = noise.step;
  const Vector none = Vector::Zero(static_cast<Eigen::Index>(noise.value.size()));
  LimitedObjective first = ideal.on(replayed.problems[0], none),
                   second = ideal.on(replayed.problems[1], none);
  const double rank = static_cast<double>(first.shape().outputs);
  const double jacobian_bound = rank * std::log1p(ideal.limits.curvature / ideal.strength);
  constexpr double log_det_rounding = 1e-9;  // of a Cholesky factor of a few well scaled columns

  const std::size_t outputs = first.shape().outputs;
  Check gradient{CheckKind::ideal,
                 "step 1 (objective-perturbation): gradients at one output, within the sensitivity", "", 0,
                 0};
  Check jacobian{CheckKind::ideal,
                 "step 1 (objective-perturbation): Jacobians at one output, within rank ln(1 + Q/(n lambda))",
                 "", 0, 0};
  Check density{CheckKind::density,
                "step 1 (objective-perturbation): log-densities at one output, within what it charges", "", 0,
                0};
  const Vector pull = at_output(first, none).gradient - at_output(second, none).gradient;
  const std::vector<Vector> looked_at = outputs_to_check(replayed, ideal, pull);
  for (const Vector& w : looked_at) {
    const AtOutput a = at_output(first, w), b = at_output(second, w);
    const double rounding = 2 * size_of_error(ideal.limits.blocks, first.gradient_error().at(w.norm()));
    const double first_noise = ideal.size(a.gradient, outputs),
                 second_noise = ideal.size(b.gradient, outputs);
    const double log_ratio = noise_ratio(step, first_noise, second_noise) + a.log_jacobian - b.log_jacobian;
    const double allowed = allowed_ratio(step.event, std::min(first_noise, second_noise), step.scale);
    const double relative = rounding / step.scale;
    keep_worst(gradient, step.sensitivity.total() + rounding, ideal.size(a.gradient - b.gradient, outputs));
    keep_worst(jacobian, jacobian_bound + log_det_rounding, std::fabs(a.log_jacobian - b.log_jacobian));
    keep_worst(density,
               allowed + relative * (1 + (first_noise + second_noise) / step.scale) + log_det_rounding,
               std::fabs(log_ratio));
  }
  // What the certificate says of the limits decides; a sensitivity that was stated smaller does not help.
  const double sensitivity = std::max(step.sensitivity.total(), ideal.shift());
  std::vector<Check> checks = cost_checks(step, first.shape(), ideal.replaced, sensitivity, jacobian_bound);
  checks.insert(checks.begin(), {gradient, jacobian, density});
  if (ideal.limits.blocks.in_plane())
    checks.push_back(plane_check(ideal.limits.blocks, first, second, looked_at));
  return checks;
}

// The noise cover's value against the ideal sample for the same b: a solve of our own is within
// `certified.distance` of the minimiser, and projecting onto the ball shrinks that by radius/‖w‖ where ‖w‖ is
// larger.
Check cover_check(const Problem& problem, const IdealObjective& ideal, const Opened& noise,
                  const Opened& covered) {
  const auto vector = [](const std::vector<double>& x) {
    return Vector(Eigen::Map<const Vector>(x.data(), static_cast<Eigen::Index>(x.size())));
  };
  LimitedObjective objective = ideal.on(problem, vector(noise.value));
  const Certified solved = minimise(objective, {});
  const double norm = std::max(ideal.radius, solved.point.norm() - solved.distance);
  const double to_ideal = solved.distance * (ideal.radius / norm);
  const double to_ours = (vector(covered.value) - onto_ball(solved.point, ideal.radius)).norm();
  return {CheckKind::ideal, "step 2 (noise cover): distance to the ideal sample, within half its sensitivity",
          "", covered.step.sensitivity.total() / 2, to_ideal + to_ours};
}

}  // namespace

Check plane_check(const FeatureBlocks& blocks, LimitedObjective& first, LimitedObjective& second,
                  const std::vector<Vector>& outputs) {
  Check plane{CheckKind::ideal,
              "step 1 (objective-perturbation): gradients at one output differ within the plane of the noise",
              "", 0, 0};
  for (const Vector& w : outputs) {
    Vector a, b;
    first.gradient(w, a, nullptr);
    second.gradient(w, b, nullptr);
    // Rounding moves each of two sums by as much as it moves the gauge, or less.
    const double rounding = 2 * size_of_error(blocks, first.gradient_error().at(w.norm()));
    keep_worst(plane, 2 * rounding, off_plane(blocks, a - b));
  }
  return plane;
}

std::vector<Check> objective_checks(const Replayed& replayed) {
  const auto &a = replayed.runs[0].opened, &b = replayed.runs[1].opened;
  const Check wrong_steps{CheckKind::outcome, "the steps are an objective perturbation and a noise cover", "",
                          0, 1};
  for (const auto* opened : {&a, &b})
    if (opened->size() != 2 || (*opened)[0].step.mechanism != "objective-perturbation" ||
        (*opened)[1].step.mechanism != "noise-cover")
      return {wrong_steps};
  const IdealObjective ideal(replayed.runs[0].release->certificate);
  std::vector<Check> checks = density_checks(replayed, ideal, a[0]);
  checks.push_back(cover_check(replayed.problems[0], ideal, a[0], a[1]));
  checks.push_back(cover_check(replayed.problems[1], ideal, b[0], b[1]));
  return checks;
}

}  // namespace tacit::inline v1::audit
