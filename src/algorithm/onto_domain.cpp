#include "algorithm/onto_domain.hpp"

#include <algorithm>
#include <cmath>

namespace tacit::inline v1 {

namespace {

// The multiple of the grid nearest to x that lies between the ends; nearest to x where none does.
double snapped_between(double x, double low, double high, double grid) {
  const double nearest = std::round(x / grid) * grid;
  if (nearest > high) return std::floor(high / grid) * grid >= low ? std::floor(high / grid) * grid : nearest;
  if (nearest < low) return std::ceil(low / grid) * grid <= high ? std::ceil(low / grid) * grid : nearest;
  return nearest;
}

}  // namespace

Vector snapped_onto(const Domain& domain, const Vector& x, double grid) {
  if (const auto* box = std::get_if<Box>(&domain)) {
    Vector result(x.size());
    for (Eigen::Index j = 0; j < x.size(); ++j)
      result[j] =
          snapped_between(std::clamp(x[j], box->lower[j], box->upper[j]), box->lower[j], box->upper[j], grid);
    return result;
  }
  Domain inner = domain;
  // Rounding moves a point by at most half a diagonal of a cell.
  if (auto* ball = std::get_if<Ball>(&inner)) {
    const double half = 0.5 * grid * std::sqrt(static_cast<double>(x.size())) * (1 + 1e-9);
    ball->radius = std::max(ball->radius * (1 - 1e-12) - half, 0.5 * ball->radius);
  }
  return (project(inner, x).point / grid).array().round() * grid;
}

}  // namespace tacit::inline v1
