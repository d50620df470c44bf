#pragma once

#include <optional>

#include "tacit/core.hpp"
#include "tacit/domain.hpp"

namespace tacit::inline v1 {

// A point p of a set K and a bound `excess`, rounding included, such that ‖p − u‖² ≤ ‖x − u‖² + excess for
// every u of K: all that the analysis of a projected subgradient step needs of a projection. It also means
// ‖p − Π_K(x)‖² ≤ excess/2 [docs/double_output.md, "Projection"].
struct NearPoint {
  Vector point;
  double excess = 0;
};

// W, or W ∩ B(c, r) with c in W [Lowy26, Alg. 2 line 4], for a compact W.
class TACIT_API LocalDomain {
 public:
  explicit LocalDomain(const Domain& whole);
  // Throws UsageError unless the ball's center lies in the domain.
  LocalDomain(const Domain& whole, const Ball& ball);

  NearPoint project(const Vector& x) const;
  double diameter() const { return diameter_; }
  Vector some_point() const;

  // A bound on project(x).excess from public values alone, for x within `far` of the set. Balls and boxes
  // only: it throws UsageError for the others, whose projections are certified only once they are made.
  double excess_bound(double far) const;
  // A bound on the distance between a computed projection onto W and the exact one, likewise.
  double projection_error() const;

 private:
  Domain whole_;
  Projector onto_whole_;
  std::optional<Ball> ball_;
  double whole_diameter_ = 0, diameter_ = 0;
};

// The largest norm of a point of a ball or box, rounded up. Throws UsageError for the others.
TACIT_API double largest_norm(const Domain& domain);

}  // namespace tacit::inline v1
