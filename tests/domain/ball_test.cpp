#include <gtest/gtest.h>

#include "domain/reference.hpp"
#include "domain/samples.hpp"
#include "tacit/domain.hpp"

namespace tacit {
namespace {

using reference::Real;

// In 100 digits: the point is inside, and the distance bounds what it says.
void expect_certified(const Ball& ball, const Vector& x) {
  const Projection p = project(ball, x);
  const Real radius =
      reference::norm(reference::minus(reference::to_real(p.point), reference::to_real(ball.center)));
  EXPECT_LE(radius, Real(ball.radius));
  EXPECT_LE(reference::distance(p.point, reference::project(ball, x)), Real(p.distance));
}

TEST(Ball, CertifiesItsDistanceAgainst100Digits) {
  samples::Source source(11);
  for (int trial = 0; trial < 2000; ++trial) {
    const Eigen::Index d = source.index(1, 40);
    const Ball ball{source.vector(d, std::exp(3 * source.normal())), std::exp(3 * source.normal())};
    expect_certified(ball, ball.center + source.vector(d, ball.radius * std::exp(2 * source.normal())));
  }
}

TEST(Ball, IsCertifiedToAFewRoundingsOfThePointAndTheRadius) {
  samples::Source source(12);
  for (int trial = 0; trial < 200; ++trial) {
    const Ball ball{source.vector(10), 1};
    const Projection p = project(ball, ball.center + source.vector(10, 5));
    EXPECT_LE(p.distance, 1e-14 * (1 + p.point.norm()));
  }
}

TEST(Ball, ReturnsPointsInsideUnchanged) {
  const Ball ball{Vector::Zero(3), 2};
  const Vector x = Vector::Constant(3, 1.0);
  const Projection p = project(ball, x);
  EXPECT_EQ(p.point, x);
  EXPECT_EQ(p.distance, 0);
}

TEST(Ball, HandlesPointsOnTheBoundary) {
  samples::Source source(13);
  for (int trial = 0; trial < 500; ++trial) {
    const Ball ball{source.vector(4), std::exp(source.normal())};
    const Vector v = source.vector(4);
    expect_certified(ball, ball.center + v * (ball.radius / v.norm()));
  }
  expect_certified({Vector::Zero(2), 5}, Vector{{3, 4}});
}

TEST(Ball, HandlesExtremeNumbers) {
  const Vector direction{{1, -2, 3}};
  for (const double radius : {1e-300, 1e-10, 1.0, 1e10, 1e300})
    for (const double far : {5e-324, 1e-310, 1e-300, 1e-160, 1.0, 1e160, 1e300}) {
      expect_certified({Vector::Zero(3), radius}, far * direction);
      expect_certified({Vector::Constant(3, 1e-5), radius}, far * direction);
    }
}

TEST(Ball, StaysInsideWhenItIsSmallerThanTheRoundingOfItsCenter) {
  expect_certified({Vector::Constant(2, 1e10), 1e-10}, Vector::Constant(2, 2e10));
  expect_certified({Vector::Constant(2, 1e10), 3e-6}, Vector{{-3e10, 2e10}});
}

TEST(Ball, IsTightInHighDimension) {
  samples::Source source(14);
  const Ball ball{Vector::Zero(100000), 1};
  const Projection p = project(ball, source.vector(100000));
  EXPECT_LE(p.distance, 1e-13);
  EXPECT_TRUE(contains(ball, p.point));
}

TEST(Box, IsExact) {
  samples::Source source(15);
  for (int trial = 0; trial < 500; ++trial) {
    const Vector lower = source.vector(5), upper = lower + source.vector(5).cwiseAbs();
    const Vector x = source.vector(5, 3);
    const Projection p = project(Box{lower, upper}, x);
    EXPECT_EQ(p.distance, 0);
    for (Eigen::Index i = 0; i < 5; ++i) EXPECT_EQ(p.point[i], std::clamp(x[i], lower[i], upper[i]));
  }
}

TEST(Box, MayBeFlat) {
  const Box box{Vector{{1, 0}}, Vector{{1, 2}}};
  EXPECT_EQ(project(box, Vector{{-1e300, 1e-310}}).point, (Vector{{1, 1e-310}}));
}

}  // namespace
}  // namespace tacit
