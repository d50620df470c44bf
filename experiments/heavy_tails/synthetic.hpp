#pragma once

#include <map>

#include "common.hpp"

// Linear data with heavy tails: rows of d independent Student t entries (2.5 degrees of freedom, where no
// other number is said: moments below that only), y = ⟨a, truth⟩ + Laplace noise of scale ½, absolute loss.

namespace experiment {

struct HeavyTailed {
  static constexpr double noise_scale = 0.5;
  double degrees = 2.5;  // all moments below it exist
  std::size_t d = 5;
  Vector truth = Vector::NullaryExpr(5, [](Eigen::Index k) { return k % 2 == 0 ? 0.5 : -0.5; });

  Dataset sample(std::size_t n, std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    std::student_t_distribution<> t(degrees);
    std::exponential_distribution<> wait(1 / noise_scale);
    DenseRows rows{n, d, {}};
    rows.values.reserve(n * d);
    Dataset data;
    data.target_kind = TargetKind::numeric;
    for (std::size_t i = 0; i < n; ++i) {
      double y = wait(random) - wait(random);
      for (std::size_t j = 0; j < d; ++j) {
        rows.values.push_back(t(random));
        y += truth[static_cast<Eigen::Index>(j)] * rows.values.back();
      }
      data.labels.push_back(y);
    }
    data.features = Features(std::move(rows));
    return data;
  }

  // E|⟨a,w⟩ − y| − E|⟨a,truth⟩ − y| over fresh rows; the expectation over the noise in closed form:
  // E|η − t| − E|η| = |t| + s(e^{−|t|/s} − 1).
  double excess_risk(const Vector& w) const {
    constexpr std::size_t rows = 100000;
    thread_local std::map<double, Dataset> all;
    const Dataset& fresh = all.contains(degrees) ? all[degrees] : (all[degrees] = sample(rows, 987654321));
    const Vector gap = w - truth;
    double sum = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      const Eigen::Map<const Vector> a(fresh.features.row(i).values, static_cast<Eigen::Index>(d));
      const double t = std::fabs(a.dot(gap));
      sum += t + noise_scale * std::expm1(-t / noise_scale);
    }
    return sum / rows;
  }

  // The median and the root mean square of ‖a‖: properties of the law, not of the sample that is fitted.
  double median_norm() const {
    static const Dataset other = sample(100000, 123456789);
    std::vector<double> norms;
    for (std::size_t i = 0; i < other.size(); ++i)
      norms.push_back(
          Eigen::Map<const Vector>(other.features.row(i).values, static_cast<Eigen::Index>(d)).norm());
    return level(norms, 0.5);
  }
  double second_moment() const { return std::sqrt(static_cast<double>(d) * degrees / (degrees - 2)); }
};

// Rows scaled down to norm ≤ clip: what libraries without limits do to bound a gradient.
inline Dataset clipped(const Dataset& data, double clip) {
  DenseRows rows = data.features.dense_rows();
  for (std::size_t i = 0; i < rows.rows; ++i) {
    Eigen::Map<Vector> a(rows.values.data() + i * rows.columns, static_cast<Eigen::Index>(rows.columns));
    if (const double norm = a.norm(); norm > clip) a *= clip / norm * (1 - 1e-12);
  }
  Dataset result = data;
  result.features = Features(std::move(rows));
  return result;
}

}  // namespace experiment
