#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "algorithm/clipping/bound.hpp"
#include "algorithm/clipping/lipschitz.hpp"
#include "algorithm/clipping/schedule.hpp"
#include "experiments/support/lower_bound.hpp"
#include "loss/softmax.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::clipping {
namespace {

Dataset two_rows() {
  Dataset data;
  data.features = Features(DenseRows{.rows = 2, .columns = 2, .values = {3, 4, 0, 0}});
  data.target_kind = TargetKind::classes;
  data.labels = {0, 1};
  data.classes = {"a", "b", "c"};
  return data;
}

TEST(LipschitzConstants, AreRootTwoTimesTheNormForSoftmax) {
  const Dataset data = two_rows();
  const auto G = lipschitz_constants({.data = &data, .loss = Softmax{3}});
  EXPECT_DOUBLE_EQ(G[0], std::sqrt(2 * (9.0 + 16 + 1)));
  EXPECT_DOUBLE_EQ(G[1], std::numbers::sqrt2);  // the constant feature alone
}

TEST(LipschitzConstants, AreReachedInTheLimitAndNeverExceeded) {
  const SoftmaxLoss loss(4);
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  double largest = 0;
  for (int k = 0; k < 2000; ++k) {
    std::vector<double> z(3), p(4), gradient(3);
    for (double& x : z) x = 30 * normal(random);
    loss.probabilities(z, p);
    loss.gradient(p, 0, gradient);
    largest = std::max(largest, std::hypot(gradient[0], gradient[1], gradient[2]));
  }
  EXPECT_LE(largest, std::numbers::sqrt2 * (1 + 1e-12));
  EXPECT_GT(largest, std::numbers::sqrt2 * (1 - 1e-6));
}

TEST(LipschitzConstants, AreTheSlopeTimesTheNormForLinks) {
  const Dataset data = two_rows();
  const Link pinball{LinkKind::pinball, 0.1};
  EXPECT_DOUBLE_EQ(lipschitz_constants({.data = &data, .loss = pinball, .intercept = 0})[0], 0.9 * 5);
  EXPECT_THROW(lipschitz_constants({.data = &data, .loss = Link{LinkKind::squared}}), UsageError);
}

// Interpolation with f_i(w) = G_i·|w|: gap_i = G_i·|w|, so that by hand
// α(τ) = G_n·Σ min(G_i/τ, 1)/Σ G_i.
TEST(ProgressRatio, IsAlphaWhereItCanBeComputedByHand) {
  const std::vector<double> G = {1, 2, 5}, gaps = {0.3, 0.6, 1.5};
  EXPECT_NEAR(progress_ratio(gaps, G, 1), 5 * 3.0 / 8, 1e-14);
  EXPECT_NEAR(progress_ratio(gaps, G, 2), 5 * 2.5 / 8, 1e-14);
  EXPECT_NEAR(progress_ratio(gaps, G, 5), 1, 1e-14);
  EXPECT_NEAR(progress_ratio(gaps, G, 0.01), 5 * 3.0 / 8, 1e-14);  // constant below G_1
}

TEST(ProgressRatio,
     HasThePropertiesOfAlphaAtEveryPoint) {  // [Das23, Def. 5.3 (i)–(vi)], which hold pointwise
  std::mt19937_64 random(2);
  std::exponential_distribution<double> positive;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> G(20), gaps(20);
    for (double& x : G) x = 0.1 + positive(random);
    for (double& x : gaps) x = positive(random);
    const double largest = *std::max_element(G.begin(), G.end());
    double before = std::numeric_limits<double>::infinity(), risk_before = before;
    for (double part = 0.05; part <= 1; part += 0.05) {
      const double tau = part * largest, alpha = progress_ratio(gaps, G, tau);
      EXPECT_GE(alpha, 1 - 1e-12);
      EXPECT_LE(alpha, before * (1 + 1e-12));
      EXPECT_GE(largest / (tau * alpha), 1 - 1e-12);
      EXPECT_LE(largest / (tau * alpha), risk_before * (1 + 1e-12));
      before = alpha, risk_before = largest / (tau * alpha);
    }
  }
}

TEST(ProgressRatio, RefusesWhatTheDefinitionExcludes) {
  const std::vector<double> G = {1, 2}, gaps = {1, 1}, zero = {0, 2};
  EXPECT_THROW(progress_ratio(gaps, G, 2.1), UsageError);
  EXPECT_THROW(progress_ratio(gaps, G, 0), UsageError);
  EXPECT_THROW(progress_ratio(gaps, zero, 1), UsageError);
  EXPECT_THROW(progress_ratio(gaps, std::vector<double>{1}, 1), UsageError);
}

TEST(RiskBound, IsTheoremFiveFourAtItsNumberOfSteps) {
  const double phi = 0.02, C = 0.7, D = 3, Gn = 5, tau = 2, alpha = 1.4, gap = 0.1;
  const ConvexRun run{.distance = D,
                      .step_scale = C,
                      .steps = 1 / (3 * phi * phi),
                      .noise_cost = phi,
                      .largest_lipschitz = Gn,
                      .interpolation_gap = gap};
  EXPECT_NEAR(learning_rate(run, tau), 3 * C * phi / (2 * tau), 1e-12);
  EXPECT_NEAR(risk_bound(run, tau, alpha),
              (D * D / C + 2 * C) * Gn * phi / alpha + (Gn / (tau * alpha) - 1) * gap, 1e-12);
}

// DP-SGD on f_i(w) = G_i|w| in one dimension with full batches: the measured risk must stay below the bound.
// The mean over 400 runs of a risk that is at most a few times the bound: the standard error is far below the
// slack of the bound, which is above 2 here.
TEST(RiskBound, HoldsForASimulatedRun) {
  const std::vector<double> G = {1, 2, 5};
  const double phi = 0.05, D = 1, Gn = 5, steps = std::round(1 / (3 * phi * phi));
  std::mt19937_64 random(3);
  for (const double tau : {0.5, 1.0, 3.0, 5.0}) {
    const ConvexRun run{
        .distance = D, .step_scale = D, .steps = steps, .noise_cost = phi, .largest_lipschitz = Gn};
    const double eta = learning_rate(run, tau), sigma = phi * std::sqrt(steps) * tau;
    std::normal_distribution<double> noise(0, sigma);
    double risk = 0;
    const int runs = 400;
    for (int r = 0; r < runs; ++r) {
      double w = D, mean_of_run = 0;
      for (int t = 0; t < static_cast<int>(steps); ++t) {
        mean_of_run += (8.0 / 3) * std::abs(w) / steps;  // f(w) = ⅓·Σ G_i|w|, at a random iterate
        double g = noise(random);
        for (const double one : G) g += std::copysign(std::min(one, tau), w) / 3;
        w -= eta * g;
      }
      risk += mean_of_run / runs;
    }
    const double alpha = progress_ratio(G, G, tau);  // gap_i = G_i|w|, exact at every w
    EXPECT_LT(risk, risk_bound(run, tau, alpha)) << tau;
    EXPECT_GT(risk, risk_bound(run, tau, alpha) / 50) << tau;  // and the bound says something
  }
}

const RunShape fashion{.target = {2, 1e-5}, .records = 60000, .parameters = 100, .batch = 500};

TEST(Schedule, SolvesTheFixedPointWithNoiseThatKeepsTheTarget) {
  for (const Theorem theorem : {Theorem::interpolation, Theorem::growth}) {
    const double c = theorem == Theorem::interpolation ? 3 : 1;
    const Schedule plan = plan_schedule(theorem, {{2, 1e-5}, 2000, 1000, 200}, {});
    const auto T = static_cast<double>(plan.steps);
    EXPECT_NEAR(T * c * plan.noise_cost * plan.noise_cost, 1, 1e-12);
    EXPECT_NEAR(plan.noise_cost, std::sqrt(1000.0) * plan.noise_multiplier / (200 * std::sqrt(T)), 1e-15);
    EXPECT_LE(account_poisson_gaussian(plan.noise_multiplier, 0.1, plan.steps, 1e-5).epsilon_upper, 2);
    EXPECT_GT(account_poisson_gaussian(plan.noise_multiplier, 0.1, plan.steps + 1, 1e-5).epsilon_upper, 2);
  }
}

TEST(Schedule, StopsAtTheMostStepsWithNoiseCalibratedToThem) {
  RunShape shape = fashion;
  shape.most_steps = 240;
  const Schedule plan = plan_schedule(Theorem::constrained, shape, {});
  EXPECT_EQ(plan.steps, 240);
  const double epsilon = account_poisson_gaussian(plan.noise_multiplier, 1.0 / 120, 240, 1e-5).epsilon_upper;
  EXPECT_LE(epsilon, 2);
  EXPECT_GT(epsilon, 2 * 0.999);
}

TEST(Schedule, SaysWhenThereAreTooFewRecords) {
  try {
    plan_schedule(Theorem::growth, {{0.1, 1e-5}, 100, 10000, 50}, {});
    FAIL();
  } catch (const InfeasibleError& error) {
    EXPECT_NE(std::string(error.what()).find("too few"), std::string::npos);
  }
}

// With T = 1/φ² the theorems' own closed forms in φ must come out.
TEST(Schedule, ReproducesTheClosedFormsOfTheTheorems) {
  const RunShape shape{.target = {2, 1e-5}, .records = 2000, .parameters = 1000, .batch = 200};
  const double k = 3, G = 2, gamma = 0.1, D = 1.5, R = 0.4;
  const Guesses guesses{.moment_order = k,
                        .moment = G,
                        .failure = gamma,
                        .distance = D,
                        .growth_radius = R,
                        .smoothness = 2,
                        .initial_gap = 0.5};
  const double g = G / std::cbrt(gamma);

  Schedule plan = plan_schedule(Theorem::constrained, shape, guesses);
  const double phi = plan.noise_cost;
  EXPECT_NEAR(plan.risk_bound, 5 * D * g / std::pow(2, 0.5 * (1 + 1 / k)) * std::pow(phi, 1 - 1 / k), 1e-12);
  EXPECT_NEAR(plan.clip_norm, g * std::pow(2 * phi * phi, -1 / (2 * k)), 1e-12);
  EXPECT_NEAR(plan.learning_rate, D * phi / (std::sqrt(2) * plan.clip_norm), 1e-12);

  plan = plan_schedule(Theorem::unconstrained, shape, guesses);
  const double e = 1 - 2 / (k + 1);
  EXPECT_NEAR(plan.clip_norm, g * std::pow(2 * phi * phi, -1 / (k + 1)), 1e-12);
  EXPECT_NEAR(plan.risk_bound,
              g * (5 * D / std::pow(2, 0.5 + 1 / (k + 1)) * std::pow(phi, e) +
                   std::pow(2, e) * 2 * D * std::pow(phi, 2 * e)),
              1e-12);

  plan = plan_schedule(Theorem::growth, shape, guesses);
  EXPECT_NEAR(plan.risk_bound,
              G * (std::pow(2, 0.5 * (1 - 1 / k)) * 3 * D + 16 * R) * std::pow(phi, 1 - 1 / k), 1e-12);

  plan = plan_schedule(Theorem::nonconvex, shape, guesses);  // both terms of the proof, at its tau
  const double s = 2 * phi * phi, bias = std::pow(G, k) / gamma / std::pow(plan.clip_norm, k - 1);
  EXPECT_NEAR(plan.risk_bound, 4 * std::sqrt(2 * 0.5 * s) * plan.clip_norm + bias * bias, 1e-12);

  plan = plan_schedule(Theorem::interpolation, shape, guesses);
  EXPECT_NEAR(plan.learning_rate, 3 * D * plan.noise_cost / (2 * G), 1e-12);
  EXPECT_NEAR(plan.risk_bound, 3 * D * G * plan.noise_cost, 1e-12);
}

TEST(Schedule, HasNamesThatReadBack) {
  for (const char* text : {"interpolation", "constrained", "unconstrained", "growth", "nonconvex"})
    EXPECT_EQ(name(parse_theorem(text)), text);
  EXPECT_THROW(parse_theorem("best"), UsageError);
}

TEST(HardInstance, HasDirectionsThatAreFarApart) {
  std::mt19937_64 random(4);
  const auto directions = hard_directions(64, 30, random);
  for (const Vector& v : directions) {
    EXPECT_EQ(v.sum(), 32);
    for (const Vector& other : directions) EXPECT_TRUE(&v == &other || (v - other).squaredNorm() >= 8);
  }
  EXPECT_THROW(hard_directions(7, 1, random), UsageError);
  EXPECT_THROW(hard_directions(8, 1000, random), InfeasibleError);
}

TEST(HardInstance, KeepsItsMomentAndItsShareOfActiveRecords) {
  std::mt19937_64 random(5);
  const Vector v = hard_directions(16, 1, random)[0];
  const std::size_t n = 200000;
  const Approx target{1, 1e-5};
  const HardInstance instance = hard_instance(n, v, 2, target, random);
  const double p = hard_share(n, 16, target);
  EXPECT_NEAR(p, 2 * std::sqrt(16 * std::log(1e5)) / 2e5, 1e-15);
  // p·‖p^{−1/k}v‖^k = ‖v‖^k
  EXPECT_NEAR(p * std::pow(instance.magnitude * v.norm(), 2), v.squaredNorm(), 1e-9);
  const auto active = static_cast<double>(std::count(instance.active.begin(), instance.active.end(), true));
  // Binomial: five standard deviations, false alarm 6e-7.
  EXPECT_NEAR(active, n * p, 5 * std::sqrt(n * p));
  EXPECT_THROW(hard_share(10, 16, target), InfeasibleError);
}

TEST(HardInstance, HasItsMinimumWhereTheProofSaysAndBoundedGradients) {
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal;
  const Vector v = hard_directions(16, 1, random)[0];
  const HardInstance instance = hard_instance(20000, v, 2, {1, 1e-5}, random);
  EXPECT_NEAR(instance.excess_risk(v.normalized()), 0, 1e-12);
  std::size_t record = 0;
  while (!instance.active[record]) ++record;
  for (int trial = 0; trial < 300; ++trial) {
    Vector w(16), u(16);
    for (double& x : w) x = normal(random);
    for (double& x : u) x = normal(random);
    EXPECT_GE(instance.excess_risk(w), -1e-12);
    EXPECT_LE(instance.excess_risk(0.5 * (w + u)),
              0.5 * (instance.excess_risk(w) + instance.excess_risk(u)) + 1e-12);
    EXPECT_LE(instance.gradient(record, w).norm(), 3 * instance.magnitude * v.norm() * (1 + 1e-12));
    // The mean of the gradients is the gradient of the mean: only active records count.
    const double h = 1e-6, share = instance.mean().norm() / (instance.magnitude * v.norm());
    const double slope = (instance.excess_risk(w + h * u) - instance.excess_risk(w - h * u)) / (2 * h);
    EXPECT_NEAR(share * instance.gradient(record, w).dot(u), slope, 1e-5 * (1 + std::abs(slope)));
  }
}

}  // namespace
}  // namespace tacit::inline v1::clipping
