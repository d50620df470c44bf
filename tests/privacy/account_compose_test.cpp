#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "privacy/accounting/costs.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

using Events = std::vector<Event>;

TEST(ComposePure, AddsAndRoundsUp) {
  const Events events{PureEvent{0.1}, LaplaceEvent{0.2}, IsotropicLaplaceEvent{0.3, 5},
                      BoundedRangeEvent{0.4}, ApproxEvent{0.5, 0}};
  const double total = std::get<Pure>(compose(events, Pure{1})).epsilon;
  EXPECT_GE(total, 1.5L);
  EXPECT_NEAR(total, 1.5, 1e-14);
}

TEST(ComposePure, LeavesASingleStepExactlyAsItIs) {
  EXPECT_EQ(std::get<Pure>(compose(Events{PureEvent{0.1}, GaussianEvent{0}}, Pure{1})).epsilon, 0.1);
  EXPECT_EQ(std::get<Gaussian>(compose(Events{GaussianEvent{0.1}}, Gaussian{1})).mu, 0.1);
}

TEST(ComposePure, RefusesStepsThatAreNotPure) {
  EXPECT_THROW(compose(Events{GaussianEvent{1}}, Pure{1}), UsageError);
  EXPECT_THROW(compose(Events{PoissonGaussianEvent{1, 0.1, 1}}, Pure{1}), UsageError);
  EXPECT_THROW(compose(Events{ApproxEvent{1, 1e-9}}, Pure{1}), UsageError);
  EXPECT_THROW(compose(Events{DeltaEvent{1e-9}}, Pure{1}), UsageError);
  EXPECT_THROW(compose(Events{OpenEvent{}}, Pure{1}), UsageError);
}

TEST(ComposeGaussian, IsTheRootOfTheSumOfSquares) {
  const double mu = std::get<Gaussian>(compose(Events{GaussianEvent{3}, GaussianEvent{4}}, Gaussian{1})).mu;
  EXPECT_GE(mu, 5);
  EXPECT_NEAR(mu, 5, 1e-14);
  EXPECT_THROW(compose(Events{DeltaEvent{1e-9}}, Gaussian{1}), UsageError);
}

TEST(ComposeGaussian, TakesSampledStepsWithoutAmplification) {
  EXPECT_NEAR(std::get<Gaussian>(compose(Events{PoissonGaussianEvent{2, 0.1, 100}}, Gaussian{1})).mu, 5,
              1e-14);
}

TEST(ComposeZcdp, AddsRho) {
  const Events events{GaussianEvent{1}, BoundedRangeEvent{1}, PureEvent{1}};
  EXPECT_NEAR(std::get<Zcdp>(compose(events, Zcdp{1})).rho, 0.5 + 0.125 + std::tanh(0.5), 1e-14);
  EXPECT_THROW(compose(Events{ApproxEvent{1, 1e-9}}, Zcdp{1}), UsageError);
}

TEST(ComposeRenyi, AddsAtEachOrder) {
  const Renyi target{{1.5, 2, 32}, {1, 1, 1}};
  const auto curve = std::get<Renyi>(compose(Events{GaussianEvent{1}, GaussianEvent{2}}, target));
  ASSERT_EQ(curve.orders, target.orders);
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(curve.epsilons[k], 2.5 * curve.orders[k], 1e-13 * curve.orders[k]);
}

TEST(ComposeNothingPromised, AcceptsAnything) {
  EXPECT_TRUE(std::holds_alternative<NoPrivacy>(compose(Events{OpenEvent{}}, NoPrivacy{})));
}

TEST(Fits, ComparesWithinOneNotionOnly) {
  EXPECT_TRUE(fits(Pure{1}, Pure{1}));
  EXPECT_FALSE(fits(Pure{1.1}, Pure{1}));
  EXPECT_TRUE(fits(Zcdp{1}, Zcdp{1}));
  EXPECT_FALSE(fits(Gaussian{2}, Gaussian{1}));
  EXPECT_TRUE(fits(Approx{1, 1e-6}, Approx{1, 1e-5}));
  EXPECT_FALSE(fits(Approx{1, 1e-5}, Approx{1, 1e-6}));
  EXPECT_TRUE(fits(Renyi{{2, 3}, {1, 2}}, Renyi{{2, 3}, {1, 2}}));
  EXPECT_FALSE(fits(Renyi{{2, 3}, {1, 2.1}}, Renyi{{2, 3}, {1, 2}}));
  EXPECT_TRUE(fits(Pure{1}, NoPrivacy{}));
  EXPECT_THROW(fits(Pure{1}, Zcdp{1}), UsageError);
}

TEST(Events, AreRefusedWithNumbersThatMakeNoSense) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  for (const Event& event :
       Events{PureEvent{-1}, LaplaceEvent{nan}, GaussianEvent{infinity}, IsotropicLaplaceEvent{1, 0},
              ApproxEvent{1, 1.5}, DeltaEvent{-0.1}, PoissonGaussianEvent{0, 0.1, 1},
              PoissonGaussianEvent{nan, 0.1, 1}, PoissonGaussianEvent{1, 0, 1},
              PoissonGaussianEvent{1, 1.1, 1}, PoissonGaussianEvent{1, 0.1, 0}})
    EXPECT_THROW(validate(event), UsageError) << describe(event);
}

// E_{x ~ N(0,s²)} (1−q+q e^{(2x−1)/(2s²)})^a by quadrature, in units of s around the largest term.
double renyi_by_quadrature(double s, double q, double a) {
  const auto log_term = [&](double x) {
    const double ratio = (2 * x - 1) / (2 * s * s);
    const double mixture =
        ratio > 0 ? ratio + std::log(q + (1 - q) * std::exp(-ratio)) : std::log1p(q * std::expm1(ratio));
    return a * mixture - x * x / (2 * s * s);
  };
  double sum = 0;
  const double low = -40 * s, high = a + 40 * s, step = (high - low) / 200000;
  double best = -1e300;
  for (double x = low; x < high; x += step) best = std::fmax(best, log_term(x));
  for (double x = low; x < high; x += step)
    sum += std::exp(log_term(x) - best);  // trapezoid: spectrally exact
  return (best + std::log(sum * step / (s * std::sqrt(2 * M_PI)))) / (a - 1);
}

TEST(PoissonGaussianRenyi, AgreesWithQuadratureAtIntegerAndFractionalOrders) {
  for (const double s : {0.6, 1.0, 4.0})
    for (const double q : {0.001, 0.05, 0.7})
      for (const double a : {1.25, 2.0, 2.5, 7.0, 19.3, 64.0}) {
        const double expected = renyi_by_quadrature(s, q, a);
        const double value = poisson_gaussian_renyi(s, q, a);
        // 1e-12: the quadrature's own rounding.
        EXPECT_NEAR(value, expected, 1e-9 * expected + 1e-12) << s << " " << q << " " << a;
      }
}

TEST(PoissonGaussianRenyi, IsTheGaussianWhenEveryoneJoinsAndNeverMore) {
  EXPECT_NEAR(poisson_gaussian_renyi(2, 1, 8), 1, 1e-14);
  for (const double a : {1.1, 3.0, 100.5, 5000.0})
    EXPECT_LE(poisson_gaussian_renyi(2, 0.3, a), a / 8 * (1 + 1e-15));
}

TEST(RenyiCost, OfPureStepsIsBelowTheirEpsilonAndTendsToIt) {
  for (const Event& event : Events{PureEvent{1}, LaplaceEvent{1}}) {
    EXPECT_LT(renyi_cost(event, 2), 1);
    EXPECT_NEAR(renyi_cost(event, 1e6), 1, 1e-5);
  }
  EXPECT_LT(renyi_cost(LaplaceEvent{1}, 3), renyi_cost(PureEvent{1}, 3));
}

}  // namespace
}  // namespace tacit
