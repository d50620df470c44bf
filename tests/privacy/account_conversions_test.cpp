#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <cmath>

#include "core/numbers.hpp"
#include "privacy/accounting/conversions.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

// delta(eps) = integral over m from 0 to mu of phi(eps/m − m/2): another way to the same number, without
// cancellation.
double delta_by_quadrature(double mu, double epsilon) {
  boost::math::quadrature::tanh_sinh<double> integrator;
  const auto density = [&](double m) {
    const double z = epsilon / m - m / 2;
    return m == 0 ? 0.0 : std::exp(-z * z / 2) / std::sqrt(2 * M_PI);
  };
  return integrator.integrate(density, 0.0, mu);
}

TEST(GaussianDelta, AgreesWithQuadratureFromTheCenterToDeepTails) {
  for (const double mu : {1e-3, 0.03, 0.5, 1.0, 3.0, 20.0})
    for (const double z : {0.0, 0.5, 2.0, 5.0, 9.0, 15.0, 30.0, 36.5}) {
      const double epsilon = mu * mu / 2 + z * mu;
      const double expected = delta_by_quadrature(mu, epsilon);
      EXPECT_NEAR(gaussian_delta(mu, epsilon) / expected, 1, 1e-6) << "mu " << mu << " z " << z;
    }
}

TEST(GaussianDelta, EnclosesTheTruthTightly) {
  for (const double mu : {1e-6, 0.1, 1.0, 50.0})
    for (const double z : {-1.0, 0.0, 4.0, 8.7, 37.0}) {
      const double epsilon = std::fmax(mu * mu / 2 + z * mu, 0);
      const double low = gaussian_delta_below(mu, epsilon), high = gaussian_delta(mu, epsilon);
      EXPECT_LE(low, high);
      EXPECT_LE(high - low, 1e-15 * high + 1e-320);
      EXPECT_GT(low, 0);
    }
}

TEST(GaussianDelta, IsTheTotalVariationAtZero) {
  EXPECT_NEAR(gaussian_delta(1, 0), 2 * boost::math::cdf(boost::math::normal(), 0.5) - 1, 1e-15);
}

TEST(GaussianDelta, NeverUnderflowsToZero) {
  EXPECT_GT(gaussian_delta(1, 1000), 0);
  EXPECT_EQ(gaussian_delta_below(1, 1000), 0);
}

TEST(GaussianEpsilon, InvertsDeltaFromAbove) {
  for (const double mu : {1e-4, 0.1, 1.0, 5.0, 100.0})
    for (const double delta : {1e-2, 1e-5, 1e-10, 1e-18, 1e-300}) {
      const double high = gaussian_epsilon(mu, delta), low = gaussian_epsilon_below(mu, delta);
      EXPECT_LE(gaussian_delta(mu, high), delta);
      EXPECT_GE(gaussian_delta_below(mu, low), low == 0 ? 0 : delta);
      EXPECT_LE(low, high);
      EXPECT_LE(high - low, 1e-11 * high);
    }
}

// Doubles may tell only where an enclosure would say the same, also next to the boundary.
TEST(GaussianKeeps, SaysWhatTheEnclosureSays) {
  for (const double mu : {0.0, 1e-300, 1e-4, 0.1, 1.0, 5.0, 40.0, 1e5})
    for (const double epsilon : {0.0, 1e-12, 0.01, 0.7, 3.0, 25.0, 600.0, 800.0, infinity}) {
      const double at = gaussian_delta(mu, epsilon);
      for (const double off :
           {0.0, 1e-16, -1e-16, 4e-16, -4e-16, 1e-14, -1e-14, 1e-12, -1e-12, 1e-9, -1e-9, 0.5, -0.5})
        for (const double delta : {at * (1 + off), std::nextafter(at, 0.0), std::nextafter(at, 1.0), 1e-6})
          EXPECT_EQ(gaussian_keeps(mu, epsilon, delta), at <= delta) << mu << " " << epsilon << " " << delta;
    }
  EXPECT_THROW(gaussian_keeps(-1, 1, 0.5), UsageError);
  EXPECT_THROW(gaussian_keeps(1, -1, 0.5), UsageError);
}

// The noise that makes a sensitivity-1 query (1, 1e-5)-DP [Balle & Wang 2018, algorithm 1].
TEST(GaussianEpsilon, GivesTheAnalyticGaussianMechanism) {
  EXPECT_NEAR(gaussian_epsilon(1 / 3.730632, 1e-5), 1.0, 1e-5);
}

TEST(PureToGaussian, MatchesTheQuantileFormulaFromAbove) {
  for (const double epsilon : {1e-6, 0.01, 0.5, 1.0, 5.0, 20.0}) {
    const double p = 1 / (1 + std::exp(epsilon));
    const double expected = -2 * boost::math::quantile(boost::math::normal(), p);
    const double mu = to_gaussian(Pure{epsilon}).mu;
    EXPECT_NEAR(mu / expected, 1, 1e-9) << epsilon;
    EXPECT_LE(boost::math::cdf(boost::math::normal(), -mu / 2), p * (1 + 1e-14));
  }
}

// An eps-DP mechanism's worst delta at e is randomised response's, (e^eps − e^e)/(1 + e^eps).
TEST(PureToGaussian, DominatesRandomisedResponse) {
  for (const double epsilon : {0.1, 1.0, 4.0})
    for (int k = 0; k < 20; ++k) {
      const double at = epsilon * k / 20;
      const double truth = (std::exp(epsilon) - std::exp(at)) / (1 + std::exp(epsilon));
      EXPECT_GE(gaussian_delta(to_gaussian(Pure{epsilon}).mu, at), truth);
    }
}

TEST(PureToZcdp, BoundsRandomisedResponseAtEveryOrderAndIsBelowHalfTheSquare) {
  for (const double epsilon : {1e-3, 0.1, 1.0, 5.0, 30.0}) {
    const double rho = to_zcdp(Pure{epsilon}).rho;
    EXPECT_LE(rho, epsilon * epsilon / 2 * (1 + 1e-15));
    for (const double order : {1.0001, 1.5, 2.0, 10.0, 1000.0}) {
      const double x = (order - 0.5) * epsilon, y = epsilon / 2;
      const double log_ratio = x - y + std::log1p(std::exp(-2 * x)) - std::log1p(std::exp(-2 * y));
      EXPECT_LE(log_ratio / (order - 1), order * rho * (1 + 1e-9)) << epsilon << " " << order;
    }
  }
}

TEST(BoundedRangeToZcdp, IsAnEighthOfTheSquareAndNeverWorseThanPure) {
  EXPECT_NEAR(bounded_range_to_zcdp(1).rho, 0.125, 1e-15);
  EXPECT_LE(bounded_range_to_zcdp(40).rho, 40 * (1 + 1e-15));
}

TEST(ZcdpToApprox, LiesBetweenTheGaussianTruthAndTheClassicalBound) {
  for (const double mu : {0.01, 0.3, 1.0, 4.0})
    for (const double delta : {1e-2, 1e-5, 1e-18}) {
      const double rho = mu * mu / 2;
      const double epsilon = to_approx(Zcdp{rho}, delta).epsilon;
      EXPECT_GE(epsilon, gaussian_epsilon_below(mu, delta));  // the Gaussian is rho-zCDP
      EXPECT_LE(epsilon,
                rho + 2 * std::sqrt(rho * std::log(1 / delta)) + 1e-12);  // [Bun & Steinke, Prop. 1.3]
    }
}

TEST(RenyiToApprox, TakesTheBestOrder) {
  const Renyi curve{{2, 8, 32}, {1.0, 4.0, 16.0}};
  double best = 1e300;
  for (std::size_t k = 0; k < 3; ++k) {
    const double a = curve.orders[k];
    best = std::min(best, curve.epsilons[k] + (std::log(1e5) - std::log(a)) / (a - 1) + std::log1p(-1 / a));
  }
  EXPECT_NEAR(to_approx(curve, 1e-5).epsilon, best, 1e-12);
  EXPECT_GE(to_approx(curve, 1e-5).epsilon, best * (1 - 1e-15));
}

TEST(ToReplaceOne, DoublesAndKeepsWhatIsAlreadyReplaceOne) {
  EXPECT_EQ(std::get<Pure>(to_replace_one(Pure{0.5}, Neighbours::zero_out)).epsilon, 1);
  EXPECT_EQ(std::get<Gaussian>(to_replace_one(Gaussian{0.5}, Neighbours::add_remove)).mu, 1);
  EXPECT_EQ(std::get<Zcdp>(to_replace_one(Zcdp{0.5}, Neighbours::add_remove)).rho, 2);
  const auto approx = std::get<Approx>(to_replace_one(Approx{1, 1e-6}, Neighbours::zero_out));
  EXPECT_EQ(approx.epsilon, 2);
  EXPECT_NEAR(approx.delta, (1 + std::exp(1)) * 1e-6, 1e-18);
  EXPECT_GE(approx.delta, (1 + std::exp(1)) * 1e-6);
  const auto renyi = std::get<Renyi>(to_replace_one(Renyi{{2, 8}, {1, 2}}, Neighbours::zero_out));
  EXPECT_EQ(renyi.orders, std::vector<double>{4});
  EXPECT_EQ(std::get<Pure>(to_replace_one(Pure{0.5}, Neighbours::replace_one)).epsilon, 0.5);
}

TEST(ToReplaceOne, TwiceTheGaussianIsTheGaussianOfTwiceTheShift) {
  // The generic pair conversion must not be below what 2 mu gives.
  const double mu = 0.7, delta = 1e-6;
  const Approx once{gaussian_epsilon(mu, delta), delta};
  const auto twice = std::get<Approx>(to_replace_one(once, Neighbours::zero_out));
  EXPECT_LE(gaussian_delta(2 * mu, twice.epsilon), twice.delta);
}

TEST(Conversions, RefuseNumbersOutsideTheirRange) {
  EXPECT_THROW(gaussian_epsilon(1, 0), UsageError);
  EXPECT_THROW(gaussian_epsilon(1, 1), UsageError);
  EXPECT_THROW(gaussian_epsilon(-1, 0.1), UsageError);
  EXPECT_THROW(gaussian_delta(1, std::nan("")), UsageError);
  EXPECT_THROW(to_approx(Zcdp{1}, 0), UsageError);
  EXPECT_THROW(to_approx(Zcdp{-1}, 0.1), UsageError);
}

}  // namespace
}  // namespace tacit
