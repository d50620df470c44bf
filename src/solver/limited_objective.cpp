#include "solver/limited_objective.hpp"

#include <bit>
#include <cmath>

#include "solver/kernels.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

double LossLimits::gradient_norm() const { return blocks.empty() ? slope : mul_up(slope, blocks.l2_bound()); }

double GradientError::at(double distance) const { return add_up(constant, mul_up(per_distance, distance)); }

GradientError gradient_error(const Shape& shape, const LossLimits& limits, double strength,
                             double center_norm, double label_bound) {
  const double n = static_cast<double>(shape.records);
  const double c = limits.gradient_norm(), q = limits.curvature;

  // Scores: |computed ⟨a,w⟩ − ⟨a,w⟩| ≤ γ‖a‖‖w‖ moves φ'‖a‖ by at most φ''‖a‖²·γ‖w‖ ≤ Q·γ‖w‖.
  double score = gamma_bound(kernels::dot_depth(shape.features));
  double slope_error = 0;
  if (const auto* link = std::get_if<Link>(&shape.loss)) {
    slope_error = slope_rounding(*link, c, q, label_bound);
    // Poisson subtracts its rounded zero from the score (docs/limited_loss.md).
    if (link->kind == LinkKind::poisson) score = add_up(score, 8 * unit_roundoff);
  } else {
    const SoftmaxLoss softmax(std::get<Softmax>(shape.loss).classes);
    score = add_up(score, softmax.logit_rounding());
    slope_error = mul_up(softmax.gradient_rounding(), c);
  }
  const double per_norm = mul_up(n, mul_up(q, score));

  // Sum: block, two passes through the pairwise levels of a part, the parts pairwise (at most 7 levels of
  // 64), the shards pairwise, one product [docs/limited_loss.md].
  const std::size_t levels = static_cast<std::size_t>(std::bit_width(shape.records)),
                    depth = rows_in_block(shape.parameters()) + 2 * levels + joining_depth(shape.shards) + 10;
  const double sum_error = mul_up(gamma_bound(depth), mul_up(n, mul_up(c, 1.0 + 0x1p-20)));

  // strength·(w − center) + tilt: four roundings of numbers no larger than the sum's nC + strength·distance,
  // twice over (near a minimiser the tilt is at most both together), and two for a tilt that was itself
  // rounded to doubles.
  const double public_terms = 16 * unit_roundoff;
  const double constant =
      add_up(add_up(mul_up(n, slope_error), sum_error), mul_up(public_terms, mul_up(n, c)));
  // The doubles near a center of norm r are u·r apart, which strength·(w − center) shows.
  const double at_center = mul_up(add_up(per_norm, mul_up(public_terms, strength)), center_norm);
  return {.constant = add_up(constant, at_center),
          .per_distance = add_up(per_norm, mul_up(public_terms, strength))};
}

LimitedObjective::LimitedObjective(const Problem& problem, const LossLimits& limits, Regulariser regulariser,
                                   Vector tilt, double label_bound, unsigned threads)
    : shape_(shape_of(problem)),
      regulariser_(std::move(regulariser)),
      tilt_(std::move(tilt)),
      curvature_limit_(limits.curvature),
      error_(tacit::gradient_error(shape_, limits, regulariser_.strength, next_up(regulariser_.center.norm()),
                                   label_bound)),
      sums_(limited_sums(problem, limits, label_bound, threads)) {}

double LimitedObjective::smoothness() const {
  return static_cast<double>(shape_.records) * curvature_limit_ + regulariser_.strength;
}

double LimitedObjective::strength_of(std::size_t parameter) const {
  const bool intercept = shape_.intercept != 0 && parameter % shape_.features == shape_.features - 1;
  return intercept && regulariser_.intercept_free ? 0.0 : regulariser_.strength;
}

void LimitedObjective::gradient(const Vector& w, Vector& gradient, Matrix* hessian) {
  w_ = w;
  sums_->gradient(w, gradient, hessian);
  add_public_terms(w, gradient, hessian);
}

void LimitedObjective::add_public_terms(const Vector& w, Vector& gradient, Matrix* hessian) const {
  for (Eigen::Index j = 0; j < w.size(); ++j) {
    const double strength = strength_of(static_cast<std::size_t>(j));
    gradient[j] += strength * (w[j] - regulariser_.center[j]) + tilt_[j];
    if (hessian) (*hessian)(j, j) += strength;
  }
}

void LimitedObjective::curvature(const Vector& direction, Vector& result) {
  sums_->curvature(direction, result);
  for (Eigen::Index j = 0; j < direction.size(); ++j)
    result[j] += strength_of(static_cast<std::size_t>(j)) * direction[j];
}

void LimitedObjective::prepare_line(const Vector& direction) {
  direction_ = direction;
  sums_->prepare_line(direction);
}

double LimitedObjective::line_slope(double t) const {
  double total = sums_->line_slope(t, tilt_.dot(direction_));
  for (Eigen::Index j = 0; j < direction_.size(); ++j)
    total += strength_of(static_cast<std::size_t>(j)) * (w_[j] + t * direction_[j] - regulariser_.center[j]) *
             direction_[j];
  return total;
}

}  // namespace tacit::inline v1
