// What a guarantee for a unit that is there or null says about one that is replaced.

#include "privacy/accounting/replaced.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/accounting/conversions.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

Step step_of(Event event, std::string mechanism = "any") {
  Step step;
  step.mechanism = std::move(mechanism);
  step.event = std::move(event);
  return step;
}

TEST(ReplacedGuarantee, IsTwiceWhatPureAndGaussianStepsGive) {
  const std::vector<Step> pure{step_of(PureEvent{0.4}), step_of(LaplaceEvent{0.6})};
  EXPECT_DOUBLE_EQ(std::get<Pure>(replaced_guarantee(pure, Pure{1})).epsilon, 2);
  const std::vector<Step> gaussian{step_of(GaussianEvent{0.3}), step_of(GaussianEvent{0.4})};
  EXPECT_NEAR(std::get<Gaussian>(replaced_guarantee(gaussian, Gaussian{0.5})).mu, 1, 1e-12);
  EXPECT_NEAR(std::get<Zcdp>(replaced_guarantee(gaussian, Zcdp{0.125})).rho, 0.5, 1e-12);
}

// 2s/β + J + ε_s: the Jacobian's term and the noise cover count once.
TEST(ReplacedGuarantee, CountsTheJacobiansTermAndTheCoverOfObjectivePerturbationOnce) {
  Step perturbation = step_of(PureEvent{0.7 + 0.29}, "objective-perturbation");
  perturbation.sensitivity.value = 1.4;
  perturbation.scale = 2;
  const std::vector<Step> steps{perturbation, step_of(IsotropicLaplaceEvent{0.01, 5}, "noise-cover")};
  EXPECT_NEAR(std::get<Pure>(replaced_guarantee(steps, Pure{1})).epsilon, 2 * 0.7 + 0.29 + 0.01, 1e-12);
}

// At the same δ a Gaussian step has its own curve, which is better than (2ε, (1+e^ε)δ).
TEST(ReplacedGuarantee, UsesTheCurveOfGaussianStepsAtTheSameDelta) {
  const double mu = 0.5, delta = 1e-6, epsilon = gaussian_epsilon(mu, delta);
  const std::vector<Step> steps{step_of(GaussianEvent{mu})};
  const auto found = std::get<Approx>(replaced_guarantee(steps, Approx{epsilon, delta}));
  EXPECT_EQ(found.delta, delta);
  EXPECT_GE(found.epsilon, gaussian_epsilon(2 * mu, delta) * (1 - 1e-6));
  EXPECT_LE(found.epsilon, gaussian_epsilon(2 * mu, delta) * (1 + 1e-3));
  EXPECT_GT(found.epsilon, 2 * epsilon) << "twice epsilon does not hold at the same delta";
}

// A test that passes although it must not is an event of the test's own noise: two changes in a row may make
// it e^ε times as likely, so 2δ is too little.
TEST(ReplacedGuarantee, OfATestThatCanFailIsThatOfTheWhole) {
  const double epsilon = 2, failure = 1e-6, delta = 2.5e-6;
  const auto steps = [&](const char* mechanism) {
    return std::vector<Step>{step_of(LaplaceEvent{epsilon}, "laplace"),
                             step_of(DeltaEvent{failure}, mechanism), step_of(GaussianEvent{0.5})};
  };
  std::vector<Event> events;
  for (const Step& step : steps("")) events.push_back(step.event);
  const Approx stated{account(events, delta).epsilon_upper, delta};
  const auto replaced = [&](const char* mechanism) {
    return std::get<Approx>(replaced_guarantee(steps(mechanism), stated));
  };
  EXPECT_GE(replaced("stability-failure").delta, failure * std::exp(epsilon)) << "which a test may reach";
  EXPECT_EQ(replaced("failure").delta, delta) << "of texts, each has its own";
}

TEST(ReplacedGuarantee, OfSampledStepsIsTwoChangesInARowAtTheSameDelta) {
  const PoissonGaussianEvent sampled{1.1, 0.01, 1000};
  const double delta = 1e-5;
  const double epsilon = account(std::vector<Event>{sampled}, delta).epsilon_upper;
  const auto found =
      std::get<Approx>(replaced_guarantee(std::vector<Step>{step_of(sampled)}, Approx{epsilon, delta}));
  EXPECT_EQ(found.delta, delta);
  EXPECT_GT(found.epsilon, 2 * epsilon);
  EXPECT_NEAR(found.epsilon,
              account_poisson_gaussian(1.1, 0.01, 1000, delta, Neighbours::replace_one).epsilon_upper, 1e-9);
  // Its half is enough at δ/(1+e^{ε/2}).
  const double half = found.epsilon / 2;
  EXPECT_LE(account(std::vector<Event>{sampled}, delta / (1 + std::exp(half))).epsilon_upper,
            half * (1 + 1e-9));
}

// Every difference of a corner of one record and one of the other.
TEST(ReplacedGuarantee, OfGaussianObjectivePerturbationHasTheCornersOfTwoRecords) {
  const double delta = 1e-6;
  const GaussianObjectiveEvent null{0.25, 0.1, 1, 0}, replaced{0.5, 0.1, 1, 2};
  const double epsilon = account(std::vector<Event>{null}, delta).epsilon_upper;
  const auto found = std::get<Approx>(
      replaced_guarantee(std::vector<Step>{step_of(null, "objective-perturbation")}, Approx{epsilon, delta}));
  EXPECT_NEAR(found.epsilon, account(std::vector<Event>{replaced}, delta).epsilon_upper, 1e-9);
}

// At its own δ such a step gives nothing for two changes in a row, so the guarantee has a larger δ.
TEST(ReplacedGuarantee, OfAStepWithADeltaIsFiniteAtALargerDelta) {
  const std::vector<Step> steps{step_of(ApproxEvent{2, 1e-5})};
  const auto found = std::get<Approx>(replaced_guarantee(steps, Approx{2, 1e-5}));
  EXPECT_EQ(found.epsilon, 4);
  EXPECT_GE(found.delta, (1 + std::exp(2)) * 1e-5 * (1 - 1e-15));
  EXPECT_LE(found.delta, (1 + std::exp(2)) * 1e-5 * (1 + 1e-12));
}

TEST(ReplacedGuarantee, ACertificateForReplacedUnitsHasNoOther) {
  Certificate certificate{.method = "x", .guarantee = Pure{1}};
  EXPECT_FALSE(replaced_guarantee(certificate));
  certificate.neighbours = Neighbours::zero_out;
  certificate.steps = {step_of(PureEvent{1})};
  EXPECT_DOUBLE_EQ(std::get<Pure>(replaced_guarantee(certificate).value()).epsilon, 2);
  EXPECT_NE(describe(certificate)
                .find("For a larger change the same release gives: Pure differential privacy, epsilon = 2"),
            std::string::npos)
      << describe(certificate);
  certificate.guarantee = NoPrivacy{};
  EXPECT_FALSE(replaced_guarantee(certificate));
}

TEST(ReplacedGuarantee, WithADeltaOf1IsToldAsNone) {
  const std::string told = describe(Guarantee(Approx{40, 1}), Unit::item, Neighbours::replace_one);
  EXPECT_TRUE(told.starts_with("No differential privacy: delta would be 1")) << told;
}

}  // namespace
}  // namespace tacit
