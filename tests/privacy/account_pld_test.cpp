#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "account_truth.hpp"
#include "privacy/accounting/conversions.hpp"
#include "privacy/accounting/costs.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

using namespace testing;

TEST(AccountGaussian, IsExactForAnyNumberOfSteps) {
  const Events events(100, GaussianEvent{0.1});
  const Bracket bracket = account(events, 1e-6);
  expect_contains(bracket, gaussian_epsilon(1, 1e-6), "mu = 1");
  EXPECT_LT(bracket.epsilon_upper - bracket.epsilon_lower, 1e-10);
}

// ---- k-fold randomised response: losses (k − 2j) eps with binomial probabilities.
double randomised_response_epsilon(double epsilon, int k, double delta) {
  const Curve curve = [=](long double z) {
    long double sum = 0;
    const long double p = 1 / (1 + std::exp(-static_cast<long double>(epsilon)));
    for (int j = 0; j <= k; ++j) {
      const long double loss = (k - 2 * j) * static_cast<long double>(epsilon);
      const long double log_mass = std::lgamma(k + 1.0L) - std::lgamma(j + 1.0L) - std::lgamma(k - j + 1.0L) +
                                   (k - j) * std::log(p) + j * std::log1p(-p);
      if (loss > z) sum += std::exp(log_mass) * -std::expm1(z - loss);
    }
    return sum;
  };
  return invert(curve, delta, k * epsilon);
}

TEST(AccountPure, ContainsTheOptimalComposition) {
  for (const double epsilon : {0.01, 0.1, 1.0})
    for (const int k : {1, 2, 10, 300})
      for (const double delta : {1e-3, 1e-6, 1e-15}) {
        const double truth = randomised_response_epsilon(epsilon, k, delta);
        const Bracket bracket = account(Events(static_cast<std::size_t>(k), PureEvent{epsilon}), delta);
        expect_contains(bracket, truth, fmt::format("epsilon {} k {} delta {}", epsilon, k, delta));
        EXPECT_LE(bracket.epsilon_upper, k * epsilon * (1 + 1e-12));
      }
}

// ---- k-fold Laplace: F_1(z) = 1 − e^{(z−eps)/2}, F_k(z) = E F_{k−1}(z − L), atoms and density by Simpson's
// rule.
long double laplace_delta(long double epsilon, int k, long double z) {
  if (z >= k * epsilon) return 0;
  if (z <= -k * epsilon) return -std::expm1(z);
  if (k == 1) return -std::expm1((z - epsilon) / 2);
  long double sum = laplace_delta(epsilon, k - 1, z - epsilon) / 2 +
                    laplace_delta(epsilon, k - 1, z + epsilon) * std::exp(-epsilon) / 2;
  // The density, in pieces between the kinks of F_{k−1}(z − l).
  std::vector<long double> knots{-epsilon, epsilon};
  for (int j = -(k - 1); j <= k - 1; ++j)
    if (std::fabs(z - j * epsilon) < epsilon) knots.push_back(z - j * epsilon);
  std::sort(knots.begin(), knots.end());
  for (std::size_t i = 0; i + 1 < knots.size(); ++i) {
    constexpr int pieces = 40;
    const long double width = (knots[i + 1] - knots[i]) / pieces;
    for (int j = 0; j <= pieces; ++j) {
      const long double l = knots[i] + j * width, weight = j == 0 || j == pieces ? 1 : j % 2 ? 4 : 2;
      sum += weight * width / 3 * std::exp((l - epsilon) / 2) / 4 * laplace_delta(epsilon, k - 1, z - l);
    }
  }
  return sum;
}

TEST(AccountLaplace, ContainsTheTruthOfOneToThreeReleases) {
  for (const double epsilon : {0.05, 0.5, 2.0})
    for (const int k : {1, 2, 3})
      for (const double delta : {1e-2, 1e-4}) {
        const double truth =
            invert([=](long double z) { return laplace_delta(epsilon, k, z); }, delta, k * epsilon);
        if (truth == 0) continue;
        expect_contains(account(Events(static_cast<std::size_t>(k), LaplaceEvent{epsilon}), delta), truth,
                        fmt::format("epsilon {} k {} delta {}", epsilon, k, delta), 1e-6);
      }
}

TEST(AccountLaplace, OfOneDimensionIsTheSameAsIsotropic) {
  const Bracket a = account(Events(20, LaplaceEvent{0.3}), 1e-6);
  const Bracket b = account(Events(20, IsotropicLaplaceEvent{0.3, 1}), 1e-6);
  EXPECT_EQ(a.epsilon_upper, b.epsilon_upper);
  EXPECT_LE(a.epsilon_upper, account(Events(20, IsotropicLaplaceEvent{0.3, 5}), 1e-6).epsilon_upper);
}

// One exponential mechanism: delta(z) = (e^{eps/2} − e^{z/2})²/(e^eps − 1), the best of all pairs.
TEST(AccountBoundedRange, UpperEndIsTheWorstCaseOfOneAndBelowPureForMany) {
  const double epsilon = 1, delta = 1e-3;
  const double truth = 2 * std::log(std::exp(epsilon / 2) - std::sqrt(delta * std::expm1(epsilon)));
  const Bracket one = account(Events{BoundedRangeEvent{epsilon}}, delta);
  EXPECT_GE(one.epsilon_upper, truth * (1 - 1e-12));
  EXPECT_LE(one.epsilon_upper, truth * 1.001);
  EXPECT_LE(one.epsilon_lower, truth);
  const Events many(100, BoundedRangeEvent{0.1});
  const Bracket upper = account(many, 1e-6);
  EXPECT_LT(upper.epsilon_upper, account(Events(100, PureEvent{0.1}), 1e-6).epsilon_upper);
  EXPECT_LE(upper.epsilon_lower, upper.epsilon_upper);
  // An eps²/8-zCDP mechanism's epsilon is an upper bound too, and both must be above the symmetric member.
  EXPECT_GE(to_approx(Zcdp{100 * 0.01 / 8}, 1e-6).epsilon, upper.epsilon_lower);
  EXPECT_GE(upper.epsilon_lower, 0.9 * randomised_response_epsilon(0.05, 100, 1e-6));
}

TEST(AccountFailures, SpendDelta) {
  const Events gaussian{GaussianEvent{1}};
  const Events failing{GaussianEvent{1}, DeltaEvent{5e-7}};
  const Bracket without = account(gaussian, 1e-6), with = account(failing, 1e-6);
  EXPECT_GE(with.epsilon_upper, gaussian_epsilon(1, 5e-7) * (1 - 1e-6));
  EXPECT_GT(with.epsilon_lower, without.epsilon_upper);
  EXPECT_TRUE(std::isinf(account(Events{GaussianEvent{1}, DeltaEvent{1e-5}}, 1e-6).epsilon_upper));
  EXPECT_TRUE(std::isinf(account(Events{DeltaEvent{1e-5}}, 1e-6).epsilon_upper));
  EXPECT_EQ(account(Events{DeltaEvent{1e-7}}, 1e-6).epsilon_upper, 0);
}

// δ_f + F(ε), not δ_f + (1 − δ_f)·F(ε): what fails may depend on what else is shown.
TEST(AccountFailures, TakeNothingAwayFromTheRest) {
  const double failure = 0.05, epsilon = 1;
  const Events rest{GaussianEvent{1}}, failing{GaussianEvent{1}, DeltaEvent{failure}};
  const double beside = account_delta(rest, epsilon).delta_upper,
               found = account_delta(failing, epsilon).delta_upper;
  EXPECT_GE(found, (failure + beside) * (1 - 1e-3));
  EXPECT_LE(found, (failure + beside) * (1 + 1e-2));
}

TEST(AccountApprox, OneEventAtItsOwnDeltaIsItself) {
  const Bracket bracket = account(Events{ApproxEvent{0.7, 1e-6}}, 1e-6);
  EXPECT_LE(bracket.epsilon_upper, 0.7);
  EXPECT_NEAR(bracket.epsilon_lower, 0.7, 1e-3);
}

TEST(AccountMixed, IsMonotoneAndBelowBasicComposition) {
  Events events;
  double before = 0;
  const double delta = 1e-6;
  for (const Event& event :
       Events{GaussianEvent{0.5}, LaplaceEvent{0.2}, PoissonGaussianEvent{1.5, 0.01, 500},
              BoundedRangeEvent{0.3}, PureEvent{0.1}, ApproxEvent{0.1, 1e-9}, DeltaEvent{1e-9},
              IsotropicLaplaceEvent{0.1, 3}}) {
    events.push_back(event);
    const Bracket bracket = account(events, delta);
    EXPECT_GE(bracket.epsilon_upper, before * (1 - 1e-3)) << events.size();
    EXPECT_LE(bracket.epsilon_lower, bracket.epsilon_upper);
    EXPECT_TRUE(std::isfinite(bracket.epsilon_upper));
    before = bracket.epsilon_upper;
  }
  const double basic = account(Events{events[0]}, delta / 4).epsilon_upper +
                       account(Events{events[2]}, delta / 4).epsilon_upper + 0.2 + 0.3 + 0.1 + 0.1 + 0.1;
  EXPECT_LE(before, basic);
}

TEST(AccountMixed, DoesNotDependOnTheOrderOfEvents) {
  const Events a{LaplaceEvent{0.2}, GaussianEvent{0.4}, LaplaceEvent{0.2}, GaussianEvent{0.3}};
  const Events b{GaussianEvent{0.3}, LaplaceEvent{0.2}, GaussianEvent{0.4}, LaplaceEvent{0.2}};
  EXPECT_NEAR(account(a, 1e-6).epsilon_upper, account(b, 1e-6).epsilon_upper, 1e-9);
}

TEST(AccountInput, IsRefusedOutsideItsRange) {
  const double nan = std::nan("");
  for (const double delta : {0.0, 1.0, -1e-5, 2.0, nan})
    EXPECT_THROW(account_poisson_gaussian(1, 0.01, 100, delta), UsageError) << delta;
  for (const double rate : {0.0, -0.1, 1.5, nan})
    EXPECT_THROW(account_poisson_gaussian(1, rate, 100, 1e-5), UsageError) << rate;
  for (const double sigma : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()})
    EXPECT_THROW(account_poisson_gaussian(sigma, 0.01, 100, 1e-5), UsageError) << sigma;
  for (const std::int64_t steps : {std::int64_t{0}, std::int64_t{-5}})
    EXPECT_THROW(account_poisson_gaussian(1, 0.01, steps, 1e-5), UsageError) << steps;
  EXPECT_THROW(account(Events{OpenEvent{}}, 1e-5), UsageError);
  EXPECT_THROW(account(Events{GaussianEvent{1}}, 0), UsageError);
  EXPECT_NEAR(account(Events{PureEvent{1}, LaplaceEvent{1}}, 0).epsilon_upper, 2, 1e-12);
  EXPECT_THROW(account_delta(Events{GaussianEvent{1}}, -1), UsageError);
}

TEST(ComposeApprox, IsTheUpperEnd) {
  const Events events{PoissonGaussianEvent{1.1, 0.01, 1000}};
  const auto spent = std::get<Approx>(compose(events, Approx{5, 1e-5}));
  EXPECT_EQ(spent.epsilon, account(events, 1e-5).epsilon_upper);
  EXPECT_EQ(spent.delta, 1e-5);
  EXPECT_EQ(std::get<Approx>(compose(Events{PureEvent{1}}, Approx{1, 1e-9})).epsilon, 1);
}

TEST(ComposeParallel, IsTheMaximumOverTheParts) {
  const std::vector<Events> parts{{PureEvent{0.3}, PureEvent{0.4}}, {PureEvent{0.5}}, {}};
  EXPECT_NEAR(std::get<Pure>(compose_parallel(parts, Pure{1})).epsilon, 0.7, 1e-12);
  const std::vector<Events> gaussian{{GaussianEvent{3}}, {GaussianEvent{1}}};
  EXPECT_EQ(std::get<Gaussian>(compose_parallel(gaussian, Gaussian{1})).mu, 3);
  EXPECT_EQ(std::get<Pure>(compose_parallel({}, Pure{1})).epsilon, 0);
}

}  // namespace
}  // namespace tacit
