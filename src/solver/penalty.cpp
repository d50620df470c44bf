#include "solver/penalty.hpp"

#include <cmath>
#include <vector>

namespace tacit::inline v1 {

Penalty::Penalty(const Domain& domain, double strength, double radius)
    : domain_(domain), strength_(strength) {
  if (const auto* polytope = std::get_if<Polytope>(&domain)) {
    norms_ = polytope->a.rowwise().norm();
    double reach = 0;
    for (Eigen::Index j = 0; j < norms_.size(); ++j) {
      if (!(norms_[j] >= 0x1p-100 && norms_[j] <= 0x1p100))
        throw_error<UsageError>("a row of the polytope has the norm {}, expected 2^-100 to 2^100", norms_[j]);
      reach = add_up(reach, add_up(radius, std::fabs(polytope->b[j]) / norms_[j]));
    }
    smoothness_ = mul_up(1.01 * strength, static_cast<double>(norms_.size()));
    lipschitz_ = mul_up(1.01 * strength, reach);
    const auto depth = static_cast<std::size_t>(polytope->a.cols() + norms_.size()) + 32;
    error_ = mul_up(4 * gamma_bound(depth), lipschitz_);
  } else if (const auto* ellipsoid = std::get_if<Ellipsoid>(&domain)) {
    const double far = mul_up(1.01, add_up(radius, ellipsoid->center.norm()));
    const double shape = mul_up(1.01, ellipsoid->shape.norm());
    smoothness_ = 1.01 * strength;
    lipschitz_ = mul_up(1.01 * strength, far);
    // q is a sum of d² terms that may cancel down to 1; its rounding, 2^-64 each, moves 1 − 1/√q.
    const auto d = static_cast<double>(ellipsoid->center.size());
    const double sums = mul_up(mul_up(8 * (d * d + 32), 0x1p-64), mul_up(std::sqrt(shape), far));
    error_ = mul_up(lipschitz_, add_up(sums, 64 * unit_roundoff));
  }
}

void Penalty::add_gradient(const Vector& w, Vector& gradient) const {
  if (const auto* polytope = std::get_if<Polytope>(&domain_)) {
    for (Eigen::Index j = 0; j < norms_.size(); ++j) {
      const double over = (polytope->a.row(j).dot(w) - polytope->b[j]) / norms_[j];
      if (over > 0) gradient += strength_ * over / norms_[j] * polytope->a.row(j).transpose();
    }
  } else if (const auto* ellipsoid = std::get_if<Ellipsoid>(&domain_)) {
    using Long = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
    const Long x = w.cast<long double>() - ellipsoid->center.cast<long double>();
    const Long pulled = ellipsoid->shape.cast<long double>() * x;
    const long double q = x.dot(pulled);
    if (q > 1) {
      const auto factor =
          static_cast<double>((1 - 1 / std::sqrt(q)) / static_cast<long double>(ellipsoid->shape.norm()));
      gradient += strength_ * factor * pulled.cast<double>();
    }
  }
}

}  // namespace tacit::inline v1
