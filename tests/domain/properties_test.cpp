// What every projection has in common, over random domains and points near, far and on the boundary.

#include <gtest/gtest.h>

#include <string>

#include "domain/samples.hpp"
#include "tacit/core.hpp"
#include "tacit/domain.hpp"

namespace tacit {
namespace {

struct Case {
  Domain domain;
  Vector inner;
};

Case make_case(const std::string& kind, samples::Source& source) {
  const Eigen::Index d = source.index(1, 8);
  const Vector inner = source.vector(d);
  if (kind == "space") return {WholeSpace{}, inner};
  if (kind == "ball") return {Ball{inner, std::exp(source.normal())}, inner};
  if (kind == "box") {
    const Vector half = source.vector(d).cwiseAbs();
    return {Box{inner - half, inner + half}, inner};
  }
  if (kind == "ellipsoid") {
    const Ellipsoid ellipsoid = source.ellipsoid(d, std::pow(10, source.uniform(0, 6)));
    return {ellipsoid, ellipsoid.center};
  }
  return {source.polytope(inner, source.index(1, 20), std::exp(source.normal())), inner};
}

class EveryDomain : public testing::TestWithParam<std::string> {
 protected:
  // Calls check(projector, inner, x) for 40 domains and 6 points of each.
  template <class Check>
  void for_each_point(unsigned seed, const Check& check) {
    samples::Source source(seed);
    for (int trial = 0; trial < 40; ++trial) {
      const Case c = make_case(GetParam(), source);
      const Projector projector(c.domain);
      for (const double scale : {1e-3, 1.0, 3.0, 30.0, 1e4, 1e8})
        check(c, projector, Vector(c.inner + source.vector(c.inner.size(), scale)), source);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Kinds, EveryDomain, testing::Values("space", "ball", "box", "ellipsoid", "polytope"),
                         [](const auto& test) { return test.param; });

TEST_P(EveryDomain, ProjectsIntoItself) {
  for_each_point(1, [](const Case&, const Projector& project, const Vector& x, samples::Source&) {
    const Projection p = project(x);
    EXPECT_TRUE(project.contains(p.point));
    EXPECT_TRUE(std::isfinite(p.distance));
  });
}

TEST_P(EveryDomain, KeepsItsOwnPoints) {
  for_each_point(2, [](const Case& c, const Projector& project, const Vector&, samples::Source& source) {
    const Vector z = source.point(c.domain, c.inner);
    EXPECT_LE((project(z).point - z).norm(), 1e-13 * (1 + z.norm()));
  });
}

TEST_P(EveryDomain, IsIdempotent) {
  for_each_point(3, [](const Case&, const Projector& project, const Vector& x, samples::Source&) {
    const Vector p = project(x).point;
    EXPECT_LE((project(p).point - p).norm(), 1e-14 * (1 + p.norm()));
  });
}

TEST_P(EveryDomain, CertifiesADistanceNearRounding) {
  for_each_point(4, [](const Case&, const Projector& project, const Vector& x, samples::Source&) {
    const Projection p = project(x);
    EXPECT_LE(p.distance, 1e-11 * (1 + p.point.norm()));
  });
}

// ⟨x − p*, z − p*⟩ ≤ 0 for z in the domain, and p is within `distance` of p*.
TEST_P(EveryDomain, SatisfiesTheVariationalInequality) {
  for_each_point(5, [](const Case& c, const Projector& project, const Vector& x, samples::Source& source) {
    const Projection p = project(x);
    for (int k = 0; k < 5; ++k) {
      const Vector z = source.point(c.domain, c.inner);
      const double away = (x - p.point).norm(), across = (z - p.point).norm();
      const double rounding =
          64 * unit_roundoff * (across * (x.norm() + p.point.norm()) + away * (1 + z.norm()));
      EXPECT_LE((x - p.point).dot(z - p.point), p.distance * (away + across + p.distance) + rounding);
    }
  });
}

TEST_P(EveryDomain, DoesNotExpand) {
  for_each_point(6, [](const Case& c, const Projector& project, const Vector& x, samples::Source& source) {
    const Vector y = c.inner + source.vector(x.size(), 10);
    const Projection p = project(x), q = project(y);
    EXPECT_LE((p.point - q.point).norm(), (x - y).norm() * (1 + 1e-14) + p.distance + q.distance);
  });
}

TEST_P(EveryDomain, HasADiameterThatCoversItsPoints) {
  for_each_point(7, [](const Case& c, const Projector& project, const Vector& x, samples::Source& source) {
    if (x.norm() > 100) return;  // the diameter of a polytope is costly
    const Vector y = source.point(c.domain, c.inner), z = source.point(c.domain, c.inner);
    EXPECT_LE((y - z).norm(), project.diameter() * (1 + 1e-12));
    EXPECT_LE((project(x).point - project(Vector(-x)).point).norm(), project.diameter() * (1 + 1e-12));
  });
}

}  // namespace
}  // namespace tacit
