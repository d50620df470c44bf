#include "domain/local.hpp"

#include <gtest/gtest.h>

#include "domain/intersection.hpp"
#include "domain/samples.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

std::vector<Domain> domains_around(const Vector& inner, samples::Source& source) {
  const Eigen::Index d = inner.size();
  const Vector spread = Vector::Constant(d, 1.5);
  Ellipsoid ellipsoid = source.ellipsoid(d, 100);
  ellipsoid.center = inner;
  std::vector<Domain> domains = {Ball{inner, 2}, Box{inner - spread, inner + spread}, ellipsoid};
  Polytope polytope = source.polytope(inner, 4 * d, 2);
  polytope.a.conservativeResize(6 * d, d);
  polytope.b.conservativeResize(6 * d);
  for (Eigen::Index k = 0; k < d; ++k)
    for (const int sign : {0, 1}) {
      polytope.a.row(4 * d + 2 * k + sign) = (sign == 0 ? 1.0 : -1.0) * Vector::Unit(d, k).transpose();
      polytope.b[4 * d + 2 * k + sign] = (sign == 0 ? inner[k] : -inner[k]) + 3;
    }
  domains.push_back(polytope);
  return domains;
}

// The excess is what a subgradient step needs: no point of the set gets farther away by more.
TEST(LocalDomain, PointsOfTheSetComeNearerUpToTheExcess) {
  samples::Source source(1);
  for (int trial = 0; trial < 60; ++trial) {
    const Eigen::Index d = source.index(1, 4);
    const Vector inner = source.vector(d);
    for (const Domain& domain : domains_around(inner, source)) {
      const Ball ball{source.point(domain, inner), source.uniform(0.05, 2)};
      const LocalDomain local(domain, ball);
      const Vector x = ball.center + source.uniform(0, 8) * source.vector(d);
      const NearPoint near = local.project(x);
      EXPECT_TRUE(contains(domain, near.point));
      EXPECT_LE((near.point - ball.center).norm(), ball.radius * (1 + 1e-14));
      EXPECT_LT(near.excess, 1e-7);
      for (int k = 0; k < 20; ++k) {
        const Vector u = local.project(source.point(domain, inner)).point;
        EXPECT_LE((near.point - u).squaredNorm(),
                  (x - u).squaredNorm() + near.excess + 1e-13 * (x - u).squaredNorm());
      }
      // The same point as the projection certified by its distance.
      const Projection certified = project_intersection(domain, ball, x, 1e-4);
      EXPECT_LE((near.point - certified.point).norm(),
                certified.distance + std::sqrt(near.excess / 2) + 1e-12);
    }
  }
}

TEST(LocalDomain, ExcessStaysBelowItsPublicBound) {
  samples::Source source(2);
  for (int trial = 0; trial < 400; ++trial) {
    const Eigen::Index d = source.index(1, 5);
    const double size = std::pow(10, source.uniform(-3, 3));
    const Ball whole{source.vector(d, size), size};
    const Ball ball{project(whole, source.vector(d, 3 * size)).point,
                    size * std::pow(10, source.uniform(-4, 1))};
    const LocalDomain local(whole, ball), alone{Domain(whole)};
    const Vector x = ball.center + source.vector(d, size * std::pow(10, source.uniform(-4, 2)));
    const double far = (x - ball.center).norm() + 2 * size;
    EXPECT_LE(local.project(x).excess, local.excess_bound(far));
    EXPECT_LE(alone.project(x).excess, alone.excess_bound(far));
  }
}

TEST(LocalDomain, RefusesUnboundedDomainsAndCentersOutside) {
  EXPECT_THROW(LocalDomain{Domain(WholeSpace{})}, UsageError);
  const Ball whole{Vector::Zero(2), 1};
  EXPECT_THROW(LocalDomain(whole, Ball{Vector::Constant(2, 3), 1}), UsageError);
  EXPECT_THROW(LocalDomain(Domain(Ellipsoid{Vector::Zero(2), Matrix::Identity(2, 2)})).excess_bound(1),
               UsageError);
}

}  // namespace
}  // namespace tacit
