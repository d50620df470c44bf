#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "tacit/domain.hpp"

// Random domains and points of them, from a fixed seed.

namespace tacit::samples {

class Source {
 public:
  explicit Source(unsigned seed) : engine_(seed) {}

  double normal() { return std::normal_distribution<double>()(engine_); }
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  Eigen::Index index(Eigen::Index low, Eigen::Index high) {
    return std::uniform_int_distribution<Eigen::Index>(low, high)(engine_);
  }

  Vector vector(Eigen::Index d, double scale = 1) {
    return Vector::NullaryExpr(d, [&] { return scale * normal(); });
  }
  Matrix matrix(Eigen::Index rows, Eigen::Index cols) {
    return Matrix::NullaryExpr(rows, cols, [&] { return normal(); });
  }

  // Semi-axes from 1 down to 1/√condition, turned at random.
  Ellipsoid ellipsoid(Eigen::Index d, double condition) {
    const Matrix axes = matrix(d, d).householderQr().householderQ();
    const Vector curvatures = Vector::NullaryExpr(d, [&](Eigen::Index i) {
      return d == 1 ? 1 : std::pow(condition, static_cast<double>(i) / static_cast<double>(d - 1));
    });
    const Matrix shape = axes * curvatures.asDiagonal() * axes.transpose();
    return {vector(d), (shape + shape.transpose()) / 2};
  }

  // Rows around `inner`, at distances in (0, width].
  Polytope polytope(const Vector& inner, Eigen::Index rows, double width) {
    Polytope result{matrix(rows, inner.size()), Vector(rows)};
    for (Eigen::Index i = 0; i < rows; ++i)
      result.b[i] = result.a.row(i).dot(inner) + width * uniform(0.01, 1) * result.a.row(i).norm();
    return result;
  }

  // A point of the domain, which is star-shaped around the inner point.
  Vector point(const Domain& domain, const Vector& inner) {
    Vector direction = vector(inner.size());
    double reach = 1e3;
    while (!contains(domain, inner + reach * direction)) reach *= uniform(0.2, 1);
    return inner + reach * uniform(0, 1) * direction;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace tacit::samples
