#include "algorithm/heavy_tails/limited_output.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/adversarial.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/root_meter.hpp"

namespace tacit {
namespace {

// Runs the method on both neighbours with the same bits and compares what it opened with what it claimed.
double replayed_movement(const testing::NeighbourPair& pair, const LossSpec& loss, double& claimed) {
  std::vector<double> opened[2];
  for (int side = 0; side < 2; ++side) {
    const Problem problem{.data = side == 0 ? &pair.first : &pair.second, .loss = loss};
    const auto bits = testing::seeded_bits(3);
    RootMeter meter({.limit = Pure{1}}, *bits);
    meter.watch([&](const Step& step, std::span<const double> value) {
      opened[side].assign(value.begin(), value.end());
      claimed = step.sensitivity.total();
    });
    const Release release = heavy_tails::limited_output(
        problem, {.epsilon = 1, .row_norm_bound = 2.0, .label_bound = 10.0}, meter);
    EXPECT_TRUE(release.certificate.watched);
  }
  double square = 0;
  EXPECT_EQ(opened[0].size(), opened[1].size());
  EXPECT_FALSE(opened[0].empty());
  for (std::size_t k = 0; k < opened[0].size(); ++k) square += std::pow(opened[0][k] - opened[1][k], 2);
  return std::sqrt(square);
}

TEST(LimitedOutput, ReplayedSensitivityHoldsOnAdversarialNeighboursAndHalfOfItDoesNot) {
  const std::vector<LossSpec> losses = {Link{LinkKind::logistic, 0}, Link{LinkKind::absolute, 0},
                                        Link{LinkKind::squared, 0},  Link{LinkKind::hinge, 0},
                                        Link{LinkKind::poisson, 0},  Softmax{3}};
  double tightest = 0;
  for (const LossSpec& loss : losses)
    for (const auto& pair : testing::adversarial_pairs(loss, 15, 3, 2)) {
      double claimed = 0;
      const double moved = replayed_movement(pair, loss, claimed);
      EXPECT_LE(moved, claimed) << pair.what;
      tightest = std::max(tightest, moved / claimed);
    }
  EXPECT_GT(tightest, 0.5) << "no pair comes near the bound: halving the sensitivity would go unnoticed";
}

TEST(LimitedOutput, PlanSpendsTheWholeBudgetAndNoMore) {
  const Shape shape{
      .records = 500, .features = 4, .outputs = 1, .loss = Link{LinkKind::logistic, 0}, .intercept = 1};
  for (const double epsilon : {0.01, 0.3, 1.0, 7.0}) {
    const auto plan = heavy_tails::plan_limited_output(shape, {.epsilon = epsilon, .row_norm_bound = 2.0});
    const double cost = std::get<IsotropicLaplaceEvent>(plan.release.event).epsilon;
    EXPECT_LE(cost, epsilon);
    EXPECT_GT(cost, epsilon * (1 - 1e-9));
    EXPECT_GE(plan.sensitivity.total(), 2 * plan.limits.slope / (500 * plan.regularisation));
  }
}

}  // namespace
}  // namespace tacit
