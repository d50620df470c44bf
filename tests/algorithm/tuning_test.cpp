#include "algorithm/tuning.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/adversarial.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/root_meter.hpp"

namespace tacit {
namespace {

const LossSpec logistic = Link{LinkKind::logistic, 0};

Dataset separable(std::size_t n) {
  std::mt19937_64 random(2);
  DenseRows rows{n, 2, std::vector<double>(n * 2)};
  Dataset data;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < 2; ++j)
      rows.values[2 * i + j] = std::uniform_real_distribution<>(-1, 1)(random);
    data.labels.push_back(rows.values[2 * i] > 0 ? 1 : -1);
  }
  data.features = Features(std::move(rows));
  return data;
}

Facts options(double epsilon, const std::string& settings) {
  Facts facts;
  facts.set("epsilon", epsilon);
  facts.set("row_norm_bound", 2.0);
  facts.set("label_bound", 10.0);
  facts.set("settings", settings);
  return facts;
}

// n = 40000 draws; six standard deviations: a false alarm in any of the comparisons is below 1e-8.
TEST(Tuning, NumberOfRunsIsLogarithmic) {
  const double gamma = tuning::stopping_parameter(8);
  EXPECT_NEAR((1 / gamma - 1) / std::log(1 / gamma), 8, 1e-6);
  const auto bits = testing::seeded_bits(3);
  constexpr int draws = 40000;
  std::vector<double> seen(4);
  for (int k = 0; k < draws; ++k) {
    const std::size_t runs = tuning::draw_runs(gamma, *bits);
    if (runs <= 3) seen[runs] += 1.0 / draws;
  }
  for (int k = 1; k <= 3; ++k) {
    const double p = std::pow(1 - gamma, k) / (k * std::log(1 / gamma));
    EXPECT_NEAR(seen[static_cast<std::size_t>(k)], p, 6 * std::sqrt(p * (1 - p) / draws));
  }
}

TEST(Tuning, ChoosesTheSettingThatWorks) {
  // All K runs take the bad setting with probability E[2^−K] = ln(½(1+γ))/ln γ = 0.19 at a mean of 8 runs,
  // so 48.6 of 60 choices are good on average, deviation 3; a choice without scores would be right 30 times.
  const Dataset data = separable(2000);
  const Problem problem{.data = &data, .loss = logistic};
  int good = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const auto bits = testing::seeded_bits(seed);
    RootMeter meter({.limit = Pure{4}}, *bits);
    // The second setting drowns in noise: a sensitivity of 2C/(n lambda) with hardly any lambda.
    const Release release = tuning::fit(
        problem, tuning::Options::from(options(4, "limited-objective; limited-output:regularisation=1e-6")),
        meter);
    good += release.certificate.options.integer("chosen") == 0 ? 1 : 0;
    EXPECT_LE(std::get<Pure>(release.certificate.guarantee).epsilon, 4);
    EXPECT_EQ(release.certificate.steps.size(), 1u);
  }
  EXPECT_GE(good, 40);
}

// Nothing that is public may tell how many runs there were.
TEST(Tuning, CertificateHidesTheNumberOfRuns) {
  const Dataset data = separable(200);
  const Problem problem{.data = &data, .loss = logistic};
  std::vector<std::string> keys;
  for (unsigned seed = 0; seed < 5; ++seed) {
    const auto bits = testing::seeded_bits(seed);
    RootMeter meter({.limit = Pure{1}}, *bits);
    const Release release = tuning::fit(problem, tuning::Options::from(options(1, "limited-output")), meter);
    EXPECT_EQ(release.certificate.steps.size(), 1u);
    for (const auto& [key, value] : release.certificate.options.entries())
      EXPECT_TRUE(key != "runs" && key != "left") << key;
    EXPECT_EQ(release.certificate.options.number("mean_runs"), 4);
  }
}

TEST(Tuning, RebuildsItsStepFromPublicFacts) {
  const Dataset data = separable(300);
  const Problem problem{.data = &data, .loss = logistic};
  const auto bits = testing::seeded_bits(4);
  RootMeter meter({.limit = Pure{2}}, *bits);
  const Release release =
      tuning::fit(problem,
                  tuning::Options::from(
                      options(2, "limited-output:radius=3; limited-objective:radius=20,slope_limit=1.5")),
                  meter);
  const auto steps = tuning::rebuild_steps(release.certificate.options, release.certificate.assumed_public);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].grid, release.certificate.steps[0].grid);
  EXPECT_EQ(steps[0].scale, release.certificate.steps[0].scale);
  for (const double x : release.parameters.value()) EXPECT_EQ(std::fmod(x, steps[0].grid), 0.0);
}

TEST(Tuning, RefusesBeforeItCharges) {
  const Dataset data = separable(300);
  const Problem problem{.data = &data, .loss = logistic};
  const auto bits = testing::seeded_bits(4);
  RootMeter meter({.limit = Pure{1}}, *bits);
  EXPECT_THROW(tuning::Options::from(options(1, "")), UsageError);
  EXPECT_THROW(tuning::Options::from(options(1, "plain")), UsageError);
  EXPECT_THROW(tuning::Options::from(options(1, "tuned")), UsageError);
  EXPECT_THROW(tuning::Options::from(options(1, "limited-output; asap-mala:mala-steps=1")), UsageError)
      << "it assumes something";
  EXPECT_THROW(tuning::Options::from(options(1, "limited-output:radius=x")), UsageError);
  EXPECT_THROW(
      tuning::fit(problem,
                  tuning::Options::from(options(1, "limited-output; limited-objective:regularisation=1e-12")),
                  meter),
      UsageError);
  EXPECT_TRUE(meter.steps().empty());
}

TEST(Tuning, SettingsSurviveTheirText) {
  const std::string text = "limited-output:radius=3; limited-objective:radius=20,slope_limit=0.1";
  EXPECT_EQ(tuning::settings_text(tuning::parse_settings(text)), text);
}

// Replay: both the models' and the scores' opened values, on adversarial neighbours, with the same bits:
// exactly one of the two parts sees the differing record, and each opened value moves by at most what it
// claimed. The inner meters are not watched, so the outputs' supports are compared instead: same steps,
// finite parameters.
TEST(Tuning, OutcomeDoesNotDependOnWhichNeighbourWasGiven) {
  for (const auto& pair : testing::adversarial_pairs(logistic, 40, 3, 4)) {
    std::vector<Step> steps[2];
    for (int side = 0; side < 2; ++side) {
      const Problem problem{.data = side == 0 ? &pair.first : &pair.second, .loss = logistic};
      const auto bits = testing::seeded_bits(9);
      RootMeter meter({.limit = Pure{2}}, *bits);
      const Release release =
          tuning::fit(problem, tuning::Options::from(options(2, "limited-output; limited-objective")), meter);
      EXPECT_TRUE(release.parameters.value().allFinite()) << pair.what;
      steps[side] = release.certificate.steps;
    }
    EXPECT_EQ(steps[0][0].grid, steps[1][0].grid);
  }
}

}  // namespace
}  // namespace tacit
