#include "algorithm/clipping/clip_norm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "privacy/accounting/calibrate.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::inline v1::clipping {
namespace {

// Softmax records whose Lipschitz constants are √2·(1 + i/n), i < n.
Dataset spread_norms(std::size_t n) {
  DenseRows rows{.rows = n, .columns = 1, .values = {}};
  for (std::size_t i = 0; i < n; ++i)
    rows.values.push_back(1 + static_cast<double>(i) / static_cast<double>(n));
  Dataset data;
  data.features = Features(std::move(rows));
  data.target_kind = TargetKind::classes;
  data.classes = {"a", "b"};
  data.labels.assign(n, 0);
  return data;
}

Problem softmax_problem(const Dataset& data) { return {.data = &data, .loss = Softmax{2}, .intercept = 0}; }

TEST(PrivateMin, GridIsGeometricAndPublic) {
  const auto grid = clip_norm_grid();
  EXPECT_EQ(grid.size(), 241);
  EXPECT_EQ(grid.front(), 0x1p-20);
  EXPECT_EQ(grid.back(), 0x1p40);
  for (std::size_t j = 1; j < grid.size(); ++j) EXPECT_NEAR(grid[j] / grid[j - 1], std::exp2(0.25), 1e-12);
}

// n = 20000, ε = 0.1, q = 0.01: by the utility bound the rank is off by more than 20·ln(241/β) with
// probability β; at β = 1e-9 that is 524 ranks. 50 draws: false alarm 5e-8.
TEST(PrivateMin, IsALowQuantileOfTheLipschitzConstants) {
  const std::size_t n = 20000;
  const Dataset data = spread_norms(n);
  const auto bits = testing::seeded_bits(1);
  for (int draw = 0; draw < 50; ++draw) {
    RootMeter meter({.limit = Pure{0.1}, .neighbours = Neighbours::zero_out}, *bits);
    const double tau = private_clip_norm(softmax_problem(data),
                                         {.epsilon = 0.1, .quantile = 0.01, .public_records = n}, meter)
                           .value();
    // The best on the grid is √2 = 2^{1/2} (utility −200) or below (−200); 2^{3/4} has 0.19n below it.
    EXPECT_LE(tau, std::numbers::sqrt2 * (1 + 0.01 + 724.0 / n));
    EXPECT_GT(tau, 0);
  }
}

TEST(PrivateMin, ChargesTheStepThatItPlans) {
  const Dataset data = spread_norms(100);
  const auto bits = testing::seeded_bits(2);
  RootMeter meter({.limit = Pure{1}, .neighbours = Neighbours::zero_out}, *bits);
  const PrivateMin options{.epsilon = 0.1, .quantile = 0.05, .public_records = 100};
  private_clip_norm(softmax_problem(data), options, meter);
  const Step planned = plan_private_clip_norm(options);
  ASSERT_EQ(meter.steps().size(), 1);
  EXPECT_EQ(meter.steps()[0].event, planned.event);
  EXPECT_EQ(meter.steps()[0].scale, planned.scale);
  EXPECT_EQ(planned.event, Event(BoundedRangeEvent{0.1}));
}

// What the exponential mechanism opens must move by at most 1 when a record becomes null, comes or goes, also
// for rows that overflow.
TEST(PrivateMin, ScoresMoveByAtMostOneWhenARecordGoes) {
  for (const double odd : {0.0, 1e-300, 1.0, 1e300, 1.5})
    for (const double q : {0.01, 0.5}) {
      std::vector<double> opened[2];
      for (int side = 0; side < 2; ++side) {
        Dataset data;
        DenseRows rows{.rows = 3, .columns = 1, .values = {1, 2, 1e10}};
        data.labels = {0, 0, 0};
        if (side == 1) rows.rows = 4, rows.values.push_back(odd), data.labels.push_back(0);
        data.features = Features(std::move(rows));
        data.target_kind = TargetKind::classes;
        data.classes = {"a", "b"};
        const auto bits = testing::seeded_bits(3);
        RootMeter meter({.limit = Pure{1}, .neighbours = Neighbours::add_remove}, *bits);
        meter.watch([&](const Step&, std::span<const double> x) { opened[side].assign(x.begin(), x.end()); });
        private_clip_norm(softmax_problem(data), {.epsilon = 1, .quantile = q, .public_records = 4}, meter);
      }
      for (std::size_t k = 0; k < opened[0].size(); ++k) EXPECT_LE(std::fabs(opened[0][k] - opened[1][k]), 1);
    }
}

TEST(PrivateMin, RefusesALossWithoutABound) {
  const Dataset data = spread_norms(10);
  const auto bits = testing::seeded_bits(4);
  RootMeter meter({.limit = Pure{1}, .neighbours = Neighbours::zero_out}, *bits);
  EXPECT_THROW(private_clip_norm({.data = &data, .loss = Link{LinkKind::squared}},
                                 {.epsilon = 1, .quantile = 0.1, .public_records = 10}, meter),
               UsageError);
  EXPECT_TRUE(meter.steps().empty());
}

TEST(PrivateMin, NoiseBesideItKeepsTheTargetAndCostsLittle) {
  const Approx target{2, 1e-5};
  const Event choice = BoundedRangeEvent{0.1};
  const double rate = 500.0 / 60000, alone = calibrate_noise(target, rate, 2400);
  const double beside = calibrate_noise_beside({&choice, 1}, target, rate, 2400);
  const std::vector<Event> events = {choice, PoissonGaussianEvent{beside, rate, 2400}};
  const double epsilon = account(events, target.delta).epsilon_upper;
  EXPECT_LE(epsilon, 2);
  EXPECT_GT(epsilon, 2 * 0.998);
  EXPECT_GT(beside, alone);
  // Less than giving the steps what a plain sum would leave them, ε = 1.9.
  EXPECT_LT(beside, calibrate_noise(Approx{1.9, 1e-5}, rate, 2400));
  const Event too_much = PureEvent{2.5};
  EXPECT_THROW(calibrate_noise_beside({&too_much, 1}, target, rate, 2400), UsageError);
}

TEST(NoisyMin, StaysInItsRangeAndCostsWhatWasAsked) {
  const Dataset data = spread_norms(50);
  const auto bits = testing::seeded_bits(5);
  for (int draw = 0; draw < 20; ++draw) {
    RootMeter meter({.limit = Pure{0.3}, .neighbours = Neighbours::zero_out}, *bits);
    const double tau =
        noisy_min_clip_norm(softmax_problem(data), {.epsilon = 0.3, .bound = 4}, meter).value();
    EXPECT_GE(tau, 0);
    EXPECT_LE(tau, 4);
    EXPECT_LE(std::get<Pure>(meter.spent()).epsilon, 0.3);
    EXPECT_EQ(meter.steps().size(), 2);
  }
}

}  // namespace
}  // namespace tacit::inline v1::clipping
