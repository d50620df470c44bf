#include <gtest/gtest.h>

#include "domain/reference.hpp"
#include "domain/samples.hpp"
#include "tacit/domain.hpp"

namespace tacit {
namespace {

using reference::Real;

// In 100 digits: the point is inside, and the distance bounds what it says. Returns the distance.
double expect_certified(const Ellipsoid& ellipsoid, const Vector& x) {
  const Projection p = project(ellipsoid, x);
  EXPECT_LE(reference::ellipsoid_value(ellipsoid, p.point), Real(1));
  EXPECT_LE(reference::distance(p.point, reference::project(ellipsoid, x)), Real(p.distance));
  return p.distance;
}

TEST(Ellipsoid, CertifiesItsDistanceAgainst100Digits) {
  samples::Source source(21);
  for (int trial = 0; trial < 60; ++trial) {
    const Eigen::Index d = source.index(1, 5);
    const Ellipsoid ellipsoid = source.ellipsoid(d, std::pow(10, source.uniform(0, 8)));
    const double scale = std::pow(10, source.uniform(-2, 6));
    const double distance = expect_certified(ellipsoid, ellipsoid.center + source.vector(d, scale));
    EXPECT_LE(distance, 1e-13 * (1 + ellipsoid.center.norm()));
  }
}

TEST(Ellipsoid, IsTightAtCondition1e12) {
  samples::Source source(22);
  for (int trial = 0; trial < 30; ++trial) {
    const Ellipsoid ellipsoid = source.ellipsoid(4, 1e12);
    for (const double scale : {1e-7, 1e-3, 1.0, 1e3}) {
      const double distance = expect_certified(ellipsoid, ellipsoid.center + source.vector(4, scale));
      // A point inside must stay a rounding away from the boundary, measured where it is sharpest.
      EXPECT_LE(distance, 1e-9);
    }
  }
}

TEST(Ellipsoid, AgreesWithTheBallOfTheSameRadius) {
  samples::Source source(23);
  const Ball ball{source.vector(6), 0.5};
  const Ellipsoid ellipsoid{ball.center, 4 * Matrix::Identity(6, 6)};
  for (int trial = 0; trial < 100; ++trial) {
    const Vector x = source.vector(6, 3);
    const Projection p = project(ball, x), q = project(ellipsoid, x);
    EXPECT_LE((p.point - q.point).norm(), p.distance + q.distance);
  }
}

TEST(Ellipsoid, ReturnsPointsInsideUnchangedAndCertifiesTheBoundary) {
  samples::Source source(24);
  for (int trial = 0; trial < 20; ++trial) {
    const Ellipsoid ellipsoid = source.ellipsoid(3, 100);
    const Vector v = source.vector(3);
    const Vector edge = v / std::sqrt(v.dot(ellipsoid.shape * v));
    const Projection inside = project(ellipsoid, ellipsoid.center + edge / 2);
    EXPECT_EQ(inside.point, ellipsoid.center + edge / 2);
    EXPECT_EQ(inside.distance, 0);
    EXPECT_LE(expect_certified(ellipsoid, ellipsoid.center + edge), 1e-14);
    EXPECT_LE(expect_certified(ellipsoid, ellipsoid.center + edge * (1 + 1e-15)), 1e-14);
  }
}

TEST(Ellipsoid, HandlesExtremeNumbers) {
  samples::Source source(25);
  const Ellipsoid plain = source.ellipsoid(3, 1e4);
  for (const double far : {5e-324, 1e-300, 1e-100, 1e20, 1e100, 1e300})
    EXPECT_LE(expect_certified(plain, Vector{{far, -far, far / 2}}), 1e-13);
  // Shapes whose squares leave the range of double.
  const Matrix turned = source.ellipsoid(3, 1e3).shape;
  for (const double size : {1e-300, 1e-150, 1e150, 1e290}) {
    const Ellipsoid scaled{Vector::Zero(3), size * turned};
    const double axis = 1 / std::sqrt(size);
    EXPECT_LE(expect_certified(scaled, Vector{{3 * axis, 2 * axis, -axis}}), 1e-13 * axis);
    expect_certified(scaled, Vector{{1e300, 0, 0}});
  }
}

TEST(Ellipsoid, ProjectsExactlyAlongAnAxis) {
  const Ellipsoid ellipsoid{Vector::Zero(2), Vector{{1, 0x1p20}}.asDiagonal()};
  const Projection p = project(ellipsoid, Vector{{0, 5}});
  EXPECT_EQ(p.point[0], 0);
  EXPECT_NEAR(p.point[1], 0x1p-10, 1e-17);
  EXPECT_LE(p.distance, 1e-17);
}

TEST(Ellipsoid, FindsTheCenterOfALongAxis) {
  // From the center line of a needle both ends are far: the nearest point is beside, not at an end.
  const Ellipsoid needle{Vector::Zero(2), Vector{{1, 1e12}}.asDiagonal()};
  EXPECT_LE(expect_certified(needle, Vector{{0.5, 1}}), 1e-15);
  EXPECT_LE(expect_certified(needle, Vector{{0.999999, 2e-6}}), 1e-15);
}

TEST(Ellipsoid, StaysInsideWhenItIsSmallerThanTheRoundingOfItsCenter) {
  const Ellipsoid tiny{Vector::Constant(2, 1e10), 1e20 * Matrix::Identity(2, 2)};
  EXPECT_LE(expect_certified(tiny, Vector{{0, 3e10}}), 2.1e-10);
}

TEST(Ellipsoid, CostsNoAccuracyInFiftyDimensions) {
  samples::Source source(26);
  const Ellipsoid ellipsoid = source.ellipsoid(50, 1e6);
  const Projector project(ellipsoid);
  for (int trial = 0; trial < 5; ++trial) {
    const Projection p = project(source.vector(50, 10));
    EXPECT_LE(p.distance, 1e-12);
    EXPECT_LE(reference::ellipsoid_value(ellipsoid, p.point), Real(1));
  }
}

}  // namespace
}  // namespace tacit
