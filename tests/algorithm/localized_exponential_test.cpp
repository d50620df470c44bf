#include "algorithm/heavy_tails/localized_exponential.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>

#include "support/adversarial.hpp"
#include "support/seeded_bits.hpp"
#include "support/shapes.hpp"
#include "tacit/core.hpp"
#include "tacit/method.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::heavy_tails {
namespace {

Dataset few_records() {
  Dataset data;
  data.features = Features(DenseRows{4, 1, {1, -0.5, 0.25, 2}});
  data.labels = {1, -1, 1, -1};
  return data;
}

TEST(LocalizedExponential, RefusesTooManyParametersInOneLineWithTheNumberOfCells) {
  for (const std::size_t features : {5u, 40u}) try {
      heavy_tails::plan_localized_exponential(testing::linear_shape(1000, features),
                                              {.common = {.row_norm_bound = 2.0}});
      ADD_FAILURE() << "nothing was thrown";
    } catch (const InfeasibleError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(std::to_string(features) + " parameters and 1000 records"), std::string::npos);
      EXPECT_NE(message.find("would be needed"), std::string::npos) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos);
    }
  EXPECT_THROW(heavy_tails::plan_localized_exponential(testing::linear_shape(10, 2), {.cells = 2}),
               UsageError);
}

TEST(LocalizedExponential, RefusesExtremeOptionsBeforeItSpendsAnything) {
  EXPECT_THROW(heavy_tails::plan_localized_exponential(testing::linear_shape(10, 2),
                                                       {.common = {.epsilon = 1e9, .row_norm_bound = 2.0}}),
               InfeasibleError);
  EXPECT_THROW(heavy_tails::plan_localized_exponential(
                   testing::linear_shape(10, 1), {.common = {.regularisation = 0x1p60, .row_norm_bound = 2.0},
                                                  .cells = std::size_t{1} << 22}),
               InfeasibleError);
}

TEST(LocalizedExponential, CellsFollowFromPublicValuesAndKeepTheVariationSmall) {
  for (const std::size_t records : {10u, 100u, 1000u}) {
    const auto plan = heavy_tails::plan_localized_exponential(testing::linear_shape(records, 2),
                                                              {.common = {.row_norm_bound = 2.0}});
    EXPECT_LE(noise::cell_variation(plan.choice), 4);
    EXPECT_LE(plan.choice.cells.radius, 2 * 10 * (1 + 0x1p-7));
    EXPECT_NEAR(plan.choice.sensitivity.total(), 2 * plan.record_bound, 1e-8 * plan.record_bound);
  }
}

// Where cells for a small variation would be too many they are coarser, and a trial is accepted less often.
TEST(LocalizedExponential, MoreParametersTakeCoarserCells) {
  for (const std::size_t features : {3u, 4u, 5u}) {
    const std::size_t cells = std::size_t{1} << (features == 5 ? 23 : 20);
    const CellOptions options{.common = {.radius = 2, .row_norm_bound = 2.0}, .cells = cells};
    const auto plan = heavy_tails::plan_localized_exponential(testing::linear_shape(500, features), options);
    EXPECT_LE(noise::count_in_cube(plan.choice.cells), static_cast<double>(cells));
    EXPECT_LE(noise::cell_variation(plan.choice), features == 3 ? 4 : 8);
    EXPECT_GT(noise::cell_variation(plan.choice), features == 3 ? 0 : 4) << "finer ones would be too many";
  }
}

// The second stage around a fixed anchor, from the formulas: the weights exp(−ε₂(F(w) − F(anchor))/(4C(r +
// h))) over every 8th point. Chi-square in quarters of cells with at least 20 expected, n = 15000, false
// alarm 1e-6, fixed seed. With twice the ε it must fail.
TEST(LocalizedExponential, ChoosesByTheRegularisedLossInTheBall) {
  const Dataset data = few_records();
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}, .intercept = 0};
  const CellOptions options{
      .common = {.epsilon = 12, .slope_limit = 2.0, .curvature_limit = 1.0, .radius = 1, .threads = 1}};
  const auto plan = heavy_tails::plan_localized_exponential(shape_of(problem), options);
  const noise::Cells& cells = plan.choice.cells;
  const double anchor = 16 * plan.second.grid, reach = cells.radius + noise::half_diagonal(cells);

  const double c = plan.first.limits.slope, q = plan.first.limits.curvature;
  const auto loss = [&](double w) {
    double sum = 2 * plan.first.regularisation * w * w;
    for (std::size_t i = 0; i < 4; ++i) {
      // Every record obeys both limits: its loss is the plain one.
      const double a = data.features.row(i).values[0], y = data.labels[i];
      EXPECT_LE(std::fabs(a), c);
      EXPECT_LE(a * a / 4, q);
      sum += std::log1p(std::exp(-y * a * w));
    }
    return sum;
  };
  const double far = std::ceil(cells.radius / cells.side), step = cells.side / 128;
  const auto misfit = [&](const std::vector<double>& draws, double epsilon) {
    const auto index = [&](double w) {
      return static_cast<std::size_t>(std::floor((w - anchor + far * cells.side) * 4 / cells.side));
    };
    std::vector<double> expected(static_cast<std::size_t>(8 * far)), seen(expected.size());
    double total = 0, sum = 0;
    for (double k = 0.5; k < 2 * far * 128; ++k) {
      const double offset = k * step - far * cells.side;
      if (std::fabs((std::floor(offset / cells.side) + 0.5) * cells.side) > cells.radius) continue;
      const double weight = std::exp(-epsilon / 2 * (loss(anchor + offset) - loss(anchor)) / (4 * c * reach));
      expected[index(anchor + offset)] += weight;
      total += weight;
    }
    for (const double w : draws) seen[index(w)] += 1;
    int pieces = 0;
    for (std::size_t k = 0; k < seen.size(); ++k) {
      const double mean = static_cast<double>(draws.size()) * expected[k] / total;
      if (mean < 20) continue;
      ++pieces;
      sum += (seen[k] - mean) * (seen[k] - mean) / mean;
    }
    return sum / boost::math::quantile(boost::math::complement(boost::math::chi_squared(pieces), 1e-6));
  };

  std::vector<double> draws;
  const auto bits = testing::seeded_bits(4);
  for (int k = 0; k < 15000; ++k) {
    RootMeter meter({.limit = Pure{12}}, *bits);
    draws.push_back(
        heavy_tails::exponential_around(Vector::Constant(1, anchor), plan, problem, options, meter)
            .value()[0]);
  }
  EXPECT_LT(misfit(draws, 12), 1);
  EXPECT_GT(misfit(draws, 24), 1);
}

TEST(LocalizedExponential, ScoresKeepTheirSensitivityOnAdversarialNeighboursAndHalfOfItDoesNotDo) {
  double tightest = 0;
  for (const LossSpec& loss :
       {LossSpec(Link{LinkKind::logistic, 0}), LossSpec(Link{LinkKind::hinge, 0}),
        LossSpec(Link{LinkKind::squared, 0}), LossSpec(Link{LinkKind::poisson, 0}), LossSpec(Softmax{3})})
    for (const auto& pair : testing::adversarial_pairs(loss, 12, 1, 2)) {
      std::vector<double> opened[2];
      double claimed = 0;
      for (int side = 0; side < 2; ++side) {
        const Problem problem{.data = side == 0 ? &pair.first : &pair.second, .loss = loss};
        const CellOptions options{.common = {.epsilon = 1,
                                             .regularisation = 10.0,
                                             .radius = 2,
                                             .row_norm_bound = 2.0,
                                             .label_bound = 10.0,
                                             .threads = 1}};
        const auto plan = heavy_tails::plan_localized_exponential(shape_of(problem), options);
        const auto bits = testing::seeded_bits(3);
        RootMeter meter({.limit = Pure{1}}, *bits);
        meter.watch([&](const Step& step, std::span<const double> value) {
          opened[side].assign(value.begin(), value.end());
          claimed = step.sensitivity.total();
        });
        const Vector anchor =
            Vector::Constant(static_cast<Eigen::Index>(plan.second.dimension), -100 * plan.second.grid);
        heavy_tails::exponential_around(anchor, plan, problem, options, meter);
      }
      for (std::size_t k = 0; k < opened[0].size(); ++k) {
        const double moved = std::fabs(opened[0][k] - opened[1][k]);
        EXPECT_LE(moved, claimed) << pair.what;
        tightest = std::max(tightest, moved / claimed);
      }
    }
  EXPECT_GT(tightest, 0.5);
}

TEST(LocalizedExponential, BothStepsAreRebuiltFromTheCertificateAndSpendTheBudget) {
  const Dataset data = few_records();
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}};
  const Method& method = find_method("localized-exponential");
  Facts facts;
  facts.set("epsilon", 1.0);
  facts.set("row_norm_bound", 2.0);
  const auto bits = testing::seeded_bits(1);
  RootMeter meter({.limit = Pure{1}}, *bits);
  const Release release = method.fit(problem, facts, meter);
  const auto rebuilt = method.rebuild_steps(release.certificate.options, release.certificate.assumed_public);
  ASSERT_EQ(rebuilt.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(rebuilt[k].mechanism, meter.steps()[k].mechanism);
    EXPECT_EQ(rebuilt[k].scale, meter.steps()[k].scale);
    EXPECT_EQ(rebuilt[k].grid, meter.steps()[k].grid);
    EXPECT_EQ(rebuilt[k].sensitivity.total(), meter.steps()[k].sensitivity.total());
  }
  for (const double w : release.parameters.value()) EXPECT_EQ(std::fmod(w, rebuilt[1].grid), 0);
}

}  // namespace
}  // namespace tacit::heavy_tails
