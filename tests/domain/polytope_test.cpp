#include <gtest/gtest.h>

#include <stdexcept>

#include "domain/reference.hpp"
#include "domain/samples.hpp"
#include "tacit/core.hpp"
#include "tacit/domain.hpp"

namespace tacit {
namespace {

using reference::Real;

// In 100 digits, the distance bounds what it says. Returns the distance.
double expect_certified(const Polytope& polytope, const Vector& x) {
  const Projection p = project(polytope, x);
  EXPECT_TRUE(contains(polytope, p.point));
  const reference::RealVector truth = reference::project(polytope, x);
  if (truth.empty()) throw std::logic_error("the reference found no active set");
  EXPECT_LE(reference::distance(p.point, truth), Real(p.distance));
  return p.distance;
}

Polytope stack(const Polytope& first, const Polytope& second) {
  Polytope both{Matrix(first.a.rows() + second.a.rows(), first.a.cols()),
                Vector(first.b.size() + second.b.size())};
  both.a << first.a, second.a;
  both.b << first.b, second.b;
  return both;
}

Polytope as_polytope(const Box& box) {
  const Eigen::Index d = box.lower.size();
  return stack({Matrix::Identity(d, d), box.upper}, {-Matrix::Identity(d, d), -box.lower});
}

Polytope simplex(Eigen::Index d) {
  Polytope result{Matrix(d + 2, d), Vector::Zero(d + 2)};
  result.a << -Matrix::Identity(d, d), Matrix::Ones(1, d), -Matrix::Ones(1, d);
  result.b[d] = 1, result.b[d + 1] = -1;
  return result;
}

TEST(Polytope, CertifiesItsDistanceAgainst100Digits) {
  samples::Source source(31);
  for (int trial = 0; trial < 150; ++trial) {
    const Vector inner = source.vector(source.index(1, 4));
    const Polytope polytope = source.polytope(inner, source.index(1, 8), std::exp(source.normal()));
    const Vector x = inner + source.vector(inner.size(), std::pow(10, source.uniform(-1, 5)));
    EXPECT_LE(expect_certified(polytope, x), 1e-12 * (1 + project(polytope, x).point.norm()));
  }
}

TEST(Polytope, AgreesWithTheBoxItDescribes) {
  samples::Source source(32);
  for (int trial = 0; trial < 50; ++trial) {
    const Vector lower = source.vector(7), upper = lower + source.vector(7).cwiseAbs();
    const Box box{lower, upper};
    const Vector x = source.vector(7, 3);
    const Projection p = project(as_polytope(box), x);
    EXPECT_LE((p.point - project(box, x).point).norm(), p.distance);
    EXPECT_LE(p.distance, 1e-14);
  }
}

TEST(Polytope, IgnoresDuplicateAndRedundantRows) {
  samples::Source source(33);
  for (int trial = 0; trial < 40; ++trial) {
    const Vector inner = source.vector(3);
    const Polytope plain = source.polytope(inner, 5, 1);
    Polytope scaled = plain, loose = plain, nearly = plain;
    scaled.a *= 3, scaled.b *= 3;
    loose.b.array() += 1e-3;
    nearly.a *= 1 + 1e-15;
    const Polytope crowded = stack(stack(plain, plain), stack(scaled, stack(loose, nearly)));
    const Vector x = inner + source.vector(3, 10);
    const Projection p = project(plain, x), q = project(crowded, x);
    EXPECT_LE((p.point - q.point).norm(), p.distance + 1e-12);
    EXPECT_LE(q.distance, 1e-11);
  }
}

TEST(Polytope, HandlesVerticesWhereManyRowsMeet) {
  // A pyramid over a regular polygon: at the tip 8 rows meet in 3 dimensions.
  Polytope pyramid{Matrix(9, 3), Vector(9)};
  for (Eigen::Index i = 0; i < 8; ++i) {
    const double angle = 0.785398163397448 * static_cast<double>(i);
    pyramid.a.row(i) << std::cos(angle), std::sin(angle), 1;
    pyramid.b[i] = 1;
  }
  pyramid.a.row(8) << 0, 0, -1;
  pyramid.b[8] = 0;
  samples::Source source(34);
  EXPECT_LE(expect_certified(pyramid, Vector{{0, 0, 7}}), 1e-14);
  for (int trial = 0; trial < 15; ++trial)
    EXPECT_LE(expect_certified(pyramid, Vector{{source.normal(), source.normal(), 5}}), 1e-12);
}

TEST(Polytope, HandlesNearlyParallelRows) {
  for (const double tilt : {1e-3, 1e-6, 1e-9, 1e-12}) {
    const Polytope wedge{Matrix{{1, tilt}, {1, -tilt}, {-1, 0}}, Vector{{0, 0, 10}}};
    EXPECT_LE(expect_certified(wedge, Vector{{1, 0.5 * tilt}}), 1e-10);
    EXPECT_LE(expect_certified(wedge, Vector{{3, 2}}), 1e-10);
  }
}

TEST(Polytope, MayBeThin) {
  samples::Source source(35);
  for (const double width : {1e-3, 1e-9, 1e-13}) {
    const Vector normal = source.vector(3);
    Polytope slab{Matrix(8, 3), Vector(8)};
    slab.a << normal.transpose(), -normal.transpose(), Matrix::Identity(3, 3), -Matrix::Identity(3, 3);
    slab.b << 0.25 + width, -0.25, Vector::Ones(6);
    for (int trial = 0; trial < 10; ++trial) EXPECT_LE(expect_certified(slab, source.vector(3, 2)), 1e-9);
  }
}

TEST(Polytope, ProjectsOntoASimplexGivenByAnEquality) {
  samples::Source source(36);
  for (int trial = 0; trial < 40; ++trial) {
    const Vector x = source.vector(4);
    // The projection onto {p ≥ 0, Σp = 1} is (x − τ)₊; the row pair of the equality takes two of the 6 rows.
    EXPECT_LE(expect_certified(simplex(4), x), 1e-13);
  }
  const Projection p = project(simplex(100), source.vector(100));
  EXPECT_NEAR(p.point.sum(), 1, 1e-13);
  EXPECT_GE(p.point.minCoeff(), -1e-15);
  EXPECT_LE(p.distance, 1e-12);
}

TEST(Polytope, HandlesPointsInsideAndOnTheBoundary) {
  const Polytope square = as_polytope({Vector::Constant(2, -1), Vector::Constant(2, 1)});
  EXPECT_EQ(project(square, Vector{{0.5, -1e-320}}).distance, 0);
  EXPECT_EQ(project(square, Vector{{0.5, -1e-320}}).point, (Vector{{0.5, -1e-320}}));
  for (const Vector& x : {Vector{{1, 0.3}}, Vector{{1, 1}}, Vector{{1 + 1e-15, 1}}, Vector{{1, -1e-300}}})
    EXPECT_LE(expect_certified(square, x), 1e-15);
}

TEST(Polytope, CertifiesFarPointsHoweverLoosely) {
  samples::Source source(37);
  const Polytope square = as_polytope({Vector::Constant(2, -1), Vector::Constant(2, 1)});
  EXPECT_LE(expect_certified(square, Vector{{1e10, -1e9}}), 1e-10);
  EXPECT_LE(expect_certified(square, Vector{{1e300, -1e-300}}), diameter(square) * (1 + 1e-9));
  for (const double far : {1e10, 1e20, 1e60}) {
    const Polytope polytope = source.polytope(Vector::Zero(3), 8, 1);
    EXPECT_LE(expect_certified(polytope, source.vector(3, far)), diameter(polytope) * (1 + 1e-9));
  }
}

TEST(Polytope, HandlesRowsOfAnyScale) {
  const Polytope scaled{Matrix{{1e-300, 1e-300}, {-1e300, 0}, {0, -1}}, Vector{{1e-300, 0, 0}}};
  EXPECT_LE(expect_certified(scaled, Vector{{2, 0.5}}), 1e-14);
}

TEST(Polytope, BoundsItsDiameter) {
  const Polytope square = as_polytope({Vector::Constant(2, -1), Vector::Constant(2, 1)});
  EXPECT_GE(diameter(square), std::sqrt(8));
  EXPECT_LE(diameter(square), std::sqrt(8) * (1 + 1e-6));
  EXPECT_GE(diameter(simplex(3)), std::sqrt(2));
  EXPECT_LE(diameter(simplex(3)), std::sqrt(3) * (1 + 1e-6));  // of the box around it
  EXPECT_EQ(diameter(Polytope{Matrix{{1, 0}, {-1, 0}, {0, 1}}, Vector{{1, 1, 1}}}), INFINITY);
}

TEST(Polytope, WithoutRowsIsTheWholeSpace) {
  const Polytope all{Matrix(0, 2), Vector(0)};
  EXPECT_EQ(project(all, Vector{{3, 4}}).point, (Vector{{3, 4}}));
  EXPECT_EQ(diameter(all), INFINITY);
}

}  // namespace
}  // namespace tacit
