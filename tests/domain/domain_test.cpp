#include "tacit/domain.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "domain/samples.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

std::string refusal(const Domain& domain, Eigen::Index dimension) {
  try {
    validate(domain, dimension);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

void expect_refused(const Domain& domain, Eigen::Index dimension, const std::string& word) {
  const std::string message = refusal(domain, dimension);
  EXPECT_NE(message.find(word), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(Validate, AcceptsWhatIsADomain) {
  EXPECT_EQ(refusal(WholeSpace{}, 7), "accepted");
  EXPECT_EQ(refusal(Ball{Vector::Zero(2), 1e-300}, 2), "accepted");
  EXPECT_EQ(refusal(Box{Vector::Zero(2), Vector::Zero(2)}, 2), "accepted");
  EXPECT_EQ(refusal(Ellipsoid{Vector::Zero(2), Matrix{{2, 1}, {1, 2}}}, 2), "accepted");
  EXPECT_EQ(refusal(Polytope{Matrix{{1, 0}, {-1, 0}}, Vector{{1, 1}}}, 2), "accepted");
}

TEST(Validate, RefusesAnotherDimension) {
  expect_refused(Ball{Vector::Zero(2), 1}, 3, "dimension 2, expected 3");
  expect_refused(Box{Vector::Zero(2), Vector::Ones(2)}, 3, "dimension 2");
  expect_refused(Ellipsoid{Vector::Zero(2), Matrix::Identity(2, 2)}, 1, "dimension 2");
  expect_refused(Polytope{Matrix::Identity(2, 2), Vector::Ones(2)}, 4, "dimension 2");
  expect_refused(Box{Vector::Zero(2), Vector::Ones(3)}, 2, "lower");
  expect_refused(Ellipsoid{Vector::Zero(2), Matrix::Identity(3, 3)}, 2, "3 x 3");
  expect_refused(Polytope{Matrix::Identity(2, 2), Vector::Ones(3)}, 2, "2 rows");
}

TEST(Validate, RefusesNumbersOutOfRange) {
  for (const double radius : {0.0, -1.0, nan, inf})
    expect_refused(Ball{Vector::Zero(1), radius}, 1, "radius");
  for (const double bad : {nan, inf, -inf, 1e305}) {
    const Vector v = Vector::Constant(1, bad);
    expect_refused(Ball{v, 1}, 1, "center");
    expect_refused(Box{v, Vector::Ones(1)}, 1, "lower");
    expect_refused(Ellipsoid{Vector::Zero(1), v}, 1, "shape");
    expect_refused(Polytope{v, Vector::Ones(1)}, 1, "matrix");
    expect_refused(Polytope{Matrix::Ones(1, 1), v}, 1, "right-hand side");
  }
  expect_refused(Box{Vector{{0, 2}}, Vector{{1, 1.5}}}, 2, "lower bound 2 of coordinate 1");
}

TEST(Validate, RefusesAnEllipsoidThatIsNotPositiveDefinite) {
  expect_refused(Ellipsoid{Vector::Zero(2), Matrix{{1, 2}, {2, 1}}}, 2, "positive definite");
  expect_refused(Ellipsoid{Vector::Zero(2), Matrix{{1, 1}, {1, 1}}}, 2, "positive definite");
  expect_refused(Ellipsoid{Vector::Zero(2), Matrix::Zero(2, 2)}, 2, "positive definite");
  expect_refused(Ellipsoid{Vector::Zero(2), -Matrix::Identity(2, 2)}, 2, "positive definite");
  expect_refused(Ellipsoid{Vector::Zero(2), Matrix{{2, 1}, {0, 2}}}, 2, "symmetric");
}

TEST(Validate, DetectsAnEmptyPolytope) {
  expect_refused(Polytope{Matrix{{1}, {-1}}, Vector{{0, -1}}}, 1, "empty");
  expect_refused(Polytope{Matrix{{0, 0}}, Vector{{-1}}}, 2, "empty");
  expect_refused(Polytope{Matrix{{1, 1}, {-1, 0}, {0, -1}}, Vector{{-1, 0, 0}}}, 2, "empty");
  expect_refused(Polytope{Matrix{{1, 1}, {-1, 0}, {0, -1}}, Vector{{-1e-9, 0, 0}}}, 2, "empty");
  samples::Source source(1);
  for (int trial = 0; trial < 20; ++trial) {
    // Rows with positive weights that sum to zero, and whose bounds sum to less than zero (Farkas).
    const Matrix rows = source.matrix(4, 3);
    Polytope empty{Matrix(5, 3), Vector::Zero(5)};
    empty.a << rows, -rows.colwise().sum();
    empty.b[4] = -0.01;
    expect_refused(empty, 3, "empty");
  }
}

TEST(Validate, RefusesAPolytopeWithoutInterior) {
  expect_refused(Polytope{Matrix{{1, 1}, {-1, 0}, {0, -1}}, Vector{{0, 0, 0}}}, 2, "no interior");
  const Matrix twice{{1, 1}, {-1, -1}, {3, 3}, {-3, -3}};
  expect_refused(Polytope{twice, Vector{{1, -1, 3, -3}}}, 2, "dependent");
}

TEST(Project, RefusesPointsThatAreNotPoints) {
  EXPECT_THROW(project(WholeSpace{}, Vector{{nan}}), UsageError);
  EXPECT_THROW(project(Box{Vector::Zero(1), Vector::Ones(1)}, Vector{{inf}}), UsageError);
  EXPECT_THROW(project(Ball{Vector::Zero(1), 1}, Vector::Zero(2)), UsageError);
}

TEST(Contains, ForgivesRoundingAndNoMore) {
  const Ball ball{Vector::Zero(2), 1};
  EXPECT_TRUE(contains(ball, Vector{{0.6, 0.8}}));
  EXPECT_FALSE(contains(ball, Vector{{1 + 1e-14, 0}}));
  const Ellipsoid ellipsoid{Vector::Zero(2), Vector{{1, 4}}.asDiagonal()};
  EXPECT_TRUE(contains(ellipsoid, Vector{{0, 0.5}}));
  EXPECT_FALSE(contains(ellipsoid, Vector{{0, 0.5 + 1e-14}}));
  const Polytope polytope{Matrix{{1, 1}}, Vector{{1}}};
  EXPECT_TRUE(contains(polytope, Vector{{0.9, 0.1}}));
  EXPECT_FALSE(contains(polytope, Vector{{0.9, 0.1 + 1e-14}}));
  EXPECT_FALSE(contains(Box{Vector{{0}}, Vector{{1}}}, Vector{{1 + 1e-15}}));
}

TEST(Diameter, IsInfiniteOnlyForUnboundedDomains) {
  EXPECT_EQ(diameter(WholeSpace{}), inf);
  EXPECT_NEAR(diameter(Ball{Vector::Zero(3), 2}), 4, 1e-14);
  EXPECT_NEAR(diameter(Box{Vector::Zero(2), Vector{{3, 4}}}), 5, 1e-14);
  EXPECT_NEAR(diameter(Ellipsoid{Vector::Zero(2), Matrix{{2, 1}, {1, 2}}}), 2, 1e-12);
}

}  // namespace
}  // namespace tacit
