#include <fmt/core.h>
#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss_kronrod.hpp>
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

// ---- The sampled Gaussian by brute force: one step in closed form, F_2(z) = E F_1(z − L).
struct SampledGaussian {
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
double twice(const SampledGaussian& s, double z) {
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
                     const std::function<double(const SampledGaussian&, double)>& curve) {
  double worst = 0;
  for (const bool removing : {true, false}) {
    const SampledGaussian s{sigma, rate, removing};
    worst =
        std::fmax(worst, invert([&](long double z) { return curve(s, static_cast<double>(z)); }, delta, 60));
  }
  return worst;
}

TEST(AccountSampledGaussian, ContainsTheClosedFormOfOneStep) {
  for (const double sigma : {0.5, 1.0, 4.0})
    for (const double rate : {1e-3, 0.1, 0.7})
      for (const double delta : {1e-5, 1e-9}) {
        const double truth = worse_epsilon(sigma, rate, delta, [](const SampledGaussian& s, double z) {
          return static_cast<double>(s.once(z));
        });
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
double four_times_epsilon(const SampledGaussian& s, double delta) {
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

TEST(AccountDelta, ContainsTheClosedFormOfOneStepAndInvertsAccount) {
  const SampledGaussian s{1.0L, 0.1L, true};
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

TEST(AccountReplaceOne, IsTightWhereEveryRecordJoins) {
  for (const double sigma : {0.5, 1.0, 7.0})
    for (const std::int64_t steps : {1, 30})
      for (const double delta : {1e-6, 1e-2}) {
        const double truth = gaussian_epsilon(2 * std::sqrt(static_cast<double>(steps)) / sigma, delta);
        const Bracket found = account_poisson_gaussian(sigma, 1, steps, delta, Neighbours::replace_one);
        EXPECT_LE(found.epsilon_lower, truth * (1 + 1e-12)) << sigma << " " << steps << " " << delta;
        EXPECT_GE(found.epsilon_upper, truth * (1 - 1e-12)) << sigma << " " << steps << " " << delta;
        EXPECT_LE(found.epsilon_upper, found.epsilon_lower * 1.001 + 1e-6) << sigma << " " << steps;
      }
}

}  // namespace
}  // namespace tacit
