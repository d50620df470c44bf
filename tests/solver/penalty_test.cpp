#include "solver/penalty.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "domain/samples.hpp"

namespace tacit {
namespace {

Polytope corner() {
  Polytope polytope{Matrix(5, 2), Vector(5)};
  polytope.a << 1, 0, -1, 0, 0, 3, 0, -1, 0.5, 0.5;
  polytope.b << 1, 1, 3, 1, 0.6;
  return polytope;
}
Ellipsoid slanted() {
  Matrix shape(2, 2);
  shape << 4, 1, 1, 9;
  return {Vector{{0.1, -0.2}}, shape};
}

Vector gradient_at(const Penalty& penalty, const Vector& w) {
  Vector g = Vector::Zero(w.size());
  penalty.add_gradient(w, g);
  return g;
}

TEST(Penalty, IsNothingWithinAndPullsBackOutside) {
  for (const Domain& domain : {Domain(corner()), Domain(slanted())}) {
    const Penalty penalty(domain, 3, 2);
    samples::Source source(1);
    int outside = 0;
    for (int k = 0; k < 500; ++k) {
      const Vector w = source.vector(2, 1), inside = project(domain, w).point;
      EXPECT_LE(gradient_at(penalty, inside).norm(), 1e-12);
      if ((w - inside).norm() < 1e-6) continue;
      ++outside;
      EXPECT_GT(gradient_at(penalty, w).dot(w - inside), 0);
    }
    EXPECT_GT(outside, 50);
  }
}

// Monotone, and no steeper or more bent than it says: what the solver's promise counts on.
TEST(Penalty, IsConvexSmoothAndLipschitzAsItSays) {
  for (const Domain& domain : {Domain(corner()), Domain(slanted())}) {
    const Penalty penalty(domain, 3, 2);
    samples::Source source(2);
    double steepest = 0, most_bent = 0;
    for (int k = 0; k < 2000; ++k) {
      const Vector u = project(Ball{Vector::Zero(2), 2}, source.vector(2, 3)).point;
      const Vector w = project(Ball{Vector::Zero(2), 2}, source.vector(2, 3)).point;
      const Vector change = gradient_at(penalty, u) - gradient_at(penalty, w);
      EXPECT_GE(change.dot(u - w), -1e-12);
      steepest = std::max(steepest, gradient_at(penalty, u).norm());
      most_bent = std::max(most_bent, change.norm() / (u - w).norm());
    }
    EXPECT_LE(steepest, penalty.lipschitz());
    EXPECT_LE(most_bent, penalty.smoothness());
    EXPECT_GT(most_bent, 0.1 * penalty.smoothness());
    EXPECT_LT(penalty.error(), 1e-11);
  }
}

TEST(Penalty, IsNothingForOtherDomains) {
  const Penalty none(Ball{Vector::Zero(2), 1}, 3, 2);
  EXPECT_EQ(none.lipschitz(), 0);
  EXPECT_EQ(gradient_at(none, Vector{{5, 5}}), Vector::Zero(2));
}

}  // namespace
}  // namespace tacit
