// The numerical side of the projection onto an ellipsoid: nothing here needs to be exact but `multiply`,
// whose error the certificate bounds, and the bounds on P.

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/symmetric.hpp"
#include "domain/norms.hpp"
#include "domain/prepared.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::detail {

PreparedEllipsoid::PreparedEllipsoid(const Ellipsoid& ellipsoid)
    : center_(ellipsoid.center), shape_(ellipsoid.shape), diagonal_(shape_.isDiagonal(0)) {
  if (shape_.rows() != center_.size() || shape_.cols() != center_.size())
    throw_error<UsageError>("the ellipsoid's shape is {} x {}, expected {} x {}", shape_.rows(),
                            shape_.cols(), center_.size(), center_.size());
  if (shape_ != shape_.transpose())
    throw_error<UsageError>("the ellipsoid's shape is not symmetric, expected P equal to its transpose");
  if (center_.size() == 0) throw_error<UsageError>("the ellipsoid has dimension 0, expected at least 1");
  const double largest = shape_.cwiseAbs().maxCoeff();
  const int exponent = std::ilogb(std::max(largest, std::numeric_limits<double>::min()));
  const Matrix scaled = shape_.unaryExpr([=](double entry) { return std::ldexp(entry, -exponent); });
  const SymmetricEigen eigen = symmetric_eigen(scaled);
  smallest_curvature_ =
      diagonal_ ? static_cast<long double>(shape_.diagonal().minCoeff()) : smallest_eigenvalue_down(shape_);
  if (!(smallest_curvature_ > 0))
    throw_error<UsageError>(
        "the ellipsoid's shape is not positive definite beyond rounding: eigenvalues from about {:.3g} to "
        "{:.3g}",
        std::ldexp(eigen.values.minCoeff(), exponent), std::ldexp(eigen.values.maxCoeff(), exponent));
  Quad squares = 0;
  for (const double entry : shape_.reshaped()) squares += static_cast<Quad>(entry) * entry;
  shape_norm_ = sqrt_up(padded(squares));

  if (diagonal_) {
    curvatures_.assign(shape_.diagonal().begin(), shape_.diagonal().end());
    return;
  }
  axes_ = eigen.vectors;
  for (const double value : eigen.values)
    curvatures_.push_back(
        std::max(std::ldexp(static_cast<long double>(value), exponent), smallest_curvature_));
}

QuadVector PreparedEllipsoid::multiply(const QuadVector& z) const {
  const auto d = static_cast<Eigen::Index>(z.size());
  QuadVector result(z.size(), Quad{0});
  for (Eigen::Index j = 0; j < d; ++j)
    for (Eigen::Index i = diagonal_ ? j : 0; i < (diagonal_ ? j + 1 : d); ++i)
      result[static_cast<std::size_t>(i)] += z[static_cast<std::size_t>(j)] * shape_(i, j);
  return result;
}

namespace {

// r = size·direction, with entries of the direction at most 1.
struct Scaled {
  Vector direction;
  Quad size = 0;
};

Scaled scale_of(const QuadVector& r) {
  Scaled result{Vector::Zero(static_cast<Eigen::Index>(r.size())), 0};
  for (const Quad entry : r) result.size = std::max(result.size, magnitude(entry));
  if (result.size == 0) return result;
  for (std::size_t i = 0; i < r.size(); ++i)
    result.direction[static_cast<Eigen::Index>(i)] = static_cast<double>(r[i] / result.size);
  return result;
}

}  // namespace

// (I + μP)⁻¹ r, to double accuracy in the eigenbasis.
QuadVector PreparedEllipsoid::solve_roughly(const QuadVector& r, Quad multiplier) const {
  const Scaled scaled = scale_of(r);
  Vector w = diagonal_ ? scaled.direction : Vector(axes_.transpose() * scaled.direction);
  // Divided in long double: for far points a coordinate may shrink by more than the range of double.
  QuadVector in_basis;
  for (std::size_t i = 0; i < r.size(); ++i)
    in_basis.push_back(static_cast<Quad>(w[static_cast<Eigen::Index>(i)]) * scaled.size /
                       (1 + multiplier * curvatures_[i]));
  if (diagonal_) return in_basis;
  const Scaled back = scale_of(in_basis);
  QuadVector result = to_quad(axes_ * back.direction);
  for (Quad& entry : result) entry *= back.size;
  return result;
}

// The secular function Σ λᵢwᵢ²/(1+μλᵢ)² and its derivative, for v = size·w in the eigenbasis.
struct PreparedEllipsoid::Secular {
  long double value = 0, slope = 0;
};

PreparedEllipsoid::Secular PreparedEllipsoid::secular(const Vector& w, long double size,
                                                      long double multiplier) const {
  Secular sum;
  for (std::size_t i = 0; i < curvatures_.size(); ++i) {
    const long double lambda = curvatures_[i], shrink = 1 + multiplier * lambda;
    const long double z = static_cast<long double>(w[static_cast<Eigen::Index>(i)]) * size / shrink;
    sum.value += lambda * z * z;
    sum.slope -= 2 * lambda * lambda * z * z / shrink;
  }
  return sum;
}

// Newton's method on 1/√f, which is concave and increasing, from the left: the steps are monotone and never
// pass the root of f(μ) = 1. Then a few steps with f from the refined path, where the eigenbasis is not
// exact.
Quad PreparedEllipsoid::find_multiplier(const QuadVector& v) const {
  const Scaled scaled = scale_of(v);
  const Vector w = diagonal_ ? scaled.direction : Vector(axes_.transpose() * scaled.direction);
  const auto size = static_cast<long double>(scaled.size);
  const auto newton_step = [](long double f, long double slope) {
    return 2 * f * (std::sqrt(f) - 1) / -slope;
  };

  const long double largest = *std::max_element(curvatures_.begin(), curvatures_.end());
  const long double start = (std::sqrt(secular(w, size, 0).value) - 1) / largest;  // f(μ) ≥ f(0)/(1+μλ_max)²
  long double multiplier = std::max(start, 0.0L);
  for (int round = 0; round < 200; ++round) {
    const Secular f = secular(w, size, multiplier);
    const long double step = newton_step(f.value, f.slope);
    if (!(step > 0x1p-62L * (multiplier + 1 / largest))) break;
    multiplier += step;
  }

  Quad root = multiplier;
  for (int round = 0; round < 8; ++round) {
    const PathPoint point = path_point(v, root);
    const Quad f = (point.f_lower + point.f_upper) / 2;
    if (!(f > 0)) break;  // P is too ill-conditioned even for quad arithmetic: the certificate will say so
    const Quad root_f = static_cast<Quad>(std::sqrt(static_cast<long double>(f)));
    const Quad step = 2 * f * (f - 1) / (1 + root_f) /
                      -static_cast<Quad>(secular(w, size, static_cast<long double>(root)).slope);
    root = std::max(root + step, Quad{0});
    if (!(magnitude(step) > 0x1p-72 * (root + 1 / static_cast<Quad>(largest)))) break;
  }
  return root;
}

}  // namespace tacit::inline v1::detail
