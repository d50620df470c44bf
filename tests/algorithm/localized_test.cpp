#include "algorithm/heavy_tails/localized.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "algorithm/heavy_tails/centered_solvers.hpp"
#include "algorithm/heavy_tails/limited_output.hpp"
#include "algorithm/heavy_tails/net_exponential.hpp"
#include "algorithm/partition.hpp"
#include "opened_values.hpp"
#include "support/adversarial.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"
#include "tacit/method.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::heavy_tails {
namespace {

Shape shape_of_size(std::size_t records) {
  return {
      .records = records, .features = 3, .outputs = 1, .loss = Link{LinkKind::logistic, 0}, .intercept = 1};
}

TEST(Partition, ARandomOrderIsAPermutationAndUniform) {
  const auto bits = testing::seeded_bits(1);
  std::vector<int> first(5);
  constexpr int draws = 20000;
  for (int k = 0; k < draws; ++k) {
    const std::vector<std::size_t> order = secret_order(5, *bits);
    EXPECT_EQ(std::set(order.begin(), order.end()).size(), 5u);
    ++first[order[0]];
  }
  // Six deviations of a count: false alarm below 1e-8 each.
  for (const int count : first) EXPECT_NEAR(count, draws / 5, 6 * std::sqrt(draws * 0.16));
}

TEST(Localized, PhasesHalveAndRegularisationGrowsAsInTheAlgorithm) {
  const auto plan = heavy_tails::plan_localized(shape_of_size(1000), {.common = {.row_norm_bound = 2.0}});
  ASSERT_EQ(plan.phases.size(), 9u) << "⌊1000/2^10⌋ = 0: the tenth phase has no record";
  for (std::size_t t = 0; t < plan.phases.size(); ++t) {
    EXPECT_EQ(plan.phases[t].shape.records, 1000u >> (t + 1));
    EXPECT_DOUBLE_EQ(*plan.phases[t].options.regularisation,
                     plan.first_regularisation * std::pow(32.0, static_cast<double>(t)));
  }
  EXPECT_EQ(heavy_tails::localized_blocks(1000, 0), 1u);
  EXPECT_EQ(heavy_tails::localized_blocks(1000, 0.1), 58u) << "⌈12.5 ln(10/0.1)⌉";
}

TEST(Localized, EpsilonIsNotMultipliedByBlocksOrPhases) {
  for (const char* solver : {"limited-output", "limited-objective", "double-output", "net-exponential"})
    for (const double failure : {0.0, 0.1}) {
      const LocalizedOptions options{
          .common = {.epsilon = 0.7, .row_norm_bound = 2.0}, .failure = failure, .solver = solver};
      const auto plan = heavy_tails::plan_localized(shape_of_size(100000), options);
      const double charged = std::get<PureEvent>(plan.release.event).epsilon;
      EXPECT_LE(charged, 0.7);
      EXPECT_GT(charged, 0.69);
    }
  EXPECT_THROW(
      heavy_tails::plan_localized(shape_of_size(100), {.common = {.row_norm_bound = 2.0}, .failure = 0.1}),
      InfeasibleError);
  EXPECT_THROW(heavy_tails::plan_localized(shape_of_size(100), {.solver = "no-such"}), UsageError);
}

TEST(GeometricAggregate, IsInTheCrowdWhateverAMinorityDoes) {
  std::vector<Vector> points;
  for (int k = 0; k < 6; ++k) points.push_back(Vector::Constant(2, 0.01 * k));
  for (int k = 0; k < 5; ++k) points.push_back(Vector::Constant(2, 1e9 * (k + 1)));
  EXPECT_LT(heavy_tails::geometric_aggregate(points).norm(), 0.1);
  EXPECT_EQ(heavy_tails::geometric_aggregate({points.data() + 7, 1}), points[7]);
}

// Around any center and on adversarial neighbours, a block's minimiser moves by at most what the plan says.
TEST(Localized, ABlocksMinimiserKeepsItsSensitivityAroundAnyCenter) {
  const LossSpec losses[] = {Link{LinkKind::logistic, 0}, Link{LinkKind::absolute, 0}};
  for (const char* solver : {"limited-output", "double-output"}) {
    double tightest = 0;
    for (const LossSpec& loss : losses)
      for (const auto& pair : testing::adversarial_pairs(loss, 15, 3, 2))
        for (const double size : {0.0, 1.0, 100.0}) {
          Vector center = Vector::Constant(4, size / 2);
          const auto opened = testing::opened_values(pair, loss, [&](const Problem& problem, Meter& meter) {
            heavy_tails::find_centered_solver(solver).solve(
                center, 101, problem, {.epsilon = 1, .row_norm_bound = 2.0, .threads = 1}, meter);
          });
          double moved = 0;
          for (std::size_t k = 0; k < 4; ++k) moved = std::hypot(moved, opened.of[0][k] - opened.of[1][k]);
          EXPECT_LE(moved, opened.claimed) << pair.what;
          tightest = std::max(tightest, moved / opened.claimed);
        }
    EXPECT_GT(tightest, 0.5) << solver;
  }
}

// The scores of every point of a net around any center, on adversarial neighbours.
TEST(Localized, ABlocksScoresKeepTheirSensitivityAroundAnyCenter) {
  double tightest = 0;
  for (const LossSpec& loss : {LossSpec(Link{LinkKind::logistic, 0}), LossSpec(Link{LinkKind::absolute, 0})})
    for (const auto& pair : testing::adversarial_pairs(loss, 15, 1, 2))
      for (const double size : {0.0, 1.0, 100.0})
        for (const auto smoothing : {heavy_tails::Smoothing::curvature, heavy_tails::Smoothing::ball}) {
          if (smoothing == heavy_tails::Smoothing::ball && std::get<Link>(loss).kind != LinkKind::absolute)
            continue;
          const Vector center = Vector::Constant(2, 0.7 * size);
          const auto opened = testing::opened_values(pair, loss, [&](const Problem& problem, Meter& meter) {
            heavy_tails::find_centered_solver("net-exponential")
                .solve(center, 101, problem,
                       {.epsilon = 1,
                        .row_norm_bound = 2.0,
                        .label_bound = 10.0,
                        .threads = 1,
                        .net = {.points = 200, .smoothing = smoothing}},
                       meter);
          });
          ASSERT_EQ(opened.of[0].size(), opened.of[1].size());
          for (std::size_t k = 0; k < opened.of[0].size(); ++k) {
            const double moved = std::fabs(opened.of[0][k] - opened.of[1][k]);
            EXPECT_LE(moved, opened.claimed) << pair.what;
            tightest = std::max(tightest, moved / opened.claimed);
          }
        }
  EXPECT_GT(tightest, 0.5);
}

// Later nets are 32 times finer each. Where doubles near a center are coarser than that, what is left is at
// most 2⁻⁴² of the center's norm times the points of an axis.
TEST(Localized, NetsEndWhereDoublesWouldBeTooCoarse) {
  const LocalizedOptions options{.common = {.row_norm_bound = 2.0}, .solver = "net-exponential"};
  const auto plan = heavy_tails::plan_localized(shape_of_size(100000), options);
  EXPECT_GT(plan.phases.size(), 5u);
  EXPECT_LT(plan.phases.size(), 16u) << "those that have a record";
  EXPECT_EQ(plan.release.dimension, 3u);
  for (const auto& phase : plan.phases) {
    const auto net = heavy_tails::plan_net_around(phase.shape, phase.options, plan.center_bound);
    EXPECT_LE(plan.center_bound + net.radius, 0x1p53 * net.grid);
  }
  const auto& last = plan.phases.back();
  const auto finest = heavy_tails::plan_net_around(last.shape, last.options, plan.center_bound);
  EXPECT_EQ(plan.release.grid, finest.grid);
  EXPECT_LT(finest.radius / 32, 1e-9 * plan.center_bound)
      << "how far the phases that are left out would move";

  LocalizedOptions pulled = options;
  pulled.common.regularisation = 0x1p60;
  EXPECT_THROW(heavy_tails::plan_localized(shape_of_size(1000), pulled), InfeasibleError);
  LocalizedOptions over_a_ball = options;
  over_a_ball.common.domain = "ball:1";
  EXPECT_THROW(heavy_tails::plan_localized(shape_of_size(1000), over_a_ball), UsageError);
}

TEST(Localized, OptionsOfANetGoWithItsSolver) {
  Facts facts;
  facts.set("epsilon", 1.0);
  facts.set("net_points", std::int64_t{100});
  EXPECT_THROW(LocalizedOptions::from(facts), UsageError);
  facts.set("solver", std::string("net-exponential"));
  EXPECT_EQ(LocalizedOptions::from(facts).common.net.points, 100u);
}

// 40000 records, ε = 1: the localised fit finds the direction of a logistic model. Steps are rebuilt.
TEST(Localized, FindsTheModelAndItsStepIsRebuiltFromTheCertificate) {
  std::mt19937_64 random(2);
  std::normal_distribution<> normal;
  DenseRows rows{40000, 2, {}};
  Dataset data;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const double a = normal(random), b = normal(random);
    rows.values.insert(rows.values.end(), {a, b});
    data.labels.push_back(2 * a - b + normal(random) > 0 ? 1 : -1);
  }
  data.features = Features(std::move(rows));
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}};
  for (const char* solver : {"limited-output", "limited-objective", "double-output", "net-exponential"}) {
    Facts facts;
    facts.set("epsilon", 1.0);
    facts.set("row_norm_bound", 3.0);
    facts.set("solver", std::string(solver));
    if (solver == std::string("net-exponential")) facts.set("net_points", std::int64_t{1400});
    const auto bits = testing::seeded_bits(1);
    RootMeter meter({.limit = Pure{1}}, *bits);
    const Method& method = find_method("localized");
    const Release release = method.fit(problem, facts, meter);
    const Vector& w = release.parameters.value();
    EXPECT_GT((2 * w[0] - w[1]) / (std::sqrt(5.0) * w.norm()), 0.9) << solver;
    const auto rebuilt =
        method.rebuild_steps(release.certificate.options, release.certificate.assumed_public);
    ASSERT_EQ(rebuilt.size(), 1u);
    EXPECT_EQ(rebuilt[0].event, meter.steps()[0].event);
    EXPECT_EQ(rebuilt[0].grid, meter.steps()[0].grid);
    for (const double x : w) EXPECT_EQ(std::fmod(x, rebuilt[0].grid), 0);
  }
}

}  // namespace
}  // namespace tacit::heavy_tails
