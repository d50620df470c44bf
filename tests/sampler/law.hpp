#pragma once

// What a sampler draws, against the law of its target by quadrature.

#include <algorithm>
#include <cmath>
#include <vector>

#include "solver/certified.hpp"
#include "targets.hpp"

namespace tacit::testing {

inline Vector minimiser_of(const sampler::Target& target) {
  LimitedObjective objective(*target.problem, target.limits,
                             {.strength = target.strength / target.inverse_temperature,
                              .center = Vector::Zero(target.center.size())},
                             Vector::Zero(target.center.size()), 0, 1);
  return minimise(objective, {}).point;
}

// Distribution functions of projections of a two- or one-dimensional target, by quadrature over a square that
// holds all but a negligible part.
class Quadrature {
 public:
  explicit Quadrature(const sampler::Target& target) : d_(target.center.size()) {
    const bool bounded = std::isfinite(target.radius);
    const Vector middle = bounded ? target.center : minimiser_of(target);
    const double half = bounded ? target.radius : 9 / std::sqrt(target.strength);
    const int n = d_ == 1 ? 5000 : 250;
    double lowest = 1e300;
    std::vector<double> energy;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < (d_ == 1 ? 1 : n); ++j) {
        Vector theta = middle;
        theta[0] += half * (2 * (i + 0.5) / n - 1);
        if (d_ > 1) theta[1] += half * (2 * (j + 0.5) / n - 1);
        if (bounded && (theta - target.center).norm() > target.radius) continue;
        points_.push_back(theta);
        energy.push_back(plain_energy(target, theta));
        lowest = std::min(lowest, energy.back());
      }
    for (const double e : energy) mass_.push_back(std::exp(lowest - e));
  }

  std::vector<double> cdf(const Vector& direction, std::vector<double> at) const {
    std::vector<std::pair<double, double>> sorted;
    double total = 0;
    for (std::size_t k = 0; k < mass_.size(); ++k) {
      sorted.emplace_back(direction.dot(points_[k]), mass_[k]);
      total += mass_[k];
    }
    std::ranges::sort(sorted);
    std::vector<double> result;
    double below = 0;
    std::size_t k = 0;
    for (const double x : at) {
      for (; k < sorted.size() && sorted[k].first <= x; ++k) below += sorted[k].second;
      result.push_back(below / total);
    }
    return result;
  }

 private:
  Eigen::Index d_;
  std::vector<Vector> points_;
  std::vector<double> mass_;
};

inline double worst_distance(const sampler::Target& target, const std::vector<Vector>& samples) {
  const Quadrature law(target);
  double worst = 0;
  std::vector<Vector> directions;
  for (const double angle : {0.0, 0.7, 1.57, 2.4})
    directions.push_back(target.center.size() == 1
                             ? Vector(Vector::Constant(1, 1.0))
                             : Vector(Eigen::Vector2d(std::cos(angle), std::sin(angle))));
  for (const Vector& direction : directions) {
    std::vector<double> x;
    for (const Vector& sample : samples) x.push_back(direction.dot(sample));
    std::ranges::sort(x);
    const std::vector<double> p = law.cdf(direction, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double n = static_cast<double>(x.size()), rank = static_cast<double>(i);
      worst = std::max({worst, p[i] - rank / n, (rank + 1) / n - p[i]});
    }
  }
  return worst;
}

}  // namespace tacit::testing
