#include <gtest/gtest.h>

#include "o2nc_presence.hpp"
#include "privacy/accounting/calibrate.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"
#include "tacit/root_meter.hpp"

// Steps over Poisson batches [docs/o2nc.md, "Sampled batches"].

namespace tacit::nonconvex {
namespace {

using testing::AbsoluteLoss;
using testing::regression;

Options sampled(double epsilon) {
  Options options;
  options.target = Approx{epsilon, 1e-6};
  options.pass = Pass::sampled;
  return options;
}

Budget zero_out(const Options& options) { return {options.target, Unit::item, Neighbours::zero_out}; }

TEST(O2ncSampled, ChargesItsTwoKindsOfStepsWithinTheTarget) {
  Options options = sampled(1);
  options.steps = 64;
  options.period = 8;
  const std::vector<Step> steps = nonconvex::plan_o2nc(5000, 6, options).charged();
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(std::get<PoissonGaussianEvent>(steps[0].event).steps, 8u);
  EXPECT_EQ(std::get<PoissonGaussianEvent>(steps[1].event).steps, 56u);
  const std::vector<Event> events = {steps[0].event, steps[1].event};
  const double spent = std::get<Approx>(compose(events, options.target)).epsilon;
  EXPECT_LE(spent, 1);
  EXPECT_GT(spent, 0.998);
}

TEST(O2ncSampled, IsOneEventWhereEveryGradientIsFresh) {
  Options options = sampled(1);
  options.steps = 64;
  options.period = 1;
  options.batch = 100;
  const std::vector<Step> steps = nonconvex::plan_o2nc(5000, 6, options).charged();
  ASSERT_EQ(steps.size(), 1u);
  const auto event = std::get<PoissonGaussianEvent>(steps[0].event);
  EXPECT_EQ(event.rate, 0.02);
  EXPECT_EQ(event.noise_multiplier, calibrate_noise(options.target, 0.02, 64));
}

// Everyone joins.
testing::MakeOracle sampled_oracles(const Plan& plan, const Options& options) {
  return [&](const RecordLoss& record, Meter& meter) { return sampled_oracle(record, plan, options, meter); };
}

// Would the directions of a record follow its place in the batch, or the number of those that are there, all
// contributions would move.
TEST(O2ncSampled, MovesByNoMoreThanTheOneWhoIsThereOrNot) {
  for (const Estimate estimate : {Estimate::values, Estimate::gradients}) {
    Options options = sampled(1);
    options.estimate = estimate;
    testing::make_short(options);
    options.batch = options.records = 40;
    const Plan plan = plan_o2nc(40, 3, options);
    double most = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const std::vector<double> moves =
          testing::moves_of_last(plan, zero_out(options), seed, sampled_oracles(plan, options));
      ASSERT_EQ(moves.size(), 8u);
      const double largest = *std::ranges::max_element(moves);
      ASSERT_LE(largest, 1);
      most = std::max(most, largest);
    }
    EXPECT_GT(most, 0.9) << "the pairs do not come near the bound, so they prove little";
  }
}

// Records that know the directions which their places in the file would get: without the first of them all
// others are at another place. With secret places few meet theirs, whoever is there.
TEST(O2ncSampled, DirectionsDoNotFollowFromTheOrderOfTheRecords) {
  constexpr std::size_t n = 60;
  Options options = sampled(1);
  options.estimate = Estimate::gradients;
  options.steps = options.period = options.averaging = options.directions = 1;
  options.batch = options.records = n;
  options.smoothing = options.step_cap = 0.1;
  const nonconvex::Plan plan = nonconvex::plan_o2nc(n, 3, options);
  std::uint64_t word = 0;  // the first that a run draws makes its directions, which may be public
  testing::seeded_bits(4)->fill({&word, 1});
  const testing::Distrustful all = testing::who_know(word, n);
  const auto sum_of = [&](const testing::Distrustful& records) {
    return testing::first_sum(records, zero_out(options), sampled_oracles(plan, options));
  };
  const double one = plan.start.sensitivity.total();
  EXPECT_LT(std::fabs(sum_of(all) - sum_of(all.without_the_first())), 12 * one);
  EXPECT_LT(sum_of(all), -(static_cast<double>(n) - 12) * one);
}

double loss_after(const Options& options, const AbsoluteLoss& loss, std::uint64_t seed) {
  const auto bits = testing::seeded_bits(seed);
  RootMeter meter(zero_out(options), *bits);
  const Vector w = minimise(record_loss(loss), Vector::Zero(loss.rows.cols()), options, meter).value();
  return (loss.rows * w - loss.labels).cwiseAbs().mean();
}

TEST(O2ncSampled, FindsTheMinimumOfARegressionAndDoesNotDependOnThreads) {
  const AbsoluteLoss loss = regression(8000, 4, 2);
  for (const Estimate estimate : {Estimate::values, Estimate::gradients}) {
    Options options = sampled(2);
    options.estimate = estimate;
    options.radius = 1;
    options.threads = 1;
    const double found = loss_after(options, loss, 5);
    EXPECT_LT(found, 0.4 * loss.labels.cwiseAbs().mean());
    options.threads = 3;
    EXPECT_EQ(found, loss_after(options, loss, 5));
  }
}

TEST(O2ncSampled, RefusesOtherRelationsNotionsAndSizes) {
  const AbsoluteLoss loss = regression(50, 2, 4);
  const auto bits = testing::seeded_bits(3);
  const auto fit = [&](const Options& options, Neighbours relation) {
    RootMeter meter({options.target, Unit::item, relation}, *bits);
    minimise(record_loss(loss), Vector::Zero(2), options, meter);
  };
  Options options = sampled(1);
  options.steps = 2;
  EXPECT_NO_THROW(fit(options, Neighbours::zero_out));
  EXPECT_THROW(fit(options, Neighbours::replace_one), UsageError);
  EXPECT_THROW(fit(options, Neighbours::add_remove), UsageError);
  options.batch = 51;
  EXPECT_THROW(fit(options, Neighbours::zero_out), UsageError);
  options.records = 60;
  EXPECT_NO_THROW(fit(options, Neighbours::zero_out));
  options.records = 49;
  EXPECT_THROW(fit(options, Neighbours::zero_out), UsageError);
  options = sampled(1);
  options.target = Gaussian{1};
  EXPECT_THROW(fit(options, Neighbours::zero_out), UsageError);
  options = sampled(1);
  options.pass = Pass::multi;
  options.batch = 10;
  EXPECT_THROW(fit(options, Neighbours::replace_one), UsageError) << "a batch without effect";
}

}  // namespace
}  // namespace tacit::nonconvex
