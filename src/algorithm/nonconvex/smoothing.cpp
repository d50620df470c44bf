#include "algorithm/nonconvex/smoothing.hpp"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <numbers>

#include "core/log_gamma.hpp"

namespace tacit::inline v1::nonconvex {

double smoothness_constant(std::size_t dimension) {
  const double d = static_cast<double>(dimension);
  return 2 * std::numbers::inv_sqrtpi * std::exp(log_gamma(d / 2 + 1) - log_gamma((d + 1) / 2));
}

double gradient_change(std::size_t dimension, double distance, double radius) {
  const double half = distance / (2 * radius);
  if (!(half < 1)) return 2;
  // 1 − I_{1−h²}(a, ½) = I_{h²}(½, a), which does not cancel for a small h.
  return 2 * boost::math::ibeta(0.5, (static_cast<double>(dimension) + 1) / 2, half * half);
}

double two_point_moment(std::size_t dimension) {
  const double d = static_cast<double>(dimension);
  return dimension == 1 ? 1 : d * d / (d - 1);
}

std::size_t direction_groups(std::size_t dimension, std::size_t directions) {
  const std::size_t group = std::min(dimension, largest_group);
  return (directions + group - 1) / group;
}

// ‖(1/m) Σ_j d·φ_j·y_j‖ with |φ_j| ≤ L: within a group of orthogonal y squares add, groups add in norm.
double longest_estimate(std::size_t dimension, std::size_t directions) {
  const std::size_t group = std::min(dimension, largest_group);
  const double whole = static_cast<double>(directions / group),
               rest = static_cast<double>(directions % group);
  return static_cast<double>(dimension) / static_cast<double>(directions) *
         (whole * std::sqrt(static_cast<double>(group)) + std::sqrt(rest));
}

}  // namespace tacit::inline v1::nonconvex
