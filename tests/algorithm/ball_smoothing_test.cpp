#include <gtest/gtest.h>

#include <cmath>

#include "algorithm/nonconvex/estimator.hpp"
#include "algorithm/nonconvex/smoothing.hpp"
#include "o2nc_problem.hpp"
#include "tacit/core.hpp"

namespace tacit::nonconvex {
namespace {

using testing::AbsoluteLoss;
using testing::regression;

TEST(BallSmoothing, HasTheDesignsConstants) {
  EXPECT_NEAR(nonconvex::smoothness_constant(1), 1, 1e-12);
  EXPECT_NEAR(nonconvex::smoothness_constant(2), 4 / std::numbers::pi, 1e-12);  // (2/π)·d!!/(d−1)!!, d even
  EXPECT_NEAR(nonconvex::smoothness_constant(3), 1.5, 1e-12);                   // d!!/(d−1)!!, d odd
  EXPECT_NEAR(nonconvex::smoothness_constant(100), std::sqrt(200 / std::numbers::pi), 0.05);
}

TEST(BallSmoothing, ChangesOfTheGradientAreBelowBothSimpleBoundsAndMeetThemAtTheEnds) {
  for (const std::size_t d : {1u, 2u, 5u, 40u, 1000u}) {
    const double s = nonconvex::smoothness_constant(d);
    for (double r = 1e-6; r < 3; r *= 1.3) {
      const double change = nonconvex::gradient_change(d, r, 1);
      EXPECT_LE(change, std::min(2.0, s * r) * (1 + 1e-9)) << d << " " << r;
    }
    EXPECT_NEAR(nonconvex::gradient_change(d, 1e-7, 1), s * 1e-7, 1e-6 * s * 1e-7);
    EXPECT_EQ(nonconvex::gradient_change(d, 2, 1), 2);
  }
}

// Of L|u₁| at 0: the smoothed gradient at x is P(U₁ < x/α) − P(U₁ > x/α), the worst case up to second order.
TEST(BallSmoothing, EstimatesAreUnbiasedForBothOracles) {
  struct FirstCoordinate {
    std::size_t records() const { return 1; }
    std::size_t parameters() const { return 4; }
    double value(const Vector& w, std::size_t) const { return std::fabs(w[0]); }
    void gradient(const Vector& w, std::size_t, std::span<double> g) const {
      std::ranges::fill(g, 0.0);
      g[0] = w[0] > 0 ? 1 : -1;
    }
  };
  const FirstCoordinate loss;
  const RecordLoss record = record_loss(loss);
  const Vector z{{0.3, 1.0, -2.0, 0.5}};
  // P(U₁ > t) = ½·I_{1−t²}((d+1)/2, ½): half of what gradient_change's complement measures at distance 2t.
  const double expected = 0.5 * nonconvex::gradient_change(4, 0.6, 1);
  constexpr std::size_t directions = 400, slots = 500;
  for (const Estimate kind : {Estimate::values, Estimate::gradients}) {
    const nonconvex::BallEstimator estimator(record, kind, 1, 1, directions, 99);
    Vector sum = Vector::Zero(4), one(4);
    for (std::uint64_t slot = 0; slot < slots; ++slot) {
      estimator.gradient(z, 0, slot, {one.data(), 4});
      sum += one / slots;
    }
    // n = 2·10⁵ draws of variance ≤ d²/(d−1) < 6: six standard deviations, false alarm < 1e-8 a coordinate.
    const double six = 6 * std::sqrt(6.0 / (directions * slots));
    EXPECT_NEAR(sum[0], expected, six) << static_cast<int>(kind);
    for (int k = 1; k < 4; ++k) EXPECT_NEAR(sum[k], 0, six);
  }
}

TEST(BallEstimator, TakesTheSameDirectionsAtBothPoints) {
  const AbsoluteLoss loss = regression(1, 6, 1);
  const RecordLoss record = record_loss(loss);
  const nonconvex::BallEstimator estimator(record, Estimate::values, 0.5, 1, 7, 5);
  const Vector z = Vector::Constant(6, 0.2), before = Vector::Constant(6, 0.1);
  Vector a(6), b(6), change(6);
  estimator.gradient(z, 0, 3, {a.data(), 6});
  estimator.gradient(before, 0, 3, {b.data(), 6});
  estimator.change(z, before, 0, 3, {change.data(), 6});
  EXPECT_LE((a - b - change).norm(), 1e-12);
  estimator.gradient(z, 0, 4, {b.data(), 6});
  EXPECT_GT((a - b).norm(), 1e-3) << "another slot has other directions";
}

// One record whose loss is ⟨a, w⟩.
struct LinearLoss {
  Vector slope;

  std::size_t records() const { return 1; }
  std::size_t parameters() const { return static_cast<std::size_t>(slope.size()); }
  double value(const Vector& w, std::size_t) const { return slope.dot(w); }
};

TEST(BallEstimator, IsExactForALinearLossWithAFrameOfDirections) {
  for (const Eigen::Index d : {1, 2, 7, 40, 64}) {
    const LinearLoss loss{Vector::LinSpaced(d, -1, 1) + Vector::Constant(d, 0.1)};
    const RecordLoss record = record_loss(loss);
    const double l = loss.slope.norm();
    const auto n = static_cast<std::size_t>(d);
    for (const std::size_t frames : {1u, 3u}) {
      const nonconvex::BallEstimator estimator(record, Estimate::values, 0.5, l, frames * n, 5);
      Vector g(d);
      estimator.gradient(Vector::Zero(d), 0, 3, {g.data(), n});
      EXPECT_LE((g - loss.slope).norm(), 1e-9 * l) << d;
    }
  }
}

// A loss that jumps: every difference of values is cut to 2αL, its sign that of one coordinate.
struct JumpingLoss {
  std::size_t dimension;

  std::size_t records() const { return 1; }
  std::size_t parameters() const { return dimension; }
  double value(const Vector& w, std::size_t) const { return w[0] > 0 ? 1e9 : -1e9; }
};

TEST(BallEstimator, IsNeverLongerThanOrthogonalDirectionsAllow) {
  for (const std::size_t d : {1u, 3u, 8u, 100u})
    for (const std::size_t m : {std::size_t{1}, d, d + 1, 2 * d}) {
      const JumpingLoss loss{d};
      const RecordLoss record = record_loss(loss);
      const nonconvex::BallEstimator estimator(record, Estimate::values, 0.3, 2, m, 5);
      const double longest = 2 * nonconvex::longest_estimate(d, m);
      Vector g(static_cast<Eigen::Index>(d));
      double most = 0;
      for (std::uint64_t slot = 0; slot < 50; ++slot) {
        estimator.gradient(Vector::Zero(g.size()), 0, slot, {g.data(), d});
        most = std::max(most, g.norm());
      }
      EXPECT_LE(most, longest * (1 + 1e-9)) << d << " " << m;
      EXPECT_GE(most, 0.6 * longest) << d << " " << m;
    }
  EXPECT_NEAR(nonconvex::longest_estimate(9, 9), 3, 1e-12);
  EXPECT_NEAR(nonconvex::longest_estimate(9, 1), 9, 1e-12);
}

TEST(BallEstimator, CountsWhatIsNotANumberAsNothing) {
  struct Nasty {
    std::size_t records() const { return 1; }
    std::size_t parameters() const { return 2; }
    double value(const Vector& w, std::size_t) const { return w[0] > 0 ? INFINITY : NAN; }
    void gradient(const Vector&, std::size_t, std::span<double> g) const { g[0] = NAN; }
  };
  const Nasty loss;
  const RecordLoss record = record_loss(loss);
  Vector g(2);
  for (const Estimate kind : {Estimate::values, Estimate::gradients}) {
    nonconvex::BallEstimator(record, kind, 1, 1, 5, 1).gradient(Vector::Zero(2), 0, 0, {g.data(), 2});
    EXPECT_TRUE(g.allFinite());
  }
  const RecordLoss values = record_loss(ValueLossArchetype{});
  EXPECT_THROW(nonconvex::BallEstimator(values, Estimate::gradients, 1, 1, 1, 1), UsageError);
}

}  // namespace
}  // namespace tacit::nonconvex
