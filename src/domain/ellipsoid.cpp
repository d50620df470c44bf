// The projection of x onto {y : (y−c)ᵀP(y−c) ≤ 1}. With v = x − c it lies on the path
//   z(μ) = (I + μP)⁻¹ v,   μ ≥ 0,   at the root μ* of f(μ) = z(μ)ᵀP z(μ) = 1 (the secular equation),
// or is x itself. The certificate: f decreases, so μ₀ ≤ μ* ≤ μ₁ follows from f(μ₀) ≥ 1 ≥ f(μ₁), both
// evaluated in quad arithmetic with error bounds. Every coordinate of z in the eigenbasis is monotone in μ,
// hence
//   ‖z(μ₁) − z(μ*)‖ ≤ ‖z(μ₁) − z(μ₀)‖   [ours].
// z(μ) is found by iterative refinement; as I + μP ⪰ 1 + μ·λ_min, its error is at most residual/(1 +
// μ·λ_min).

#include <algorithm>
#include <cmath>

#include "domain/norms.hpp"
#include "domain/prepared.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::detail {

PreparedEllipsoid::PathPoint PreparedEllipsoid::value_at(QuadVector z, const QuadVector& gradient,
                                                         Quad error) const {
  const Quad size = norm_up(z);
  const Quad rounding =
      quad_gamma(2 * z.size() + 6) * shape_norm_ * size;  // of Pz, and of zᵀPz relative to ‖z‖
  Quad f = 0;
  for (std::size_t i = 0; i < z.size(); ++i) f += z[i] * gradient[i];
  // |f(z + e) − f(z)| ≤ 2‖Pz‖‖e‖ + ‖P‖‖e‖²
  const Quad spread =
      padded(2 * rounding * size + 2 * (norm_up(gradient) + rounding) * error + shape_norm_ * error * error);
  return {std::move(z), error, f - spread, f + spread};
}

PreparedEllipsoid::PathPoint PreparedEllipsoid::path_point(const QuadVector& v, Quad multiplier) const {
  const Quad strength = 1 + multiplier * smallest_curvature_;
  const Quad v_norm = norm_up(v);
  QuadVector z(v.size(), Quad{0}), r = v, best = z, best_product = z;
  Quad error = padded(v_norm / strength) * 2;
  for (int round = 0; round < 20; ++round) {
    const QuadVector step = solve_roughly(r, multiplier);
    for (std::size_t i = 0; i < z.size(); ++i) z[i] += step[i];
    const QuadVector product = multiply(z);
    for (std::size_t i = 0; i < z.size(); ++i) r[i] = v[i] - z[i] - multiplier * product[i];
    const Quad size = norm_up(z);
    const Quad rounding = quad_gamma(z.size() + 8) * (v_norm + size + multiplier * shape_norm_ * size);
    const Quad achieved = padded((norm_up(r) + padded(rounding)) / strength);
    if (!(achieved < error)) break;
    const bool slow = achieved > error / 4 && round > 0;
    error = achieved;
    best = z;
    best_product = product;
    if (slow || error <= size * 0x1p-84) break;
  }
  return value_at(std::move(best), best_product, error);
}

bool PreparedEllipsoid::is_inside(const Vector& x) const {
  QuadVector e = to_quad(x);
  for (std::size_t i = 0; i < e.size(); ++i) e[i] -= center_[static_cast<Eigen::Index>(i)];
  const Quad error = norm_up(e) * quad_gamma(2);
  const QuadVector gradient = multiply(e);
  return value_at(std::move(e), gradient, error).f_upper <= 1;
}

// A double point inside for certain: rounding z(μ) may leave the ellipsoid, so move on along the path.
Vector PreparedEllipsoid::point_inside(const QuadVector& v, Quad multiplier) const {
  const Quad unit =
      multiplier + 1 / static_cast<Quad>(*std::max_element(curvatures_.begin(), curvatures_.end()));
  for (Quad step = 0x1p-54; step < 0x1p60; step *= 8) {
    QuadVector z = path_point(v, multiplier + step * unit).z;
    for (std::size_t i = 0; i < z.size(); ++i) z[i] += center_[static_cast<Eigen::Index>(i)];
    Vector p = to_double(z);
    if (is_inside(p)) return p;
  }
  return center_;
}

Projection PreparedEllipsoid::project(const Vector& x) const {
  if (is_inside(x)) return {x, 0};
  QuadVector v = to_quad(x);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] -= center_[static_cast<Eigen::Index>(i)];
  const Quad root = find_multiplier(v);
  const Quad unit = root + 1 / static_cast<Quad>(*std::max_element(curvatures_.begin(), curvatures_.end()));

  const Vector p = point_inside(v, root);
  const double trivial =
      std::min(diameter(), distance_bounds(x, p).upper);  // ‖p − Π(x)‖ ≤ ‖p − x‖ for p inside

  PathPoint before{v, norm_up(v) * quad_gamma(2), 0, 0}, after;  // μ₀ = 0 is always before the root
  for (Quad step = 0x1p-70; step < 1 && root > step * unit; step *= 16) {
    PathPoint point = path_point(v, root - step * unit);
    if (point.f_lower < 1) continue;
    before = std::move(point);
    break;
  }
  for (Quad step = 0x1p-70; after.z.empty() && step < 0x1p30; step *= 16) {
    PathPoint point = path_point(v, root + step * unit);
    if (point.f_upper <= 1) after = std::move(point);
  }
  if (after.z.empty()) return {p, trivial};

  QuadVector e = to_quad(p);
  for (std::size_t i = 0; i < e.size(); ++i) e[i] -= center_[static_cast<Eigen::Index>(i)];
  const Quad distance = distance_up(e, after.z) + quad_gamma(4) * (norm_up(e) + norm_up(after.z)) +
                        after.error + distance_up(after.z, before.z) + before.error;
  return {p, std::min(trivial, double_up(padded(distance)))};
}

bool PreparedEllipsoid::contains(const Vector& x) const {
  QuadVector e = to_quad(x);
  for (std::size_t i = 0; i < e.size(); ++i) e[i] -= center_[static_cast<Eigen::Index>(i)];
  const QuadVector gradient = multiply(e);
  // How far 4 units in the last place of x, c and P may move f, to second order.
  const Quad ulps = 4 * Quad{unit_roundoff};
  const Quad reach = ulps * (Quad{norm_bounds(x).upper} + norm_bounds(center_).upper);
  Quad f = 0, first_order = 0, size = 0;
  for (std::size_t i = 0; i < e.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    f += e[i] * gradient[i];
    first_order += 2 * magnitude(gradient[i]) * ulps * (std::abs(x[k]) + std::abs(center_[k]));
    for (std::size_t j = 0; j < e.size(); ++j)
      size += magnitude(e[i] * e[j]) * std::abs(shape_(k, static_cast<Eigen::Index>(j)));
  }
  return f <= 1 + first_order + shape_norm_ * reach * reach + ulps * size;
}

double PreparedEllipsoid::diameter() const {
  return double_up(2 / static_cast<Quad>(std::sqrt(smallest_curvature_) * (1 - 0x1p-60L)));
}

}  // namespace tacit::inline v1::detail
