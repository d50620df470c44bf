#include "algorithm/posterior/asap.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "experiments/support/lin24.hpp"
#include "sampler/mixing.hpp"
#include "support/seeded_bits.hpp"
#include "support/shapes.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"
#include "tacit/method.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::posterior {
namespace {

AsapOptions bounded(const Guarantee& budget) {
  AsapOptions options{{.limits = {.regularisation = 0.1, .row_norm_bound = 1.0}, .budget = budget}};
  options.step_limit = 1e12;
  return options;
}

Guarantee total(const AsapPlan& plan, const Guarantee& notion) {
  std::vector<Event> events;
  for (const Step& step : plan.all_steps()) events.push_back(step.event);
  return compose(events, notion);
}

TEST(Asap, PlanSpendsTheWholeBudgetAndNoMore) {
  for (const double size : {0.05, 1.0})
    for (const std::size_t samples : {1, 7}) {
      AsapOptions options = bounded(Pure{size});
      options.samples = samples;
      const AsapPlan pure = plan_asap(testing::linear_shape(300, 4), options);
      EXPECT_LE(std::get<Pure>(total(pure, Pure{1})).epsilon, size);
      EXPECT_GT(std::get<Pure>(total(pure, Pure{1})).epsilon, size * (1 - 1e-9));
      options.budget = Gaussian{size};
      const AsapPlan gaussian = plan_asap(testing::linear_shape(300, 4), options);
      EXPECT_LE(std::get<Gaussian>(total(gaussian, Gaussian{1})).mu, size);
      EXPECT_GT(std::get<Gaussian>(total(gaussian, Gaussian{1})).mu, size * (1 - 1e-9));
    }
}

// The ball has room for R₁ = (√d + √(2 ln 2))/√m around a minimiser that is as near to θ₀ as hoped.
TEST(Asap, BallHoldsHalfOfThePosterior) {
  for (const Guarantee& budget : {Guarantee(Pure{0.7}), Guarantee(Gaussian{0.4})}) {
    const AsapPlan plan = plan_asap(testing::linear_shape(300, 5), bounded(budget));
    const double reach = plan.localisation.scale * (std::holds_alternative<Pure>(budget) ? 11.6 : 3.88);
    const double room = (std::sqrt(5.0) + std::sqrt(2 * std::log(2))) / std::sqrt(plan.strength);
    EXPECT_NEAR(plan.ball / (reach + room), 1, 0.01);  // quantiles of Gamma(5) and of chi(5) at 0.99
  }
}

// Put together again from the lemmas: how near the chain must come for the distance that is covered.
TEST(Asap, StepsAreThoseOfTheTheoremForTheDistanceThatIsCovered) {
  const AsapPlan plan = plan_asap(testing::linear_shape(300, 4), bounded(Pure{0.5}));
  const double gradient =
      plan.inverse_temperature * 300 * (plan.limits.slope + 0.1 * (plan.center_radius + plan.ball));
  const double constrained =
      2 * plan.ball * gradient + 4 * std::log(2 * plan.ball / plan.distance) + std::log(2);
  const double restarts = -sampler::log_mass_floor(4, plan.ball, gradient, plan.strength) + std::log(2);
  const double warm = 2 * std::log(2 * plan.smoothness / plan.strength);
  EXPECT_NEAR(plan.log_ratio / (constrained + restarts + warm), 1, 1e-5);
  EXPECT_EQ(plan.steps, sampler::mixing(plan.smoothness, plan.strength, 4, plan.log_ratio).steps);
}

TEST(Asap, RefusesAChainThatIsTooLongFromPublicValuesInOneLine) {
  AsapOptions options = bounded(Gaussian{1});
  options.step_limit = 1e7;
  try {
    plan_asap(testing::linear_shape(100000, 11), options);
    FAIL() << "accepted";
  } catch (const InfeasibleError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("steps"), std::string::npos) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos);
  }
  options.mala_steps = 500;
  const AsapPlan plan = plan_asap(testing::linear_shape(100000, 11), options);
  EXPECT_EQ(plan.steps, 500);
  EXPECT_GT(plan.theorem_steps, 1e7);
  EXPECT_EQ(asap_assumptions(plan, options).size(), 2u);
  Shape poisson = testing::linear_shape(100, 3);
  poisson.loss = Link{LinkKind::poisson, 0};
  EXPECT_THROW(plan_asap(poisson, options), UsageError);
  EXPECT_FALSE(find_method("asap-mala").unsuitable(poisson).empty());
  options.mala_steps = 0;
  EXPECT_THROW(plan_asap(testing::linear_shape(100, 3), options), UsageError);
  options.mala_steps.reset();
  options.perturbation = 0.6;
  EXPECT_THROW(plan_asap(testing::linear_shape(100, 3), options), UsageError);
}

Dataset four_records() {
  Dataset data;
  data.features = Features(DenseRows{4, 1, {1, -1, 0.5, 2}});
  data.labels = {1, -1, 1, 1};
  data.target_kind = TargetKind::numeric;
  return data;
}

TEST(Asap, StatesItsAssumptionAndTakesTheStepsOfItsPlan) {
  const Dataset data = four_records();
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}, .intercept = 1};
  for (const Guarantee& budget : {Guarantee(Pure{1}), Guarantee(Gaussian{1})})
    for (const bool own_steps : {false, true}) {
      AsapOptions options{
          {.limits = {.regularisation = 1.0, .row_norm_bound = 2.5}, .budget = budget, .samples = 3}};
      if (own_steps) options.mala_steps = 40;
      const auto bits = testing::seeded_bits(5);
      RootMeter meter({.limit = budget}, *bits);
      const Release release = posterior::asap(problem, options, meter);
      const Method& method = find_method("asap-mala");
      ASSERT_EQ(release.certificate.assumptions.size(), own_steps ? 2u : 1u);
      EXPECT_EQ(release.certificate.assumptions[0], method.assumes);
      ASSERT_EQ(release.samples.size(), 3u);
      EXPECT_EQ(release.samples.back().value(), release.parameters.value());
      EXPECT_NE(release.samples[0].value(), release.samples[1].value());
      const auto rebuilt =
          method.rebuild_steps(release.certificate.options, release.certificate.assumed_public);
      ASSERT_EQ(rebuilt.size(), 7u);
      for (std::size_t k = 0; k < rebuilt.size(); ++k) {
        EXPECT_EQ(rebuilt[k].event, release.certificate.steps[k].event);
        EXPECT_EQ(rebuilt[k].scale, release.certificate.steps[k].scale);
        EXPECT_EQ(rebuilt[k].sensitivity.reason, release.certificate.steps[k].sensitivity.reason);
      }
      const std::string& reason = rebuilt[1].sensitivity.reason;
      EXPECT_NE(reason.find("assumed: mixing constant = 1 [Lin24, Thm 1]"), std::string::npos) << reason;
      EXPECT_EQ(reason.find("40 steps") != std::string::npos, own_steps) << reason;
    }
}

// Theorem 1's K at the ln(1/ξ) that Table 3 stands for; (2) and (3) of App. C hold for Table 2's balls.
TEST(Lin24Tables, AgreeWithTheTheoremsAroundThem) {
  for (const double n : {1e3, 1e6})
    for (const std::size_t d : {2u, 11u, 50u})
      for (const double kappa : {1.5, 30.0})
        for (const Guarantee& cost : {Guarantee(Pure{0.3}), Guarantee(Gaussian{0.3})}) {
          const posterior::Lin24Problem problem{n, 3, 0.5 * kappa, 0.5, d, cost};
          const auto two = lin24_table2(problem);
          const auto three = lin24_table3(problem);
          const double size = static_cast<double>(d);
          EXPECT_NEAR(three.steps / sampler::mixing(kappa, 1, d, three.restarts).steps, 1, 0.01);
          const double room = 8 * std::sqrt(size / (two.inverse_temperature * 0.5 * n));  // R₁
          const double miss = std::holds_alternative<Pure>(cost)
                                  ? 2 * size * 3 * std::log(size / two.failure) / (n * 0.5 * 0.3)
                                  : 2 * std::sqrt(2.0) * 3 *
                                        (std::sqrt(size) + std::sqrt(std::log(1 / two.failure))) /
                                        (0.5 * n * 0.3);
          EXPECT_GE(two.ball * (1 + 1e-12), room + miss);
          EXPECT_LT(two.distance, two.ball / n);
        }
}

}  // namespace
}  // namespace tacit::posterior
