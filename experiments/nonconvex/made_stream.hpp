#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "tacit/core.hpp"

namespace nonconvex_runs {

using namespace tacit;

// Made records of which none is stored: record i is a function of a seed and i, so that any number of them
// takes no memory. One record looks at one coordinate j and says f(w) = ||w_j| − b|, with j and b ∈ [0, R]
// uniform: 1-Lipschitz, neither smooth nor convex. The population's loss (1/d)Σ_j E||w_j| − b| is known, and
// falls by R/4 from w = (R, …, R) to its minimum at (R/2, …, R/2).
struct MadeStream {
  static constexpr double range = 4;  // R, so that Φ = 1

  std::size_t count = 0, dimension = 1;
  std::uint64_t seed = 0;

  std::size_t records() const { return count; }
  std::size_t parameters() const { return dimension; }

  struct Record {
    Eigen::Index coordinate;
    double label;
  };
  // splitmix64 of the counter.
  Record record(std::size_t i) const {
    std::uint64_t z = (seed << 40) + i * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return {static_cast<Eigen::Index>((z >> 40) % dimension),
            range * static_cast<double>(z & 0xffffffffffu) * 0x1p-40};
  }
  double value(const Vector& w, std::size_t i) const {
    const Record r = record(i);
    return std::fabs(std::fabs(w[r.coordinate]) - r.label);
  }
  void gradient(const Vector& w, std::size_t i, std::span<double> g) const {
    const Record r = record(i);
    const double x = w[r.coordinate];
    g[static_cast<std::size_t>(r.coordinate)] = (std::fabs(x) > r.label ? 1 : -1) * (x > 0 ? 1 : -1);
  }

  Vector start() const { return Vector::Constant(static_cast<Eigen::Index>(dimension), range); }

  // Of the population's loss at w: the coordinates' (2·min(|w_j|/R, 1) − 1)·sign(w_j)/d.
  Vector population_gradient(const Vector& w) const {
    Vector g(w.size());
    for (Eigen::Index k = 0; k < w.size(); ++k)
      g[k] = (2 * std::fmin(std::fabs(w[k]) / range, 1) - 1) * (w[k] > 0 ? 1 : -1) /
             static_cast<double>(dimension);
    return g;
  }
  // At most this: the gradient's norm at the point of the ball that is nearest to the minimum. It is
  // Goldstein's norm itself where 0 < w_j < R in the ball, as the gradient is affine there.
  double goldstein_norm(const Vector& w, double radius) const {
    const Vector off = w - Vector::Constant(w.size(), range / 2);
    const double distance = off.norm();
    if (distance <= radius) return 0;
    return population_gradient(w - radius / distance * off).norm();
  }
};

}  // namespace nonconvex_runs
