// The plan of Gaussian objective perturbation, and the noise that it adds.

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <random>
#include <span>
#include <vector>

#include "algorithm/heavy_tails/limited_objective.hpp"
#include "loss/limited.hpp"
#include "support/seeded_bits.hpp"
#include "support/shapes.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"
#include "tacit/method.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::heavy_tails {
namespace {

TEST(GaussianObjectivePlan, StepsComposeToAtMostEpsilonOverAllSizes) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 25; ++trial) {
    const auto n = static_cast<std::size_t>(std::exp(std::uniform_real_distribution<>(3, 14)(random)));
    const Approx target{std::exp(std::uniform_real_distribution<>(-3, 2)(random)),
                        std::exp(std::uniform_real_distribution<>(-25, -5)(random))};
    const LossSpec loss = trial % 3 == 0   ? LossSpec(Softmax{4})
                          : trial % 3 == 1 ? LossSpec(Link{LinkKind::huber, 1})
                                           : LossSpec(Link{LinkKind::logistic, 0});
    const auto plan = plan_limited_objective(
        testing::linear_shape(n, 1 + random() % 200, loss),
        {.epsilon = target.epsilon, .delta = target.delta, .row_norm_bound = 3.0, .label_bound = 2.0});
    const std::vector<Event> events{plan.perturbation.event, plan.cover.event};
    const double epsilon = account(events, target.delta).epsilon_upper;
    EXPECT_LE(epsilon, target.epsilon);
    EXPECT_GE(epsilon, 0.99 * target.epsilon);
    const auto& event = std::get<GaussianObjectiveEvent>(plan.perturbation.event);
    EXPECT_GE(event.mu, 2 * plan.limits.slope / plan.perturbation.scale);
    EXPECT_EQ(event.far, trial % 3 == 0 ? 9u : trial % 3 == 1 ? 2u : 1u);
    EXPECT_EQ(event.near, trial % 3 == 0 ? 6u : 2u);
  }
}

// Also where delta is as large as epsilon or far larger, and the accountant's grid would not resolve epsilon
// beside mu. What a meter is charged is the perturbation alone first, then both.
TEST(GaussianObjectivePlan, IsMadeInTimeAndCostsWhatIsAskedForOverAllBudgets) {
  std::vector<Approx> targets{{1e-6, 1e-5}, {1e-5, 0.01}, {2e-4, 1e-4}, {2e-4, 1e-3}, {3e-6, 1e-5},
                              {2e-4, 0.1},  {1e-3, 0.1},  {1e-2, 0.1},  {1e-7, 0.5},  {50, 1e-12}};
  std::mt19937_64 random(3);
  std::uniform_real_distribution<> epsilons(std::log(1e-7), std::log(50.0)),
      deltas(std::log(1e-12), std::log(0.5));
  for (int trial = 0; trial < 40; ++trial)
    targets.push_back({std::exp(epsilons(random)), std::exp(deltas(random))});
  int trial = 0;
  for (const Approx& target : targets) {
    const LossSpec loss = trial % 3 == 0   ? LossSpec(Softmax{4})
                          : trial % 3 == 1 ? LossSpec(Link{LinkKind::huber, 1})
                                           : LossSpec(Link{LinkKind::logistic, 0});
    const Neighbours relation = trial % 2 == 0 ? Neighbours::zero_out : Neighbours::replace_one;
    const std::clock_t start = std::clock();
    Options options{
        .epsilon = target.epsilon, .delta = target.delta, .row_norm_bound = 3.0, .label_bound = 2.0};
    options.neighbours = relation;
    const Shape shape = testing::linear_shape(4000, trial % 4 == 3 ? 1 : 5, loss);
    const auto plan = plan_limited_objective(shape, ObjectiveOptions{.common = options});
    const std::vector<Event> events{plan.perturbation.event, plan.cover.event};
    const double epsilon = account(events, target.delta).epsilon_upper;
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    EXPECT_LE(epsilon, target.epsilon) << target.epsilon << " " << target.delta;
    EXPECT_GE(epsilon, 0.99 * target.epsilon) << target.epsilon << " " << target.delta;
    EXPECT_LE(account(std::span(events).first(1), target.delta).epsilon_upper, target.epsilon)
        << target.epsilon << " " << target.delta;
    constexpr double most = 5;  // seconds of one core, with sanitizers; without them it is below one
    EXPECT_LE(seconds, most) << target.epsilon << " " << target.delta;
    ++trial;
  }
}

TEST(GaussianObjectivePlan, ARecordThatIsThereOrNullNeedsHalfOfTheNoise) {
  for (const LossSpec& loss :
       {LossSpec(Softmax{4}), LossSpec(Link{LinkKind::huber, 1}), LossSpec(Link{LinkKind::logistic, 0})}) {
    const Shape shape = testing::linear_shape(10000, 30, loss);
    Options options{
        .epsilon = 1, .delta = 1e-6, .regularisation = 1e-2, .row_norm_bound = 2, .label_bound = 2};
    const auto replaced = plan_limited_objective(shape, options);
    options.neighbours = Neighbours::zero_out;
    const auto null = plan_limited_objective(shape, options);
    const std::vector<Event> events{null.perturbation.event, null.cover.event};
    EXPECT_LE(account(events, 1e-6).epsilon_upper, 1);
    EXPECT_LT(null.perturbation.scale, 0.51 * replaced.perturbation.scale);
    const auto& event = std::get<GaussianObjectiveEvent>(null.perturbation.event);
    EXPECT_GE(event.mu, null.limits.slope / null.perturbation.scale);
    EXPECT_EQ(event.near, 0u);
    EXPECT_EQ(event.far, std::holds_alternative<Softmax>(loss)          ? 3u
                         : std::get<Link>(loss).kind == LinkKind::huber ? 2u
                                                                        : 1u);
  }
}

TEST(GaussianObjectivePlan, NeedsFarLessNoiseThanPureInManyDimensions) {
  const Shape shape = testing::linear_shape(10000, 100, Link{LinkKind::logistic, 0});
  Options options{.epsilon = 1, .regularisation = 1e-2, .row_norm_bound = 2.0};
  const auto pure = plan_limited_objective(shape, options);
  options.delta = 1e-6;
  const auto gaussian = plan_limited_objective(shape, options);
  // E‖b‖² is d(d+1)·scale² for isotropic Laplace noise, d·σ² for Gaussian noise.
  EXPECT_LT(gaussian.perturbation.scale * std::sqrt(101.0),
            0.7 * pure.perturbation.scale * std::sqrt(101.0 * 102));
}

TEST(GaussianObjectivePlan, RefusesGaussianPrivacyAndARegularisationThatLeavesNoBudget) {
  const Shape shape = testing::linear_shape(100, 3, Link{LinkKind::logistic, 0});
  EXPECT_THROW(plan_limited_objective(shape, {.mu = 1, .row_norm_bound = 2.0}), UsageError);
  EXPECT_THROW(plan_limited_objective(
                   shape, {.epsilon = 0.1, .delta = 1e-6, .regularisation = 1e-9, .row_norm_bound = 2.0}),
               UsageError);
}

// With as much noise as E‖b‖²= pσ² says: the minimiser of a problem without signal is −b/(nλ).
TEST(GaussianObjective, AddsTheNoiseThatItPlans) {
  const Dataset data = [] {
    Dataset empty;
    empty.features = Features(DenseRows{50, 3, std::vector<double>(150, 0.0)});
    empty.labels.assign(50, 1.0);
    return empty;
  }();
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}, .intercept = 0};
  Facts facts;
  facts.set("epsilon", 2.0);
  facts.set("delta", 1e-6);
  facts.set("slope_limit", 1.0);
  facts.set("curvature_limit", 1.0);
  facts.set("regularisation", 1.0);
  const auto plan = plan_limited_objective(shape_of(problem), Options::from(facts));
  const auto bits = testing::seeded_bits(1);
  constexpr int runs = 400;
  double squares = 0;
  for (int k = 0; k < runs; ++k) {
    RootMeter meter({Approx{2, 1e-6}, Unit::item, Neighbours::replace_one}, *bits);
    squares += find_method("limited-objective").fit(problem, facts, meter).parameters.value().squaredNorm();
  }
  // Of 1200 squared normals: the mean is within 5 deviations, false alarm 6e-7.
  const double mean = squares / (3 * runs) * 2500 / (plan.perturbation.scale * plan.perturbation.scale);
  EXPECT_NEAR(mean, 1, 5 * std::sqrt(2.0 / (3 * runs)));
}

}  // namespace
}  // namespace tacit::heavy_tails
