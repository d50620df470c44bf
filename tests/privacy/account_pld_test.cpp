#include <fmt/core.h>
#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "tacit/core/error.hpp"
#include "tacit/privacy/account.hpp"
#include "tacit/privacy/accounting/conversions.hpp"
#include "tacit/privacy/accounting/costs.hpp"

namespace tacit {
namespace {

using Events = std::vector<Event>;
using Curve = std::function<long double(long double)>;  // delta as a function of epsilon

long double upper_tail(long double t) { return std::erfc(t / std::sqrt(2.0L)) / 2; }

// epsilon at delta, of a decreasing curve.
double invert(const Curve& curve, double delta, double high) {
  long double low = 0, top = high;
  if (curve(0) <= delta) return 0;
  for (int k = 0; k < 80; ++k) ((curve((low + top) / 2) <= delta) ? top : low) = (low + top) / 2;
  return static_cast<double>(top);
}

void expect_contains(const Bracket& bracket, double truth, const std::string& what, double room = 1e-9) {
  EXPECT_LE(bracket.epsilon_lower, truth * (1 + room)) << what;
  EXPECT_GE(bracket.epsilon_upper, truth * (1 - room)) << what;
  EXPECT_LE(bracket.epsilon_upper - bracket.epsilon_lower, 1e-3 * truth) << what;
}

// ---- The sampled Gaussian by brute force: one step in closed form, F_2(z) = E F_1(z − L).
struct Sampled {
  long double sigma, rate;
  bool removing;

  long double log_mixture(long double x) const {
    return std::log1p(rate * std::expm1((2 * x - 1) / (2 * sigma * sigma)));
  }
  long double loss(long double x) const { return removing ? log_mixture(x) : -log_mixture(x); }
  long double density(long double x) const {
    const long double normal = std::exp(-x * x / (2 * sigma * sigma)) / (sigma * std::sqrt(2 * M_PIl));
    return removing ? normal * std::exp(log_mixture(x)) : normal;
  }
  long double once(long double z) const {
    const long double l = removing ? z : -z, ratio = std::expm1(l) / rate;
    if (ratio <= -1) return removing ? -std::expm1(z) : 0;
    const long double x = sigma * sigma * std::log1p(ratio) + 0.5L;
    // Removing: outcomes above x. Adding: those below.
    const long double side = removing ? 1 : -1;
    const long double empty = upper_tail(side * x / sigma), joined = upper_tail(side * (x - 1) / sigma);
    const long double mixture = (1 - rate) * empty + rate * joined;
    return removing ? mixture - std::exp(z) * empty : empty - std::exp(z) * mixture;
  }
};

// F_2 by adaptive quadrature, split where z − L(x) leaves the support of the second loss.
double twice(const Sampled& s, double z) {
  const auto integrand = [&](double x) {
    return static_cast<double>(s.density(x) * s.once(static_cast<long double>(z) - s.loss(x)));
  };
  const double low = static_cast<double>(-12 * s.sigma), high = static_cast<double>(1 + 12 * s.sigma);
  const long double edge = std::log1p(-s.rate), l = s.removing ? z - edge : -(z + edge);
  const long double ratio = std::expm1(l) / s.rate;
  double kink = ratio > -1 ? static_cast<double>(s.sigma * s.sigma * std::log1p(ratio) + 0.5L) : low;
  kink = std::fmin(std::fmax(kink, low), high);
  using Rule = boost::math::quadrature::gauss_kronrod<double, 61>;
  return Rule::integrate(integrand, low, kink, 12, 1e-12) + Rule::integrate(integrand, kink, high, 12, 1e-12);
}

// The larger epsilon of the two directions.
double worse_epsilon(double sigma, double rate, double delta,
                     const std::function<double(const Sampled&, double)>& curve) {
  double worst = 0;
  for (const bool removing : {true, false}) {
    const Sampled s{sigma, rate, removing};
    worst =
        std::fmax(worst, invert([&](long double z) { return curve(s, static_cast<double>(z)); }, delta, 60));
  }
  return worst;
}

TEST(AccountSampledGaussian, ContainsTheClosedFormOfOneStep) {
  for (const double sigma : {0.5, 1.0, 4.0})
    for (const double rate : {1e-3, 0.1, 0.7})
      for (const double delta : {1e-5, 1e-9}) {
        const double truth = worse_epsilon(
            sigma, rate, delta, [](const Sampled& s, double z) { return static_cast<double>(s.once(z)); });
        if (truth == 0) continue;
        expect_contains(account_poisson_gaussian(sigma, rate, 1, delta), truth,
                        fmt::format("sigma {} rate {} delta {}", sigma, rate, delta));
      }
}

TEST(AccountSampledGaussian, ContainsBruteForceOfTwoSteps) {
  for (const double sigma : {0.6, 1.0, 3.0})
    for (const double rate : {0.01, 0.2})
      for (const double delta : {1e-4, 1e-8}) {
        const double truth = worse_epsilon(sigma, rate, delta, twice);
        expect_contains(account_poisson_gaussian(sigma, rate, 2, delta), truth,
                        fmt::format("sigma {} rate {} delta {}", sigma, rate, delta), 1e-7);
      }
}

// F_4(z) = E F_2(z − L_1 − L_2): F_2 tabulated, the two outer losses by the trapezoid rule.
double four_times_epsilon(const Sampled& s, double delta) {
  constexpr double least = -12, spacing = 2e-3;
  std::vector<double> table;
  for (double z = least; z < 12; z += spacing) table.push_back(std::log(std::fmax(twice(s, z), 1e-300)));
  std::vector<double> losses, masses;
  constexpr double width = 0.05;
  for (double x = -10 * static_cast<double>(s.sigma); x < 1 + 10 * static_cast<double>(s.sigma); x += width) {
    losses.push_back(static_cast<double>(s.loss(x)));
    masses.push_back(static_cast<double>(s.density(x)) * width);
  }
  return invert(
      [&](long double z) {
        double sum = 0;
        for (std::size_t i = 0; i < losses.size(); ++i)
          for (std::size_t j = 0; j < losses.size(); ++j) {
            const double at = (static_cast<double>(z) - losses[i] - losses[j] - least) / spacing;
            const auto k =
                static_cast<std::size_t>(std::fmin(std::fmax(at, 0), static_cast<double>(table.size() - 2)));
            const double part = at - static_cast<double>(k);
            sum += masses[i] * masses[j] * std::exp((1 - part) * table[k] + part * table[k + 1]);
          }
        return sum;
      },
      delta, 11);
}

TEST(LongAccountSampledGaussian, ContainsBruteForceOfFourSteps) {
  for (const double sigma : {0.8, 1.5}) {
    const double truth = std::fmax(four_times_epsilon({sigma, 0.2L, true}, 1e-5),
                                   four_times_epsilon({sigma, 0.2L, false}, 1e-5));
    expect_contains(account_poisson_gaussian(sigma, 0.2, 4, 1e-5), truth, fmt::format("sigma {}", sigma),
                    2e-5);
  }
}

// Sampling with a rate just below 1 goes through the grid, and differs from the plain Gaussian by about
// 1e-16.
TEST(AccountSampledGaussian, ContainsTheComposedGaussianWhenNearlyEveryoneJoins) {
  const double nearly = std::nextafter(1.0, 0.0);
  for (const double mu : {0.01, 0.3, 1.0, 4.0, 30.0})
    for (const std::int64_t steps : {1, 10, 1000, 100000})
      for (const double delta : {1e-2, 1e-5, 1e-10, 1e-18}) {
        const double sigma = std::sqrt(static_cast<double>(steps)) / mu;
        const double truth = gaussian_epsilon(mu, delta);
        if (truth < 0.01 * mu) continue;  // delta is all but the total variation
        expect_contains(account_poisson_gaussian(sigma, nearly, steps, delta), truth,
                        fmt::format("mu {} steps {} delta {}", mu, steps, delta));
      }
}

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

TEST(AccountDelta, ContainsTheClosedFormOfOneStepAndInvertsAccount) {
  const Sampled s{1.0L, 0.1L, true};
  for (const double epsilon : {0.1, 0.5, 1.0, 3.0, 6.0}) {
    const double truth = static_cast<double>(s.once(epsilon));
    const DeltaBracket bracket = account_delta(Events{PoissonGaussianEvent{1, 0.1, 1}}, epsilon);
    EXPECT_LE(bracket.delta_lower, truth * (1 + 1e-9)) << epsilon;
    EXPECT_GE(bracket.delta_upper, truth * (1 - 1e-9)) << epsilon;
    EXPECT_LE(bracket.delta_upper, 1.05 * bracket.delta_lower) << epsilon;
  }
  const Events events{PoissonGaussianEvent{1.1, 0.01, 1000}, LaplaceEvent{0.1}};
  const Bracket at = account(events, 1e-7);
  EXPECT_GE(account_delta(events, at.epsilon_lower).delta_upper, 1e-7 * (1 - 1e-6));
  EXPECT_LE(account_delta(events, at.epsilon_upper).delta_lower, 1e-7 * (1 + 1e-6));
}

// Abadi et al. 2016, §3: sigma = 4, q = 0.01, T = 10000, delta = 1e-5 gives 1.26 by the moments accountant.
TEST(AccountLiterature, TheMomentsAccountantGivesItsPublishedValueAndIsAboveTheBracket) {
  double moments = 1e300;
  for (int order = 1; order <= 32; ++order)
    moments = std::fmin(moments, 10000 * poisson_gaussian_renyi(4, 0.01, order + 1) + std::log(1e5) / order);
  EXPECT_NEAR(moments, 1.26, 0.01);
  EXPECT_LT(account_poisson_gaussian(4, 0.01, 10000, 1e-5).epsilon_upper, moments);
}

TEST(AccountReplaceOne, LiesBetweenZeroOutAndTheUnsampledMechanism) {
  const Bracket zero_out = account_poisson_gaussian(1.2, 0.01, 1000, 1e-6);
  const Bracket replace = account_poisson_gaussian(1.2, 0.01, 1000, 1e-6, Neighbours::replace_one);
  EXPECT_GE(replace.epsilon_upper, 2 * zero_out.epsilon_lower);
  EXPECT_LE(replace.epsilon_upper, gaussian_epsilon(2 * std::sqrt(1000) / 1.2, 1e-6));
  EXPECT_EQ(replace.epsilon_lower, zero_out.epsilon_lower);
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
