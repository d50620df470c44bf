#include "domain/intersection.hpp"

#include <gtest/gtest.h>

#include "domain/reference.hpp"
#include "domain/samples.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

// Dykstra's alternating projections: slow, and independent of any multiplier.
Vector dykstra(const Projector& domain, const Ball& ball, const Vector& x) {
  const Projector onto_ball(ball);
  Vector point = x, p = Vector::Zero(x.size()), q = p;
  for (int step = 0; step < 20000; ++step) {
    const Vector y = domain(point + p).point;
    p = point + p - y;
    const Vector next = onto_ball(y + q).point;
    q = y + q - next;
    if (step > 10 && (next - point).norm() == 0) break;
    point = next;
  }
  return point;
}

Projection expect_certified(const Projector& domain, const Ball& ball, const Vector& x, double xi) {
  const Projection p = project_intersection(domain, ball, x, xi);
  EXPECT_LE(p.distance, xi);
  EXPECT_TRUE(domain.contains(p.point));
  const reference::RealVector offset =
      reference::minus(reference::to_real(p.point), reference::to_real(ball.center));
  EXPECT_LE(reference::norm(offset), reference::Real(ball.radius));
  return p;
}

void expect_certified(const Box& box, const Ball& ball, const Vector& x, double xi) {
  const Projection p = expect_certified(Projector(box), ball, x, xi);
  EXPECT_LE(reference::distance(p.point, reference::project(box, ball, x)), reference::Real(p.distance));
}

TEST(Intersection, AgreesWithDykstra) {
  samples::Source source(41);
  for (int trial = 0; trial < 15; ++trial) {
    const Eigen::Index d = source.index(1, 5);
    const Vector inner = source.vector(d), half = source.vector(d).cwiseAbs();
    const Ellipsoid ellipsoid = source.ellipsoid(d, 50);
    for (const auto& [domain, center] : {std::pair<Domain, Vector>{WholeSpace{}, inner},
                                         {Ball{inner, 1}, inner + 0.5 * source.vector(d).normalized()},
                                         {Box{inner - half, inner + half}, inner + half},
                                         {ellipsoid, ellipsoid.center},
                                         {source.polytope(inner, 6, 1), inner}}) {
      const double radius = std::exp(source.uniform(-2, 0.5));
      const Projector projector(domain);
      const Vector x = center + source.vector(d, 2);
      const Projection p = expect_certified(projector, {center, radius}, x, 1e-10);
      EXPECT_LE((p.point - dykstra(projector, {center, radius}, x)).norm(), p.distance + 1e-8);
    }
  }
}

// W a half space whose edge passes at distance h from w₀: the answer is known in closed form.
TEST(Intersection, IsExactForAHalfSpace) {
  const double h = 0.3, r = 1;
  const Polytope half{Matrix{{0, 1}}, Vector{{h}}};
  const double corner = std::sqrt(r * r - h * h);
  const Projection p = project_intersection(half, {Vector::Zero(2), r}, Vector{{5, 4}}, 1e-12);
  EXPECT_NEAR(p.point[0], corner, 1e-12);
  EXPECT_NEAR(p.point[1], h, 1e-12);
  const Projection q = project_intersection(half, {Vector::Zero(2), r}, Vector{{0.1, 4}}, 1e-12);
  EXPECT_NEAR(q.point[0], 0.1, 1e-12);
  EXPECT_NEAR(q.point[1], h, 1e-12);
}

TEST(Intersection, OfTheWholeSpaceIsTheBall) {
  samples::Source source(42);
  const Ball ball{source.vector(20), 0.7};
  for (const double far : {1.0, 1e3, 1e15, 1e300}) {
    const Vector x = source.vector(20, far);
    const Projection p = project_intersection(WholeSpace{}, ball, x, 1e-13), q = project(ball, x);
    EXPECT_LE((p.point - q.point).norm(), p.distance + q.distance);
  }
}

TEST(Intersection, ReturnsTheProjectionOntoTheDomainWhenTheBallDoesNotBind) {
  const Box box{Vector::Zero(2), Vector::Ones(2)};
  const Projection p = project_intersection(box, {Vector::Zero(2), 2}, Vector{{3, 0.5}}, 1e-300);
  EXPECT_EQ(p.point, (Vector{{1, 0.5}}));
  EXPECT_EQ(p.distance, 0);
}

TEST(Intersection, CertifiesItsDistanceAgainst100Digits) {
  samples::Source source(45);
  for (int trial = 0; trial < 200; ++trial) {
    const Eigen::Index d = source.index(1, 6);
    const Vector lower = source.vector(d), upper = lower + source.vector(d).cwiseAbs();
    const Vector center = lower + source.uniform(0, 1) * (upper - lower);
    const Ball ball{project(Box{lower, upper}, center).point, std::exp(source.uniform(-4, 1))};
    expect_certified(Box{lower, upper}, ball, center + source.vector(d, 10), 1e-12);
  }
}

// Where x_s stops moving (a corner on the sphere) the side cannot be decided, yet the bound stays small.
TEST(Intersection, HandlesACornerOnTheSphere) {
  const Box box{Vector::Constant(2, -1), Vector::Constant(2, 1)};
  for (const double radius : {std::sqrt(2.0), next_up(std::sqrt(2.0)), next_down(std::sqrt(2.0))})
    expect_certified(box, {Vector::Zero(2), radius}, Vector{{9, 7}}, 1e-6);
}

// The path runs along the sphere: rounding the radius by δ moves the projection by about √δ.
TEST(Intersection, CertifiesATangentPath) {
  const Box box{Vector::Constant(2, -1), Vector::Constant(2, 1)};
  for (const double tilt : {1.0, 1e-2, 1e-5, 1e-8, 1e-12})
    expect_certified(box, {Vector::Zero(2), 1}, Vector{{10, tilt}}, 1e-6);
}

TEST(Intersection, WorksFromFarAwayAndForTinyBalls) {
  samples::Source source(43);
  const Box box{Vector::Constant(3, -1), Vector::Constant(3, 1)};
  for (const double radius : {1e-9, 1e-3, 1.2, 1e300})
    for (const double far : {1e-310, 1e-12, 1.0, 1e5, 1e12})
      expect_certified(box, {Vector{{1, 1, -0.5}}, radius}, source.vector(3, far),
                       std::max(1e-3 * std::min(radius, 1.0), 1e-13 * (1 + far)));
}

TEST(Intersection, RefusesWhatItCannotProject) {
  const Box box{Vector::Zero(2), Vector::Ones(2)};
  EXPECT_THROW(project_intersection(box, {Vector::Zero(2), 1}, Vector{{NAN, 0}}, 1e-6), UsageError);
  EXPECT_THROW(project_intersection(box, {Vector::Zero(2), 1}, Vector{{0, -INFINITY}}, 1e-6), UsageError);
  EXPECT_THROW(project_intersection(WholeSpace{}, {Vector::Zero(3), 1}, Vector::Zero(2), 1e-6), UsageError);
  EXPECT_THROW(project_intersection(box, {Vector{{2, 0}}, 5}, Vector::Zero(2), 1e-6), UsageError);
  EXPECT_THROW(project_intersection(box, {Vector::Zero(2), -1}, Vector::Zero(2), 1e-6), UsageError);
  EXPECT_THROW(project_intersection(box, {Vector::Zero(2), 1}, Vector::Zero(2), 0), UsageError);
  EXPECT_THROW(project_intersection(box, {Vector::Zero(2), 1}, Vector::Zero(3), 1e-6), UsageError);
}

TEST(Intersection, SaysWhatItCanCertifyWhenAskedForMore) {
  samples::Source source(44);
  const Ellipsoid ellipsoid = source.ellipsoid(3, 10);
  try {
    project_intersection(ellipsoid, {ellipsoid.center, 0.5}, ellipsoid.center + source.vector(3, 10), 1e-25);
    FAIL() << "certified a distance below the rounding of the point";
  } catch (const InfeasibleError& error) {
    EXPECT_NE(std::string(error.what()).find("1e-25"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tacit
