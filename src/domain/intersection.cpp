// The ξ-inexact projection onto W ∩ B(w₀, r) [Lowy26, Lemma 2.8, Lemma C.6].
//
// Notation: y = x, v = y − w₀, s = 1/(1+λ) ∈ [0, 1] with λ the multiplier of the ball constraint,
//   z_s = w₀ + s·v,   x_s = Π_W(z_s).
// ‖x_s − w₀‖ grows with s, and the projection onto the intersection is x_{s*}, where s* is 1 if x_1 lies in
// the ball and solves ‖x_s − w₀‖ = r otherwise. Bisection keeps s₀ ≤ s* ≤ s₁ with certified signs. By firm
// nonexpansiveness
//   ‖x_{s₀} − x_{s*}‖² ≤ (s* − s₀)·⟨x_{s*} − x_{s₀}, v⟩ ≤ (s₁ − s₀)·⟨x_{s₁} − x_{s₀}, v⟩   [ours],
// which is never worse than the paper's (s₁ − s₀)²‖v‖², and stays small where x_s hardly moves.

#include "domain/intersection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "domain/norms.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

enum class Side { inside, outside, unclear };

// x_s as computed: `distance` bounds the distance of `point` to the real x_s, `side` says where the real x_s
// is.
struct PathPoint {
  double s = 0;
  Vector point;
  double distance = 0;
  Side side = Side::unclear;
};

class Bisection {
 public:
  Bisection(const Projector& domain, const Ball& ball, const Vector& x)
      : domain_(domain),
        ball_(ball),
        x_(x),
        v_(x - ball.center),
        reach_(detail::distance_bounds(x, ball.center).upper),
        inside_(at(0)),
        outside_(at(1)) {}

  Projection run(double xi) {
    if (inside_.side != Side::inside)
      throw_error<InfeasibleError>(
          "the ball of radius {:.3g} is too small: its center is in the domain up to {:.3g}", ball_.radius,
          inside_.distance);
    if (outside_.side == Side::inside) inside_ = outside_;
    if (inside_.s < 1)
      consider(ball_.radius / (ball_.radius + reach_));  // λ = R/r: inside [Lemma C.6, step 2]
    while (bound() > xi && narrow()) {
    }
    if (bound() > xi)
      throw_error<InfeasibleError>(
          "a projection onto the domain and the ball of radius {:.3g} within {:.3g} is asked for; double "
          "arithmetic "
          "certifies {:.3g}",
          ball_.radius, xi, bound());
    return {inside_.point, bound()};
  }

 private:
  PathPoint at(double s) const;
  double bound() const;
  bool narrow();
  bool consider(double s);

  const Projector& domain_;
  const Ball& ball_;
  const Vector& x_;
  const Vector v_;                              // rounded: relative error u in each entry
  const double reach_;                          // ‖v‖, at most
  PathPoint inside_, outside_;                  // s₀ and s₁; s₁ = 1 is an upper end whatever its side
  double unclear_low_ = 2, unclear_high_ = -1;  // s between which rounding hides the side; empty at first
};

PathPoint Bisection::at(double s) const {
  const Vector z = s == 0 ? ball_.center : s == 1 ? x_ : Vector(ball_.center + s * v_);
  const Projection projection = domain_(z);
  double distance = projection.distance;
  if (s != 0 && s != 1) {
    // ‖z − z_s‖ ≤ u‖z‖ + 3u·s‖v‖ + underflow, and projections do not expand.
    const double rounding = add_up(mul_up(unit_roundoff, detail::norm_bounds(z).upper),
                                   mul_up(3 * unit_roundoff, mul_up(s, reach_)));
    distance = add_up(distance, add_up(rounding, static_cast<double>(z.size()) * 0x1p-1074));
  }
  const detail::Bounds radius = detail::distance_bounds(projection.point, ball_.center);
  const bool inside = (distance == 0 ? radius.upper : add_up(radius.upper, distance)) <= ball_.radius;
  const bool outside = sub_down(radius.lower, distance) >= ball_.radius;
  return {s, projection.point, distance, inside ? Side::inside : outside ? Side::outside : Side::unclear};
}

// On the distance of inside_.point to the projection onto the intersection.
double Bisection::bound() const {
  if (inside_.s == 1) return inside_.distance;
  const double width = sub_up(outside_.s, inside_.s);
  const double straight = mul_up(width, reach_);
  // ⟨x_{s₁} − x_{s₀}, v⟩, from the computed points
  const Vector terms = (outside_.point - inside_.point).cwiseProduct(v_);
  const double rounding =
      mul_up(gamma_bound(static_cast<std::size_t>(terms.size()) + 8), terms.cwiseAbs().sum());
  const double inexact = mul_up(add_up(inside_.distance, outside_.distance), reach_);
  const double underflow = static_cast<double>(terms.size()) * 0x1p-1073;
  const double along = add_up(terms.sum(), add_up(add_up(rounding, underflow), inexact));
  const double firm = sqrt_up(mul_up(width, along));
  return add_up(std::min(straight, firm), inside_.distance);
}

// Halves [low, high], on a logarithmic scale while they are far apart.
double between(double low, double high) {
  return low > 0 && high / low > 4 ? std::sqrt(low) * std::sqrt(high) : low + (high - low) / 2;
}

// False when no double is left that could narrow s₀ ≤ s* ≤ s₁.
bool Bisection::narrow() {
  if (unclear_low_ > unclear_high_) return consider(between(inside_.s, outside_.s));
  const bool below = consider(between(inside_.s, unclear_low_));
  const bool above = consider(between(unclear_high_, outside_.s));
  return below || above;
}

bool Bisection::consider(double s) {
  if (!(s > inside_.s && s < outside_.s) || (s >= unclear_low_ && s <= unclear_high_)) return false;
  const PathPoint point = at(s);
  if (point.side == Side::inside) inside_ = point;
  if (point.side == Side::outside) outside_ = point;
  if (point.side == Side::unclear) {
    unclear_low_ = std::min(unclear_low_, s);
    unclear_high_ = std::max(unclear_high_, s);
  }
  return true;
}

}  // namespace

Projection project_intersection(const Projector& domain, const Ball& ball, const Vector& x, double xi) {
  validate(ball, x.size());
  if (!(xi > 0)) throw_error<UsageError>("the accuracy of a projection is {}, expected > 0", xi);
  if (!(x.array().abs() <= largest_coordinate).all())
    throw_error<UsageError>("the point has an entry that is not a finite number of size at most 2^1000");
  if (!domain.contains(ball.center))
    throw_error<UsageError>("the center of the ball does not lie in the domain that it is intersected with");
  return Bisection(domain, ball, x).run(xi);
}

Projection project_intersection(const Domain& domain, const Ball& ball, const Vector& x, double xi) {
  return project_intersection(Projector(domain), ball, x, xi);
}

}  // namespace tacit::inline v1
