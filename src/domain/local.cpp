// Projection onto W ∩ B(c, r) as in Lemma 2.8 of [Lowy26], with a certificate of its own [ours].
//
// Notation: v = x − c, z_s = c + s·v, x_s = Π_W(z_s), s in (0, 1], mu = 1/s − 1. For u in W ∩ B(c, r)
//   ⟨x − x_s, u − x_s⟩ = (1/s)·⟨z_s − x_s, u − x_s⟩ + mu·⟨x_s − c, u − x_s⟩ ≤ mu·‖x_s − c‖·(r − ‖x_s − c‖),
// since the first product is ≤ 0 and ⟨x_s − c, u − c⟩ ≤ ‖x_s − c‖·r. So an s whose x_s lies in the ball,
// close to its sphere, will do: rounding enters linearly, where the distance to Π(x) would see its square
// root.

#include "domain/local.hpp"

#include <algorithm>
#include <cmath>

#include "domain/norms.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

constexpr int halvings = 52;

double compact_diameter(const Domain& domain, const Projector& onto) {
  const double size = onto.diameter();
  if (!std::isfinite(size) || std::holds_alternative<WholeSpace>(domain))
    throw_error<UsageError>("the domain is unbounded, expected a compact one");
  return size;
}

}  // namespace

LocalDomain::LocalDomain(const Domain& whole)
    : whole_(whole), onto_whole_(whole), whole_diameter_(compact_diameter(whole, onto_whole_)) {
  diameter_ = whole_diameter_;
}

LocalDomain::LocalDomain(const Domain& whole, const Ball& ball) : LocalDomain(whole) {
  validate(ball, ball.center.size());
  if (!onto_whole_.contains(ball.center))
    throw_error<UsageError>("the center of the ball does not lie in the domain that it is intersected with");
  ball_ = ball;
  diameter_ = std::min(whole_diameter_, mul_up(2, ball.radius));
}

Vector LocalDomain::some_point() const {
  if (ball_) return ball_->center;
  if (const auto* ball = std::get_if<Ball>(&whole_)) return ball->center;
  if (const auto* box = std::get_if<Box>(&whole_)) return 0.5 * box->lower + 0.5 * box->upper;
  if (const auto* ellipsoid = std::get_if<Ellipsoid>(&whole_)) return ellipsoid->center;
  return onto_whole_(Vector::Zero(std::get<Polytope>(whole_).a.cols())).point;
}

NearPoint LocalDomain::project(const Vector& x) const {
  // ‖p − u‖ ≤ ‖Π_W(x) − u‖ + δ ≤ ‖x − u‖ + δ
  Projection p = onto_whole_(x);
  const auto whole_excess = [&] {
    return mul_up(p.distance, add_up(mul_up(2, whole_diameter_), p.distance));
  };
  if (!ball_) return {std::move(p.point), p.distance == 0 ? 0 : whole_excess()};
  const Vector& c = ball_->center;
  const double r = ball_->radius;
  if (detail::distance_bounds(p.point, c).upper <= r)
    return {std::move(p.point), p.distance == 0 ? 0 : whole_excess()};

  const Vector v = x - c;
  const double reach = detail::distance_bounds(x, c).upper;
  double inside = 0.5 * r / (r + reach), outside = 1;  // at λ = R/r the path is inside [Lemma C.6, step 2]
  Vector z = c + inside * v;
  p = onto_whole_(z);
  for (int k = 0; k < halvings; ++k) {
    const double s = 0.5 * (inside + outside);
    const Vector next = c + s * v;
    Projection candidate = onto_whole_(next);
    if (detail::distance_bounds(candidate.point, c).upper > r) {
      outside = s;
      continue;
    }
    inside = s;
    z = next;
    p = std::move(candidate);
  }
  // ‖z − z_s‖ ≤ u‖z‖ + 3u·s‖v‖ + underflow
  const double path = add_up(add_up(mul_up(unit_roundoff, detail::norm_bounds(z).upper),
                                    mul_up(3 * unit_roundoff, mul_up(inside, reach))),
                             static_cast<double>(x.size()) * 0x1p-1074);
  const double normal =
      mul_up(p.distance, add_up(whole_diameter_, detail::distance_bounds(z, p.point).upper));
  const double gap = std::max(0.0, sub_up(r, detail::distance_bounds(p.point, c).lower));
  const double inverse = div_up(1, inside), mu = sub_up(inverse, 1);
  const double product =
      add_up(mul_up(inverse, add_up(normal, mul_up(path, whole_diameter_))), mul_up(mu, mul_up(r, gap)));
  return {std::move(p.point), mul_up(2, product)};
}

double largest_norm(const Domain& domain) {
  if (const auto* ball = std::get_if<Ball>(&domain))
    return add_up(detail::norm_bounds(ball->center).upper, ball->radius);
  if (const auto* box = std::get_if<Box>(&domain))
    return detail::norm_bounds(box->lower.cwiseAbs().cwiseMax(box->upper.cwiseAbs())).upper;
  throw_error<UsageError>("the domain is neither a ball nor a box");
}

// What onto_whole_ may be off: nothing for a box. For a ball it shrinks the point by the rounding of its
// coordinates and of its norm (depth d + 8), at most four times over: below (16d + 128) roundings.
double LocalDomain::projection_error() const {
  const double size = largest_norm(whole_);
  if (std::holds_alternative<Box>(whole_)) return 0;
  const auto d = static_cast<double>(std::get<Ball>(whole_).center.size());
  return mul_up((16 * d + 128) * unit_roundoff, size);
}

double LocalDomain::excess_bound(double far) const {
  const double error = projection_error(), size = largest_norm(whole_);
  const double whole = mul_up(error, add_up(mul_up(2, whole_diameter_), error));
  if (!ball_) return whole;
  const double r = ball_->radius, reach = add_up(far, diameter_);
  const auto d = static_cast<double>(ball_->center.size());
  const double path = mul_up(4 * unit_roundoff, add_up(size, reach));
  // Bisection leaves an interval of 2^-52 in s, so 2^-52·reach in the point, and what hides the sphere.
  const double gap = add_up(add_up(mul_up(0x1p-51, reach), mul_up(2, add_up(error, path))),
                            mul_up((8 * d + 64) * unit_roundoff, r));
  const double inverse = mul_up(2, div_up(add_up(r, reach), r));
  const double product = add_up(
      mul_up(inverse, add_up(mul_up(error, add_up(whole_diameter_, reach)), mul_up(path, whole_diameter_))),
      mul_up(mul_up(3, reach), gap));
  return std::max(whole, mul_up(2, product));
}

}  // namespace tacit::inline v1
