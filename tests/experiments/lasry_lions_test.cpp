#include "experiments/support/lasry_lions.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tacit/core.hpp"

namespace tacit {
namespace {

// The nested search is good to about 1e-5 at its usual fineness.
using nonconvex::lasry_lions;
using nonconvex::SmoothedPoint;

TEST(LasryLions, LiesBetweenTheFunctionAndWhatItMayLose) {
  constexpr double lambda = 0.25, l = 1;
  const nonconvex::Function h = [](const Vector& x) { return std::fabs(x[0]); };
  for (double x = -2; x <= 2; x += 0.1) {
    const SmoothedPoint at = lasry_lions(h, Vector{{x}}, lambda, l);
    EXPECT_LE(at.value, std::fabs(x) + 1e-4) << x;
    EXPECT_GE(at.value, std::fabs(x) - l * l * lambda - 1e-4) << x;
    EXPECT_LE(at.gradient.norm(), l + 1e-3);
    EXPECT_LE((at.inner - Vector{{x}}).norm(), 3 * lambda * l + 1e-3);
  }
}

// −M_λ(−Huber): z − x = λ·h̃'(x) and h̃'(x) = Huber'(z) = z/2λ, so z = 2x and h̃ = x²/2λ for |x| ≤ λ.
TEST(LasryLions, OfTheAbsoluteValueIsAParabolaOfCurvatureOneOverLambda) {
  constexpr double lambda = 0.25;
  const nonconvex::Function h = [](const Vector& x) { return std::fabs(x[0]); };
  for (const double x : {-0.24, -0.1, 0.0, 0.05, 0.2}) {
    const SmoothedPoint at = lasry_lions(h, Vector{{x}}, lambda, 1);
    EXPECT_NEAR(at.value, x * x / (2 * lambda), 1e-5) << x;
    EXPECT_NEAR(at.gradient[0], x / lambda, 2e-3) << x;
  }
}

TEST(LasryLions, KeepsTheMinimisers) {
  const nonconvex::Function h = [](const Vector& x) { return std::fabs(std::fabs(x[0]) - 1); };
  EXPECT_NEAR(lasry_lions(h, Vector{{1.0}}, 0.2, 1).value, 0, 1e-4);
  EXPECT_NEAR(lasry_lions(h, Vector{{-1.0}}, 0.2, 1).value, 0, 1e-4);
  EXPECT_GT(lasry_lions(h, Vector{{0.7}}, 0.2, 1).value, 1e-3);
}

TEST(LasryLions, RefusesSenselessSearches) {
  const nonconvex::Function h = [](const Vector&) { return 0.0; };
  EXPECT_THROW(lasry_lions(h, Vector{{0.0}}, 0, 1), UsageError);
  EXPECT_THROW(lasry_lions(h, Vector{{0.0}}, 1, 1, {.points = 2}), UsageError);
}

}  // namespace
}  // namespace tacit
