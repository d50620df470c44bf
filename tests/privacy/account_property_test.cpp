#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <random>

#include "privacy/accounting/calibrate.hpp"
#include "privacy/accounting/conversions.hpp"
#include "privacy/accounting/costs.hpp"
#include "support/sanitized.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"

// Settings drawn at random, with fixed seeds: what must hold for every one of them.

namespace tacit {
namespace {

struct Setting {
  double sigma = 0, rate = 0, delta = 0;
  std::int64_t steps = 0;
};

std::string text(const Setting& s) {
  return fmt::format("sigma {} rate {} steps {} delta {}", s.sigma, s.rate, s.steps, s.delta);
}

struct Range {
  double low, high;
};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : bits_(seed) {}
  double log_uniform(Range range) {
    return std::exp(std::uniform_real_distribution(std::log(range.low), std::log(range.high))(bits_));
  }
  Setting setting(Range sigma, Range rate, Range steps, Range delta) {
    Setting s;
    s.sigma = log_uniform(sigma);
    s.rate = std::fmin(log_uniform(rate), 1.0);
    s.steps = static_cast<std::int64_t>(log_uniform(steps));
    s.delta = log_uniform(delta);
    return s;
  }

 private:
  std::mt19937_64 bits_;
};

Bracket bracket_of(const Setting& s) { return account_poisson_gaussian(s.sigma, s.rate, s.steps, s.delta); }

// The settings people use: no wider than a thousandth.
void expect_narrow(int draws, std::uint64_t seed) {
  Draw draw(seed);
  for (int k = 0; k < draws; ++k) {
    const Setting s = draw.setting({0.5, 10}, {1e-4, 0.1}, {1e2, 1e6}, {1e-18, 1e-5});
    const Bracket b = bracket_of(s);
    EXPECT_GE(b.epsilon_lower, 0) << text(s);
    EXPECT_LE(b.epsilon_upper - b.epsilon_lower, 1e-3 * b.epsilon_upper) << text(s);
  }
}

// The best Rényi bound of a few orders: always above the truth, so above the lower end.
double renyi_epsilon(const Setting& s) {
  Renyi curve;
  for (const double order : {1.5, 2.0, 3.0, 5.0, 8.0, 16.0, 32.0, 64.0}) {
    curve.orders.push_back(order);
    curve.epsilons.push_back(static_cast<double>(s.steps) * poisson_gaussian_renyi(s.sigma, s.rate, order));
  }
  return to_approx(curve, s.delta).epsilon;
}

// Everything else: finite, ordered, not zero where it should not be, and never against other bounds.
void expect_sane(int draws, std::uint64_t seed) {
  Draw draw(seed);
  int in_range = 0;
  for (int k = 0; k < draws; ++k) {
    const Setting s = draw.setting({0.2, 100}, {1e-5, 1.1}, {1, 1e6}, {1e-18, 1e-2});
    const Bracket b = bracket_of(s);
    ASSERT_TRUE(std::isfinite(b.epsilon_upper)) << text(s);
    ASSERT_GE(b.epsilon_lower, 0) << text(s);
    ASSERT_LE(b.epsilon_lower, b.epsilon_upper) << text(s);
    EXPECT_LE(b.epsilon_lower, renyi_epsilon(s)) << text(s);
    EXPECT_LE(b.epsilon_lower, gaussian_epsilon(std::sqrt(static_cast<double>(s.steps)) / s.sigma, s.delta))
        << text(s);
    if (b.epsilon_upper < 1e-3 || b.epsilon_upper > 100) continue;
    ++in_range;
    EXPECT_GT(b.epsilon_lower, 0.95 * b.epsilon_upper) << text(s);
  }
  EXPECT_GT(in_range, draws / 4);  // the property was put to the test
}

// Calibrated noise meets its target from below, by no more than a thousandth.
void expect_calibrated(int draws, std::uint64_t seed) {
  Draw draw(seed);
  for (int k = 0; k < draws; ++k) {
    Setting s = draw.setting({1, 2}, {1e-5, 1.5}, {1, 1e6}, {1e-18, 1e-2});
    const double epsilon = draw.log_uniform({1e-2, 50});
    if (static_cast<double>(s.steps) * s.rate < 2 * s.delta)
      continue;  // delta is all but the chance of being sampled
    s.sigma = calibrate_noise(Approx{epsilon, s.delta}, s.rate, s.steps);
    const double achieved = bracket_of(s).epsilon_upper;
    EXPECT_LE(achieved, epsilon) << text(s);
    EXPECT_GE(achieved, 0.999 * epsilon) << text(s);
  }
}

TEST(AccountProperty, BracketsAreNarrowAtTheSettingsPeopleUse) { expect_narrow(120, 11); }
TEST(LongAccountProperty, BracketsAreNarrowAtTheSettingsPeopleUse) { expect_narrow(5000, 12); }

TEST(AccountProperty, NothingCrashesVanishesOrContradicts) { expect_sane(150, 21); }
TEST(LongAccountProperty, NothingCrashesVanishesOrContradicts) { expect_sane(10000, 22); }

TEST(Calibrate, MeetsItsTargetFromBelowWithinAThousandth) { expect_calibrated(50, 31); }
TEST(LongCalibrate, MeetsItsTargetFromBelowWithinAThousandth) { expect_calibrated(1000, 32); }

TEST(AccountProperty, ExtremeSettingsGiveFiniteBrackets) {
  for (const Setting& s :
       {Setting{0.01, 1e-5, 1e-18, 1000000}, Setting{0.01, 0.999, 1e-18, 1000000},
        Setting{1e6, 1e-5, 1e-18, 1}, Setting{1e6, 0.5, 0.5, 1000000}, Setting{0.05, 0.5, 1e-300, 10},
        Setting{5, 0.01, 1e-100, 10000}, Setting{1, 1e-12, 1e-12, 1000000},
        Setting{1, 0.01, 1e-5, 1000000000}, Setting{0.3, 1e-9, 1e-15, 100}}) {
    const Bracket b = bracket_of(s);
    EXPECT_TRUE(std::isfinite(b.epsilon_upper)) << text(s);
    EXPECT_GE(b.epsilon_lower, 0) << text(s);
    EXPECT_LE(b.epsilon_lower, b.epsilon_upper) << text(s);
  }
}

TEST(AccountProperty, CostsRiseWithStepsAndRateAndFallWithNoise) {
  const double base = account_poisson_gaussian(1, 0.01, 1000, 1e-6).epsilon_lower;
  EXPECT_GT(account_poisson_gaussian(1, 0.01, 1100, 1e-6).epsilon_lower, base);
  EXPECT_GT(account_poisson_gaussian(1, 0.011, 1000, 1e-6).epsilon_lower, base);
  EXPECT_GT(account_poisson_gaussian(0.95, 0.01, 1000, 1e-6).epsilon_lower, base);
  EXPECT_GT(account_poisson_gaussian(1, 0.01, 1000, 1e-7).epsilon_lower, base);
}

TEST(Calibrate, GaussianAndZcdpTargetsAreMetExactly) {
  for (const std::int64_t steps : {1, 100, 12345}) {
    const auto events = [&](double sigma) {
      return std::vector<Event>{PoissonGaussianEvent{sigma, 0.3, static_cast<std::uint64_t>(steps)}};
    };
    const double for_mu = calibrate_noise(Gaussian{0.7}, 0.3, steps);
    EXPECT_TRUE(fits(compose(events(for_mu), Gaussian{0.7}), Gaussian{0.7}));
    EXPECT_NEAR(for_mu, std::sqrt(static_cast<double>(steps)) / 0.7, 1e-12 * for_mu);
    const double for_rho = calibrate_noise(Zcdp{0.7}, 0.3, steps);
    EXPECT_TRUE(fits(compose(events(for_rho), Zcdp{0.7}), Zcdp{0.7}));
  }
}

TEST(Calibrate, CoversReplaceOne) {
  const double sigma = calibrate_noise(Approx{4, 1e-5}, 0.01, 500, Neighbours::replace_one);
  const double achieved =
      account_poisson_gaussian(sigma, 0.01, 500, 1e-5, Neighbours::replace_one).epsilon_upper;
  EXPECT_LE(achieved, 4);
  EXPECT_GE(achieved, 0.999 * 4);
}

TEST(Calibrate, RefusesWhatItCannotMeet) {
  EXPECT_THROW(calibrate_noise(Pure{1}, 0.1, 10), UsageError);
  EXPECT_THROW(calibrate_noise(Approx{1, 1e-5}, 0, 10), UsageError);
  EXPECT_THROW(calibrate_noise(Approx{1, 1e-5}, 1.5, 10), UsageError);
  EXPECT_THROW(calibrate_noise(Approx{1, 1e-5}, 0.1, 0), UsageError);
  EXPECT_THROW(calibrate_noise(Approx{1, 0}, 0.1, 10), UsageError);
  EXPECT_THROW(calibrate_noise(Approx{1, 0.01}, 1e-6, 10), UsageError);  // no noise needed at all
}

// The largest transform that can be asked for: far more steps than points allow.
TEST(AccountProperty, MemoryStaysBelowHalfAGigabyte) {
  bracket_of({1.0, 1e-4, 1e-18, 1000000});
  bracket_of({0.3, 0.5, 1e-18, 100000000});
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss, testing::with_sanitizer(500 * 1024));  // in kilobytes
}

}  // namespace
}  // namespace tacit
