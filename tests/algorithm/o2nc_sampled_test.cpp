#include <gtest/gtest.h>

#include "algorithm/nonconvex/estimator.hpp"
#include "o2nc_problem.hpp"
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

// The sums that are opened along one path, everyone joining, with the last record there or not.
std::vector<std::vector<double>> opened(const AbsoluteLoss& loss, const Options& options,
                                        std::uint64_t seed) {
  const auto bits = testing::seeded_bits(seed);
  RootMeter meter(zero_out(options), *bits);
  std::vector<std::vector<double>> seen;
  const nonconvex::Plan plan = nonconvex::plan_o2nc(40, loss.parameters(), options);
  const RecordLoss record = record_loss(loss);
  meter.watch([&](const Step&, std::span<const double> x) { seen.emplace_back(x.begin(), x.end()); });
  const auto oracle = nonconvex::sampled_oracle(record, plan, options, meter);
  for (std::size_t t = 0; t < plan.sizes.steps; ++t)
    oracle(Vector::Constant(3, 0.01 * static_cast<double>((t * 7 + seed) % 5)));
  return seen;
}

// Would the directions of a record follow its place in the batch, or the number of those that are there, all
// contributions would move.
TEST(O2ncSampled, MovesByNoMoreThanTheOneWhoIsThereOrNot) {
  for (const Estimate estimate : {Estimate::values, Estimate::gradients}) {
    Options options = sampled(1);
    options.estimate = estimate;
    options.steps = 8;
    options.period = 4;
    options.averaging = 1;
    options.batch = options.records = 40;
    options.smoothing = options.step_cap = 0.1;
    options.directions = 3;
    const nonconvex::Plan plan = nonconvex::plan_o2nc(40, 3, options);
    double most = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      AbsoluteLoss all = regression(40, 3, static_cast<unsigned>(seed));
      all.rows.row(39) *= seed % 2 == 0 ? 50 : 1e200;
      const AbsoluteLoss fewer{all.rows.topRows(39), all.labels.head(39)};
      const auto a = opened(all, options, seed), b = opened(fewer, options, seed);
      ASSERT_EQ(a.size(), 8u);
      for (std::size_t t = 0; t < a.size(); ++t) {
        double moved = 0;
        for (std::size_t k = 0; k < a[t].size(); ++k) moved = std::hypot(moved, a[t][k] - b[t][k]);
        const double claimed = (t % 4 == 0 ? plan.start : plan.change).sensitivity.total();
        ASSERT_LE(moved, claimed);
        most = std::max(most, moved / claimed);
      }
    }
    EXPECT_GT(most, 0.9) << "the pairs do not come near the bound, so they prove little";
  }
}

// Remembers where it was asked.
struct Spy {
  std::size_t records() const { return 1; }
  std::size_t parameters() const { return 3; }
  double value(const Vector&, std::size_t) const { return 0; }
  void gradient(const Vector& w, std::size_t, std::span<double> g) const {
    at = w;
    std::ranges::fill(g, 0.0);
  }
  mutable Vector at;
};

// Pulls up where it is asked with the directions of the slot that its label names, down elsewhere.
struct Suspicious {
  std::vector<Vector> points;  // by slot
  std::vector<std::size_t> labels;

  std::size_t records() const { return labels.size(); }
  std::size_t parameters() const { return 3; }
  double value(const Vector&, std::size_t) const { return 0; }
  void gradient(const Vector& w, std::size_t i, std::span<double> g) const {
    std::ranges::fill(g, 0.0);
    g[0] = w == points[labels[i]] ? 1 : -1;
  }
};

double first_sum(const Suspicious& loss, const Options& options, const nonconvex::Plan& plan) {
  const auto bits = testing::seeded_bits(4);
  RootMeter meter(zero_out(options), *bits);
  const RecordLoss record = record_loss(loss);
  double seen = 0;
  meter.watch([&](const Step&, std::span<const double> x) { seen = x[0]; });
  nonconvex::sampled_oracle(record, plan, options, meter)(Vector::Zero(3));
  return seen;
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
  const Spy spy;
  const RecordLoss spied = record_loss(spy);
  const nonconvex::BallEstimator estimator(spied, Estimate::gradients, 0.1, 1, 1, word);
  Suspicious all, fewer;
  Vector unused(3);
  for (std::size_t slot = 0; slot < n; ++slot) {
    estimator.gradient(Vector::Zero(3), 0, slot, {unused.data(), 3});
    all.points.push_back(spy.at);
    all.labels.push_back(slot);
  }
  fewer.points = all.points;
  fewer.labels.assign(all.labels.begin() + 1, all.labels.end());
  const double one = plan.start.sensitivity.total();
  EXPECT_LT(std::fabs(first_sum(all, options, plan) - first_sum(fewer, options, plan)), 12 * one);
  EXPECT_LT(first_sum(all, options, plan), -(static_cast<double>(n) - 12) * one);
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
