#include "experiments/support/goldstein.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tacit/core.hpp"

namespace tacit::audit {
namespace {

TEST(MinNormPoint, OfASegmentIsTheFootOfThePerpendicular) {
  Matrix columns(2, 3);
  columns << 3, 0, 5,  //
      0, 4, 5;
  const MinNormPoint nearest = min_norm_point(columns);
  EXPECT_NEAR(nearest.point.norm(), 12.0 / 5, 1e-9);  // from 0 to the line 4x + 3y = 12
  EXPECT_NEAR(nearest.weights.sum(), 1, 1e-12);
  EXPECT_GE(nearest.weights.minCoeff(), 0);
}

TEST(MinNormPoint, IsZeroExactlyWhenTheHullHoldsTheOrigin) {
  Matrix columns(2, 4);
  columns << 1, -1, 0.1, 0,  //
      0.2, 0.2, -1, 7;
  EXPECT_LE(min_norm_point(columns).point.norm(), 1e-6);
  columns.row(1).array() += 2;
  EXPECT_NEAR(min_norm_point(columns).point.norm(), std::hypot(0.1, 1.0), 1e-9);  // its third corner
}

// ‖x‖ − lower_bound = (‖x‖² − min⟨x, g⟩)/‖x‖ ≥ 0 certifies the point whatever found it.
TEST(MinNormPoint, MeetsItsOwnLowerBoundOnRandomHulls) {
  std::mt19937_64 random(7);
  std::normal_distribution<> normal;
  for (int trial = 0; trial < 200; ++trial) {
    const Eigen::Index d = 1 + trial % 12, n = 1 + trial % 37;
    Matrix columns = Matrix::NullaryExpr(d, n, [&] { return normal(random); });
    columns.row(0).array() += 0.1 * (trial % 30);
    const MinNormPoint nearest = min_norm_point(columns);
    EXPECT_NEAR(nearest.weights.sum(), 1, 1e-9);
    EXPECT_GE(nearest.weights.minCoeff(), -1e-12);
    EXPECT_LE((columns * nearest.weights - nearest.point).norm(), 1e-9);
    EXPECT_LE(nearest.point.norm() - nearest.lower_bound, 1e-3) << d << " × " << n;
  }
  EXPECT_THROW(min_norm_point(Matrix(2, 0)), UsageError);
}

double norm_at(const GradientField& field, Vector x, double radius) {
  return goldstein_norm(field, x, radius, {.samples = 2000}).upper_bound;
}

TEST(GoldsteinNorm, OfTheAbsoluteValueIsZeroWithinItsRadiusAndOneBeyond) {
  const GradientField field = [](const Vector& y, Vector& g) { g = Vector{{y[0] > 0 ? 1.0 : -1.0}}; };
  for (const double x : {0.0, 0.3, -0.9, 0.99}) EXPECT_LE(norm_at(field, Vector{{x}}, 1), 0.01) << x;
  for (const double x : {1.01, -5.0}) EXPECT_NEAR(norm_at(field, Vector{{x}}, 1), 1, 0.01) << x;
}

// f = max of ⟨g_k, x⟩ + b_k: the gradients in the ball are those of the pieces that are active in it.
TEST(GoldsteinNorm, OfAMaximumOfAffinePiecesIsTheLeastNormOfItsActiveOnes) {
  Matrix pieces(3, 3);
  pieces << 1, -0.5, 0.2,  //
      0.3, 1, -1,          //
      0.5, 0.5, 0.5;
  const Vector offsets{{0.0, 0.0, -3.0}};
  const GradientField field = [&](const Vector& y, Vector& g) {
    Eigen::Index active = 0;
    (pieces.transpose() * y + offsets).maxCoeff(&active);
    g = pieces.col(active);
  };
  // Near 0 the first two pieces meet and the third is 3 below.
  const double two = min_norm_point(pieces.leftCols(2)).point.norm();
  EXPECT_NEAR(norm_at(field, Vector{{0.0, 0.0, 0.0}}, 0.5), two, 0.01 * two);
  // In a large ball all three are active.
  const double three = min_norm_point(pieces).point.norm();
  EXPECT_LT(three, 0.9 * two);
  EXPECT_NEAR(norm_at(field, Vector{{0.0, 0.0, 0.0}}, 20), three, 0.01 * three);
  // Far out along the first piece it is alone.
  EXPECT_NEAR(norm_at(field, Vector{{10.0, 3.0, 5.0}}, 0.5), pieces.col(0).norm(), 1e-9);
}

// f(u, v) = |v·relu(u) − 1|: on the curve uv = 1 the gradients ±(v, u) cancel; for u < 0 the function is
// flat; elsewhere, in a small ball, it is smooth.
TEST(GoldsteinNorm, OfAReluToyKnowsItsStationarySets) {
  const GradientField field = [](const Vector& y, Vector& g) {
    const double u = y[0], v = y[1], side = v * std::max(u, 0.0) > 1 ? 1 : -1;
    g = u > 0 ? Vector{{side * v, side * u}} : Vector{{0.0, 0.0}};
  };
  EXPECT_LE(norm_at(field, Vector{{2.0, 0.5}}, 0.1), 0.01);
  EXPECT_LE(norm_at(field, Vector{{-1.0, 3.0}}, 0.1), 1e-12);
  EXPECT_LE(norm_at(field, Vector{{0.05, 3.0}}, 0.1), 0.01);  // the flat part is in reach
  // Smooth there, with gradient −(v, u): the least of it in a ball of radius r is ‖(v, u)‖ − r.
  const double away = std::hypot(0.5, 0.5) - 0.01;
  EXPECT_NEAR(norm_at(field, Vector{{0.5, 0.5}}, 0.01), away, 0.01 * away);
}

TEST(GoldsteinNorm, RefusesARadiusOfZero) {
  const GradientField field = [](const Vector&, Vector& g) { g.setZero(); };
  EXPECT_THROW(goldstein_norm(field, Vector{{1.0}}, 0), UsageError);
}

}  // namespace
}  // namespace tacit::audit
