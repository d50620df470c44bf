// The account of Gaussian objective perturbation: its curve, its composition, its calibration.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "privacy/accounting/calibrate.hpp"
#include "privacy/accounting/conversions.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

// far·HS_{ε−ε₀}(μ) + near·HS_{ε−ε₀}(μ/√2) [docs/gaussian_objective.md].
double stated_delta(const GaussianObjectiveEvent& e, double epsilon) {
  const double rest = epsilon - e.jacobian;
  return static_cast<double>(e.far) * gaussian_delta(e.mu, rest) +
         static_cast<double>(e.near) * gaussian_delta(e.mu / std::sqrt(2.0), rest);
}

double upper_epsilon(const std::vector<Event>& events, double delta) {
  return account(events, delta).epsilon_upper;
}

TEST(GaussianObjectiveAccount, IsTheStatedCurveFromAboveWithinAPercent) {
  for (const double mu : {0.05, 0.5, 2.0, 8.0})
    for (const double jacobian : {0.0, 0.1, 1.0})
      for (const GaussianObjectiveEvent& event :
           {GaussianObjectiveEvent{mu, jacobian, 1, 2}, GaussianObjectiveEvent{mu, jacobian, 2, 2},
            GaussianObjectiveEvent{mu, jacobian, 81, 18}, GaussianObjectiveEvent{mu, jacobian, 1, 0},
            GaussianObjectiveEvent{mu, jacobian, 2, 0}, GaussianObjectiveEvent{mu, jacobian, 9, 0}})
        for (const double delta : {1e-3, 1e-6, 1e-12}) {
          const double epsilon = upper_epsilon({event}, delta);
          EXPECT_LE(stated_delta(event, epsilon), delta) << mu << " " << jacobian << " " << delta;
          EXPECT_GE(stated_delta(event, epsilon - 0.002 * epsilon), delta * 0.99)
              << mu << " " << jacobian << " " << delta;
        }
}

// One far corner alone: the loss is jacobian + max(0, N(mu²/2, mu²)), with the rest of its mass at the
// Jacobian's term. Below that term delta counts that mass, too.
TEST(GaussianObjectiveAccount, CountsTheMassThatLiesAtTheJacobiansTerm) {
  for (const double mu : {0.3, 1.0, 3.0}) {
    const GaussianObjectiveEvent event{mu, 0.5, 1, 0};
    const std::vector<Event> events{event};
    const double below = 0.3, rest = std::erfc(mu / 2 / std::sqrt(2.0)) / 2;  // P(N(mu²/2, mu²) < 0)
    // E(1 − e^{z−L})_+ at z = below: the mass at 0.5, and the normal's part above it by quadrature.
    double expected = rest * -std::expm1(below - 0.5);
    constexpr int cells = 200000;
    const double width = (mu * mu / 2 + 12 * mu) / cells;
    for (int k = 0; k < cells; ++k) {
      const double x = (k + 0.5) * width, t = (x - mu * mu / 2) / mu;
      expected += width * std::exp(-t * t / 2) / (mu * std::sqrt(2 * M_PI)) * -std::expm1(below - 0.5 - x);
    }
    EXPECT_GE(account_delta(events, below).delta_upper, expected * (1 - 1e-6)) << mu;
    EXPECT_LE(account_delta(events, below).delta_upper, expected * 1.02) << mu;
  }
}

// Where epsilon is small beside mu it is charged in closed form: the mean of the stated curve over randomised
// response, which is what a pure step is.
TEST(GaussianObjectiveAccount, BesideAPureStepIsTheMeanOfTheCurveWhereEpsilonIsSmallBesideMu) {
  for (const double epsilon : {1e-6, 1e-3})
    for (const double mu : {0.01, 0.2512}) {
      const double beside = 0.02 * epsilon, up = 1 / (1 + std::exp(-beside));
      const GaussianObjectiveEvent event{mu, 0.3 * epsilon, 1, 0};
      const double delta =
          up * stated_delta(event, epsilon - beside) + (1 - up) * stated_delta(event, epsilon + beside);
      EXPECT_NEAR(upper_epsilon({event, IsotropicLaplaceEvent{beside, 3}}, delta), epsilon, 1e-6 * epsilon)
          << mu;
      EXPECT_NEAR(upper_epsilon({IsotropicLaplaceEvent{beside, 3}, event, DeltaEvent{delta}}, 2 * delta),
                  epsilon, 1e-6 * epsilon)
          << mu;
    }
}

// The same question on both sides of where grids take over: they lie above the closed form, by little.
TEST(GaussianObjectiveAccount, GridsAndTheClosedFormAgree) {
  for (const double mu : {1e-4, 0.1, 0.5, 2.0})
    for (const double of_mu : {0.26, 0.5, 2.0}) {
      const double epsilon = of_mu * mu, beside = 0.01 * epsilon, up = 1 / (1 + std::exp(-beside));
      const GaussianObjectiveEvent event{mu, 0.3 * epsilon, 1, 0};
      const double delta =
          up * stated_delta(event, epsilon - beside) + (1 - up) * stated_delta(event, epsilon + beside);
      const double found = upper_epsilon({event, IsotropicLaplaceEvent{beside, 3}}, delta);
      EXPECT_GE(found, epsilon * (1 - 1e-7)) << mu << " " << of_mu;
      EXPECT_LE(found, epsilon * (1 + 1e-3)) << mu << " " << of_mu;
    }
}

// Two corners and more: below the loss from which on their tail is below 1 delta is less than the sum says.
TEST(GaussianObjectiveAccount, NeverExceedsTheStatedSumAndIsLessWhereThatIsAboveOne) {
  for (const GaussianObjectiveEvent& event :
       {GaussianObjectiveEvent{1, 0.1, 2, 2}, GaussianObjectiveEvent{1, 0.1, 81, 18}})
    for (const double epsilon : {0.1, 0.2, 0.5, 1.0, 2.0, 4.0}) {
      const double delta = account_delta(std::vector<Event>{event}, epsilon).delta_upper;
      EXPECT_LE(delta, std::fmin(stated_delta(event, epsilon) * (1 + 1e-12), 1.0));
      EXPECT_GE(delta, account_delta(std::vector<Event>{event}, epsilon).delta_lower);
    }
  EXPECT_LT(account_delta(std::vector<Event>{GaussianObjectiveEvent{1, 0.1, 81, 18}}, 0.5).delta_upper, 1);
}

TEST(GaussianObjectiveAccount, LiesAboveThePlainGaussianMechanism) {
  const GaussianObjectiveEvent event{1, 0, 1, 2};
  const Bracket bracket = account(std::vector<Event>{event}, 1e-6);
  EXPECT_GE(bracket.epsilon_upper, gaussian_epsilon(1, 1e-6));
  EXPECT_LE(bracket.epsilon_lower, gaussian_epsilon(1, 1e-6));
  EXPECT_GE(bracket.epsilon_lower, 0.99 * gaussian_epsilon(1, 1e-6));
}

// A pure step beside it shifts the curve by at most its epsilon.
TEST(GaussianObjectiveAccount, ComposesWithAPureStep) {
  const GaussianObjectiveEvent event{0.7, 0.2, 2, 2};
  const double alone = upper_epsilon({event}, 1e-6), both = upper_epsilon({event, PureEvent{0.05}}, 1e-6);
  EXPECT_GT(both, alone);
  EXPECT_LE(both, (alone + 0.05) * (1 + 1e-3));
}

// As far as the loss is a Gaussian one, so is its composition with a Gaussian step.
TEST(GaussianObjectiveAccount, ComposesWithAGaussianStep) {
  const GaussianObjectiveEvent event{0.6, 0.2, 1, 2};
  const double both = upper_epsilon({event, GaussianEvent{0.8}}, 1e-6);
  EXPECT_GE(both, gaussian_epsilon(1, 1e-6));
  EXPECT_LE(both, 0.2 + 1.1 * gaussian_epsilon(1, 1e-6));
}

TEST(GaussianObjectiveAccount, HasNoGuaranteeInOtherNotions) {
  const std::vector<Event> events{GaussianObjectiveEvent{1, 0.1, 1, 2}};
  EXPECT_THROW(static_cast<void>(compose(events, Pure{1})), UsageError);
  EXPECT_THROW(static_cast<void>(compose(events, Gaussian{1})), UsageError);
  EXPECT_THROW(static_cast<void>(compose(events, Zcdp{1})), UsageError);
}

TEST(GaussianObjectiveAccount, RefusesNumbersThatNoLossHas) {
  const auto refused = [](const GaussianObjectiveEvent& e) {
    EXPECT_THROW(validate(Event(e)), UsageError) << describe(Event(e));
  };
  refused({0, 0.1, 1, 2});
  refused({std::nan(""), 0.1, 1, 2});
  refused({1, -0.1, 1, 2});
  refused({1, 0.1, 0, 2});
  refused({1, 0.1, 1, 1});
}

TEST(CalibrateObjective, MeetsItsTargetFromBelow) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<> uniform;
  for (int k = 0; k < 20; ++k) {
    const Approx target{std::pow(10, -1 + 2 * uniform(random)), std::pow(10, -3 - 9 * uniform(random))};
    GaussianObjectiveEvent event{1, 0.5 * uniform(random) * target.epsilon,
                                 1 + static_cast<std::uint64_t>(k % 3), 2};
    const Event other = PureEvent{0.01 * target.epsilon};
    event.mu = calibrate_objective(event, {&other, 1}, target);
    const double epsilon = upper_epsilon({other, event}, target.delta);
    EXPECT_LE(epsilon, target.epsilon);
    EXPECT_GE(epsilon, 0.999 * target.epsilon);
  }
}

TEST(CalibrateObjective, RefusesAJacobianThatTakesAll) {
  EXPECT_THROW(static_cast<void>(calibrate_objective({1, 1.5, 1, 2}, {}, {1, 1e-6})), UsageError);
}

}  // namespace
}  // namespace tacit
