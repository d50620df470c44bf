// The projection onto {y : A y ≤ b} and its certificate.
//
// Let y, λ ≥ 0 come from any solver, x' = y + Aᵀλ, p' = Π(x') with multipliers λ'. Then [ours]
//   ‖y − p'‖² = ⟨y − p', Aᵀ(λ' − λ)⟩ ≤ Σ λ'ᵢ εᵢ + Σ λᵢ sᵢ,   εᵢ = (aᵢy − bᵢ)₊, sᵢ = (bᵢ − aᵢy)₊,
// because aᵢp' = bᵢ where λ'ᵢ > 0 and aᵢp' ≤ bᵢ elsewhere. An interior point ŷ with slacks ŝ > 0 bounds λ':
//   Σ λ'ᵢ ŝᵢ = ⟨p' − x', ŷ − p'⟩ ≤ ‖ŷ − x'‖·‖ŷ − p'‖,
// so with θ = max εᵢ/ŝᵢ, B = ‖ŷ − x'‖, σ = Σ λᵢ sᵢ:
//   ‖y − p'‖ ≤ θB + √(θB‖ŷ − y‖ + σ),   ‖p' − Π(x)‖ ≤ ‖x − x'‖.
// The square root is why this is evaluated in quad arithmetic. Equalities (λ' of any sign) hold exactly for a
// real point within `plane_distance` of y; the bound is taken at that point. Full proof: docs/projections.md.

#include <algorithm>
#include <cmath>
#include <limits>

#include "domain/norms.hpp"
#include "domain/prepared.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::detail {

PreparedPolytope::PreparedPolytope(const Polytope& polytope) {
  if (polytope.a.rows() != polytope.b.size())
    throw_error<UsageError>("the polytope has {} rows and {} right-hand sides, expected as many",
                            polytope.a.rows(), polytope.b.size());
  rows_ = clean_rows(polytope.a, polytope.b);
  double far = 0;
  for (Eigen::Index i = 0; i < rows_.a.rows(); ++i) {
    const double norm = norm_bounds(rows_.a.row(i).transpose()).upper;
    row_norms_.push_back(norm);
    far = std::max(far, std::abs(rows_.b[i]) / norm);
  }
  if (far > 0) scale_ = far;
  measure_equalities();
  find_interior();
}

PreparedPolytope::Slacks PreparedPolytope::slacks(const QuadVector& y) const {
  Slacks result;
  Quad off_plane = 0;
  for (Eigen::Index i = 0; i < rows_.a.rows(); ++i) {
    const Product<Quad> product = row_product(rows_, i, y);
    const Quad b = rows_.b[i];
    result.value.push_back(b - product.value);
    result.error.push_back(quad_gamma(y.size() + 3) * (magnitude(b) + product.magnitude));
    if (i < rows_.equalities) {
      const Quad off = magnitude(result.value.back()) + result.error.back();
      off_plane += off * off;
    }
  }
  if (off_plane > 0) result.plane_distance = padded(sqrt_up(padded(off_plane)) / equality_strength_);
  return result;
}

// ‖x − Aᵀλ − y‖
Quad PreparedPolytope::residual(const QuadVector& x, const Multipliers<Quad>& solution) const {
  const auto depth = static_cast<std::size_t>(rows_.a.rows()) + 3;
  Quad sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    Quad value = x[k] - solution.y[k], size = magnitude(x[k]) + magnitude(solution.y[k]);
    for (const Eigen::Index i : solution.active) {
      const Quad term =
          solution.lambda[static_cast<std::size_t>(i)] * rows_.a(i, static_cast<Eigen::Index>(k));
      value -= term;
      size += magnitude(term);
    }
    const Quad entry = magnitude(value) + quad_gamma(depth) * size;
    sum += entry * entry;
  }
  return sqrt_up(padded(sum));
}

PreparedPolytope::Certificate PreparedPolytope::certify(const QuadVector& x,
                                                        const Multipliers<Quad>& solution) const {
  const Slacks slack = slacks(solution.y);
  const Quad shift = slack.plane_distance;
  Quad theta = 0, sigma = 0;
  for (auto i = static_cast<std::size_t>(rows_.equalities); i < slack.value.size(); ++i) {
    const Quad error = slack.error[i] + row_norms_[i] * shift;
    theta = std::max(theta, (error - slack.value[i]) / interior_slack_[i]);
    sigma += solution.lambda[i] * std::max(slack.value[i] + error, Quad{0});
  }
  theta = padded(theta);
  const Quad moved = residual(x, solution) + shift;
  const Quad b = theta * (distance_up(interior_, x) + interior_shift_ + moved);
  const Quad across = distance_up(interior_, solution.y) + interior_shift_ + shift;
  const Quad distance = padded(padded(b + sqrt_up(padded(b * across + sigma))) + moved + shift);
  return {distance, theta};
}

Projection PreparedPolytope::project(const Vector& x) const {
  const QuadVector exact_x = to_quad(x);
  if (rows_.equalities == 0) {
    const Slacks slack = slacks(exact_x);
    bool inside = true;
    for (std::size_t i = 0; inside && i < slack.value.size(); ++i) inside = slack.value[i] >= slack.error[i];
    if (inside) return {x, 0};
  }
  const Multipliers<Quad> solution = project_onto_rows(rows_, exact_x);
  const Certificate certificate = certify(exact_x, solution);

  // A share 2θ of the way to the interior point undoes every violation: what is left is the rounding of the
  // point.
  const Quad inward = std::min(2 * certificate.violation, Quad{1});
  QuadVector feasible = solution.y;
  for (std::size_t k = 0; k < feasible.size(); ++k) feasible[k] += inward * (interior_[k] - solution.y[k]);
  const Vector p = to_double(feasible);

  const Quad distance = padded(distance_up(to_quad(p), solution.y) + certificate.distance);
  if (distance >
      scale_) {  // x is so far that even quad arithmetic cannot tell: any point of the polytope will do
    const Vector inner = to_double(interior_);
    const Quad any = padded(diameter() + distance_up(to_quad(inner), interior_) + interior_shift_);
    if (any < distance) return {inner, double_up(any)};
  }
  return {p, double_up(distance)};
}

bool PreparedPolytope::contains(const Vector& x) const {
  const QuadVector exact_x = to_quad(x);
  for (Eigen::Index i = 0; i < rows_.a.rows(); ++i) {
    const Product<Quad> product = row_product(rows_, i, exact_x);
    const Quad b = rows_.b[i], excess = product.value - b;
    const bool equality = i < rows_.equalities;
    const Quad floor = equality ? row_norms_[static_cast<std::size_t>(i)] * scale_ * 0x1p-80 : Quad{0};
    const Quad tolerance = 4 * Quad{unit_roundoff} * (product.magnitude + magnitude(b)) + floor;
    if (excess > tolerance || (equality && excess < -tolerance)) return false;
  }
  return true;
}

}  // namespace tacit::inline v1::detail
