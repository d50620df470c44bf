// Many more random domains than the quick tests try, among them polytopes of small whole numbers, where rows
// meet, repeat and cancel exactly.

#include <gtest/gtest.h>

#include <cmath>

#include "domain/intersection.hpp"
#include "domain/reference.hpp"
#include "domain/samples.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

using reference::Real;

double whole(samples::Source& source, Eigen::Index size) {
  return static_cast<double>(source.index(-size, size));
}

TEST(LongPolytope, CertifiesPolytopesOfWholeNumbers) {
  samples::Source source(51);
  int projected = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const Eigen::Index d = source.index(1, 3), m = source.index(1, 8);
    const Polytope polytope{Matrix::NullaryExpr(m, d, [&] { return whole(source, 2); }),
                            Vector::NullaryExpr(m, [&] { return whole(source, 3); })};
    if ((polytope.a.rowwise().squaredNorm().array() == 0).any()) continue;
    const Vector x = Vector::NullaryExpr(d, [&] { return whole(source, 8) / 2; });
    const reference::RealVector truth = reference::project(polytope, x);
    try {
      const Projection p = project(polytope, x);
      ASSERT_FALSE(truth.empty()) << "an empty polytope was accepted";
      EXPECT_LE(reference::distance(p.point, truth), Real(p.distance));
      EXPECT_LE(p.distance, 1e-12);
      EXPECT_TRUE(contains(polytope, p.point));
      ++projected;
    } catch (const UsageError&) {
      // Empty, or without interior: some point is within 1e-9 of violating when every row is tightened by
      // 1e-9.
      Polytope tighter = polytope;
      tighter.b.array() -= 1e-9;
      EXPECT_TRUE(reference::project(tighter, x).empty());
    }
  }
  EXPECT_GT(projected, 1000);
}

TEST(LongPolytope, CertifiesIllConditionedPolytopes) {
  samples::Source source(52);
  for (int trial = 0; trial < 2000; ++trial) {
    const Vector inner = source.vector(source.index(1, 4));
    Polytope polytope = source.polytope(inner, source.index(1, 8), std::pow(10, source.uniform(-8, 2)));
    // Rows that differ from their neighbours by little.
    const double tilt = std::pow(10, source.uniform(-14, 0));
    for (Eigen::Index i = 1; i < polytope.a.rows(); i += 2) {
      polytope.a.row(i) = polytope.a.row(i - 1) + tilt * polytope.a.row(i);
      polytope.b[i] = polytope.a.row(i).dot(inner) + polytope.b[i - 1] - polytope.a.row(i - 1).dot(inner);
    }
    const Vector x = inner + source.vector(inner.size(), std::pow(10, source.uniform(-3, 8)));
    const Projection p = project(polytope, x);
    const reference::RealVector truth = reference::project(polytope, x);
    ASSERT_FALSE(truth.empty());
    EXPECT_LE(reference::distance(p.point, truth), Real(p.distance));
    EXPECT_LE(p.distance, 1e-7 * (1 + p.point.norm()));
    EXPECT_TRUE(contains(polytope, p.point));
  }
}

TEST(LongEllipsoid, CertifiesAnyConditionAndDistance) {
  samples::Source source(53);
  for (int trial = 0; trial < 1000; ++trial) {
    const Eigen::Index d = source.index(1, 4);
    const Ellipsoid ellipsoid = source.ellipsoid(d, std::pow(10, source.uniform(0, 13)));
    const Vector x = ellipsoid.center + source.vector(d, std::pow(10, source.uniform(-8, 40)));
    const Projection p = project(ellipsoid, x);
    EXPECT_LE(reference::ellipsoid_value(ellipsoid, p.point), Real(1));
    EXPECT_LE(reference::distance(p.point, reference::project(ellipsoid, x)), Real(p.distance));
    EXPECT_LE(p.distance, 1e-8);
  }
}

TEST(LongIntersection, CertifiesBoxesAgainst100Digits) {
  samples::Source source(54);
  for (int trial = 0; trial < 3000; ++trial) {
    const Eigen::Index d = source.index(1, 6);
    const Vector lower = Vector::NullaryExpr(d, [&] { return whole(source, 2); });
    const Vector upper = lower + Vector::NullaryExpr(d, [&] { return std::abs(whole(source, 3)); });
    const Box box{lower, upper};
    const Ball ball{project(box, Vector::NullaryExpr(d, [&] { return whole(source, 3); })).point,
                    static_cast<double>(source.index(1, 6)) / 2};
    const Vector x = Vector::NullaryExpr(d, [&] { return whole(source, 40) / 2; });
    const Projection p = project_intersection(box, ball, x, 1e-6);
    EXPECT_LE(reference::distance(p.point, reference::project(box, ball, x)), Real(p.distance));
    EXPECT_TRUE(contains(box, p.point));
    EXPECT_LE((p.point - ball.center).norm(), ball.radius * (1 + 1e-15));
  }
}

}  // namespace
}  // namespace tacit
