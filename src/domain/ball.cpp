#include <algorithm>
#include <cmath>

#include "domain/norms.hpp"
#include "domain/prepared.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::detail {

PreparedBall::PreparedBall(const Ball& ball) : ball_(ball) {
  if (!(ball.radius > 0) || !(ball.radius <= largest_coordinate))
    throw_error<UsageError>("the ball's radius is {}, expected > 0 and at most 2^1000", ball.radius);
}

// Π(x) = c + min(1, r/‖v‖)·v with v = x − c.
Projection PreparedBall::project(const Vector& x) const {
  const Vector& c = ball_.center;
  const double r = ball_.radius;
  const Bounds norm = distance_bounds(x, c);
  if (norm.upper <= r) return {x, 0};

  const Vector v = x - c;
  Projection result{c, mul_up(2, r)};  // two points of the ball
  // Rounding c + s·v may leave the ball: shrink s until the rounded point is inside for certain.
  for (double shrink = 2 * unit_roundoff; shrink < 1; shrink *= 4) {
    const double s = std::min(1.0, r / norm.upper) * (1 - shrink);
    const Vector p = c + s * v;
    if (distance_bounds(p, c).upper > r) continue;
    // ‖p − (c + s·v)‖ ≤ u‖p‖ + 3u·s‖v‖ + underflow, and |s‖v‖ − min(‖v‖, r)| ≤ max(r − s‖v‖, s‖v‖ − r).
    const double rounding =
        add_up(mul_up(unit_roundoff, norm_bounds(p).upper), mul_up(3 * unit_roundoff, mul_up(s, norm.upper)));
    const double along =
        std::max({sub_up(r, mul_down(s, norm.lower)), sub_up(mul_up(s, norm.upper), r), 0.0});
    const double underflow = static_cast<double>(x.size()) * 0x1p-1074;
    const double distance = add_up(add_up(rounding, along), underflow);
    result = {p, std::min(result.distance, distance)};
    break;
  }
  return result;
}

bool PreparedBall::contains(const Vector& x) const {
  // 4 units in the last place of every coordinate of x and of the center, and of the radius.
  const double size = norm_bounds(x).upper + norm_bounds(ball_.center).upper + ball_.radius;
  return distance_bounds(x, ball_.center).lower <= ball_.radius + 4 * unit_roundoff * size;
}

double PreparedBall::diameter() const { return mul_up(2, ball_.radius); }

}  // namespace tacit::inline v1::detail
