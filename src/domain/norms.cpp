#include "domain/norms.hpp"

#include <algorithm>
#include <cmath>

#include "core/symmetric.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::detail {
namespace {

constexpr Eigen::Index block = 128;

// Pairwise above `block` terms, so that the depth is blocked_sum_depth(count, block).
double sum_of_squares(const double* v, Eigen::Index count, int exponent) {
  if (count > block) {
    const Eigen::Index blocks = (count + block - 1) / block;
    const Eigen::Index half = (blocks + 1) / 2 * block;
    return sum_of_squares(v, half, exponent) + sum_of_squares(v + half, count - half, exponent);
  }
  // Two factors, since 2^(-exponent) itself may overflow.
  const double half = std::ldexp(1.0, -exponent / 2), rest = std::ldexp(1.0, -exponent - (-exponent / 2));
  return (Eigen::Map<const Vector>(v, count) * half * rest).squaredNorm();
}

// The rounding error of a Cholesky factorisation that ran to its end, as a perturbation of the matrix:
// ‖Δ‖ ≤ γ_{d+1}/(1−γ_{d+1})·trace [Rump, Verification of positive definiteness, BIT 46, 2006]. Twice the
// depth covers the reciprocals of Eigen's triangular solver and the rounded shift of the diagonal.
double cholesky_error(const Matrix& scaled) {
  const auto d = static_cast<std::size_t>(scaled.rows());
  const double trace = mul_up(scaled.diagonal().cwiseAbs().sum(), 1 + gamma_bound(d));
  return add_up(mul_up(gamma_bound(2 * d + 8), trace), 0x1p-1000);
}

}  // namespace

Bounds norm_bounds(const Vector& v) {
  if (v.size() == 0) return {};
  const double largest = v.cwiseAbs().maxCoeff();
  if (largest == 0) return {};
  // Scaled by a power of two the largest entry is in [1, 2): no overflow, and what underflows is far below u.
  const int exponent = std::ilogb(largest);
  const double sum = sum_of_squares(v.data(), v.size(), exponent);
  const double gamma = gamma_bound(blocked_sum_depth(static_cast<std::size_t>(v.size()), block) + 2);
  const double upper = sqrt_up(mul_up(sum, 1 + 2 * gamma));
  const double lower = sqrt_down(mul_down(sum, 1 - 2 * gamma));
  return {std::max(0.0, next_down(std::ldexp(lower, exponent))), next_up(std::ldexp(upper, exponent))};
}

Bounds distance_bounds(const Vector& x, const Vector& y) {
  // A rounded difference has relative error u, also when it is denormal.
  const Bounds rounded = norm_bounds(x - y);
  return {std::max(0.0, mul_down(rounded.lower, 1 - 2 * unit_roundoff)),
          rounded.upper == 0 ? 0 : mul_up(rounded.upper, 1 + 4 * unit_roundoff)};
}

long double smallest_eigenvalue_down(const Matrix& symmetric) {
  const double largest = symmetric.cwiseAbs().maxCoeff();
  if (!(largest > 0)) return 0;
  const int exponent = std::ilogb(largest);
  const Matrix scaled = symmetric.unaryExpr([=](double v) { return std::ldexp(v, -exponent); });
  const double error = cholesky_error(scaled);
  const double estimate = symmetric_eigenvalues(scaled).minCoeff();
  for (const double shift : {estimate - 4 * error, estimate / 2}) {
    if (!(shift > error)) continue;
    Matrix shifted = scaled;
    shifted.diagonal().array() -= shift;
    if (!has_cholesky(shifted)) continue;
    return std::ldexp(static_cast<long double>(sub_down(shift, error)), exponent);
  }
  return 0;
}

}  // namespace tacit::inline v1::detail
