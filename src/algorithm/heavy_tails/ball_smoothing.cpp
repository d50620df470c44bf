#include "algorithm/heavy_tails/ball_smoothing.hpp"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

#include "loss/limited.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::heavy_tails {

namespace {

// The slopes to the left and right of the kink, and where it is, for a record with label y.
struct Kink {
  double left, right, at;
};

Kink kink_of(const Link& link, double y) {
  switch (link.kind) {
    case LinkKind::absolute:
      return {-1, 1, y};
    case LinkKind::pinball:
      return {-link.parameter, 1 - link.parameter, y};
    default:  // hinge: slope −y where y·s < 1
      return y > 0 ? Kink{-1, 0, 1} : Kink{0, 1, -1};
  }
}

// P(t ≤ x) for the first coordinate of a uniform point of the unit ball of ℝᵖ: (1+t)/2 is Beta((p+1)/2,
// (p+1)/2).
double coordinate_cdf(double x, std::size_t dimension) {
  if (!(x > -1)) return 0;
  if (x >= 1) return 1;
  const double shape = 0.5 * (static_cast<double>(dimension) + 1);
  return boost::math::ibeta(shape, shape, 0.5 * (1 + x));
}

}  // namespace

bool has_one_kink(const LossSpec& loss) {
  const auto* link = std::get_if<Link>(&loss);
  return link && (link->kind == LinkKind::absolute || link->kind == LinkKind::pinball ||
                  link->kind == LinkKind::hinge);
}

BallSmoothed::BallSmoothed(const Problem& problem, double slope_limit, double smoothing_radius)
    : problem_(&problem), slope_limit_(slope_limit), smoothing_radius_(smoothing_radius) {}

// A product by a slope of at most C/‖a‖, and the norm's own rounding.
double BallSmoothed::rounding(std::size_t parameters) { return gamma_bound(2 * parameters + 16); }

// Limited like the loss itself: where C/‖a‖ is below the link's steepest slope, all slopes shrink alike.
double BallSmoothed::slope(std::size_t record, double score) const {
  const Link& link = std::get<Link>(problem_->loss);
  thread_local RowRoom room;
  const double norm = row_norm(problem_->data->features.row(record, room), problem_->intercept);
  if (!(norm > 0 && std::isfinite(norm))) return 0;
  const Kink kink = kink_of(link, problem_->data->labels[record]);
  const double steepest = std::fmax(-kink.left, kink.right);
  const double below =
      coordinate_cdf((score - kink.at) / (smoothing_radius_ * norm), shape_of(*problem_).parameters());
  const double slope = std::clamp(kink.left + (kink.right - kink.left) * below, kink.left, kink.right);
  return slope * std::fmin(1, slope_limit_ / norm / steepest);
}

void BallSmoothed::add_gradient(const Vector& w, std::size_t record, std::span<double> sum) const {
  double score = 0;
  scores(*problem_, record, w, {&score, 1});
  const double slope = this->slope(record, score);
  if (slope == 0) return;
  thread_local RowRoom room;
  const RowView row = problem_->data->features.row(record, room);
  for (std::size_t k = 0; k < row.size; ++k) sum[row.columns ? row.columns[k] : k] += slope * row.values[k];
  if (problem_->intercept != 0) sum.back() += slope * problem_->intercept;
}

Vector BallSmoothed::gradient(const Vector& w) const {
  Vector sum = Vector::Zero(w.size());
  const std::span<double> view(sum.data(), static_cast<std::size_t>(sum.size()));
  for (std::size_t i = 0; i < problem_->data->size(); ++i) add_gradient(w, i, view);
  return sum;
}

}  // namespace tacit::inline v1::heavy_tails
