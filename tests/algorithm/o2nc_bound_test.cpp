#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "algorithm/nonconvex/estimator.hpp"
#include "experiments/nonconvex/made_stream.hpp"
#include "o2nc_problem.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/root_meter.hpp"

// The theorem's bound: what it counts, what it chooses, and that runs keep it.

namespace tacit::nonconvex {
namespace {

using noise::PrefixKind;
using nonconvex_runs::MadeStream;
using testing::regression;
using testing::single;

Options by_theorem(PrefixKind kind) {
  Options options;
  options.target = Approx{1, 1e-6};
  options.schedule = Schedule::theorem;
  options.bound = Bound::frame;
  options.prefix = kind;
  options.smoothing = 0.1;
  options.threads = 1;
  return options;
}

TEST(O2ncBound, ErrorsOfPeriodOneAverageOutOverABlock) {
  Options options = by_theorem(PrefixKind::tree);
  options.period = 1;
  const RunShape run{100000, 3, 0.2};
  Sizes sizes{.steps = 4000, .averaging = 100, .directions = 3, .smoothing = 0.1, .step_cap = 0.001};
  const double fresh = std::sqrt(oracle_errors(run, sizes, options).fresh);
  const nonconvex::StationarityBound bound = stationarity_bound(run, sizes, options);
  EXPECT_NEAR(bound.oracle, fresh / 10, 1e-12);
  EXPECT_NEAR(bound.regret, 2 * std::sqrt((1 + fresh * fresh) / 100), 1e-12);
  EXPECT_NEAR(bound.progress, 1.1 / 4, 1e-12);
  EXPECT_EQ(bound.clipping, 0);
  // The step size is the best one.
  for (const double factor : {0.7, 1.4}) {
    options.step_size = factor * bound.step_size;
    EXPECT_GT(stationarity_bound(run, sizes, options).total(), bound.total());
  }
}

// The paper's point, with all constants: with enough records long periods pay, with few they do not.
TEST(O2ncBound, TheTheoremTakesLongPeriodsWhereTheyPay) {
  for (const PrefixKind kind : {PrefixKind::tree, PrefixKind::square_root}) {
    Options options = by_theorem(kind);
    const Plan many = nonconvex::plan_o2nc(1000000, 2, options);
    EXPECT_GT(many.sizes.period, 100u) << name(kind);
    EXPECT_EQ(nonconvex::plan_o2nc(10000, 5, options).sizes.period, 1u) << name(kind);
    options.period = 1;
    EXPECT_LT(many.bound->total(), 0.85 * nonconvex::plan_o2nc(1000000, 2, options).bound->total());
  }
  // The square root has less noise, so that it pays earlier.
  EXPECT_EQ(nonconvex::plan_o2nc(50000, 2, by_theorem(PrefixKind::tree)).sizes.period, 1u);
  EXPECT_GT(nonconvex::plan_o2nc(50000, 2, by_theorem(PrefixKind::square_root)).sizes.period, 1u);
}

TEST(O2ncBound, TheTheoremsBlocksAreOfWholePeriodsWithinTheBall) {
  for (const std::size_t n : {100u, 30000u, 3000000u, 400000000u}) {
    const Sizes sizes = theorem_sizes({n, 2, 0.2}, by_theorem(PrefixKind::square_root));
    EXPECT_EQ(sizes.averaging % sizes.period, 0u) << n;
    EXPECT_EQ(sizes.steps % sizes.averaging, 0u) << n;
    EXPECT_LE(static_cast<double>(sizes.averaging) * sizes.step_cap, 0.1 * (1 + 1e-9)) << n;
    Options asked;  // what it chooses may be asked for, so that a certificate of it can be read
    asked.steps = static_cast<std::int64_t>(sizes.steps);
    asked.averaging = static_cast<std::int64_t>(sizes.averaging);
    asked.period = static_cast<std::int64_t>(sizes.period);
    EXPECT_NO_THROW(asked.validate()) << n;
  }
}

// Estimates by values near a kink, clipped to L: a good share is, and the bias is below what is counted.
TEST(O2ncBound, CountsAtLeastTheBiasOfClipping) {
  constexpr std::size_t d = 6, slots = 20000;
  const auto loss = regression(1, d, 3);
  const RecordLoss record = record_loss(loss);
  Vector near_kink = Vector::Constant(d, 0.5);  // ⟨a, w⟩ = b
  near_kink += 0.1 * loss.rows.row(0).transpose();
  for (const std::size_t m : {1u, 3u, 6u, 24u}) {
    const nonconvex::BallEstimator estimator(record, Estimate::values, 0.2, 1, m, 5);
    Vector e(d), bias = Vector::Zero(d);
    std::size_t cut = 0;
    for (std::uint64_t slot = 0; slot < slots; ++slot) {
      estimator.gradient(near_kink, 0, slot, {e.data(), d});
      const double norm = e.norm();
      cut += norm > 1 ? 1 : 0;
      bias += (1 - std::min(1.0, 1 / norm)) / slots * e;
    }
    Options options = single(1);
    const Sizes sizes{.directions = m, .smoothing = 0.2, .step_cap = 0.01};
    const RunShape run{1000, d, 1};
    EXPECT_LE(bias.norm(), oracle_errors(run, sizes, options).fresh_bias) << m;
    EXPECT_TRUE(m >= d || cut > slots / 50) << m;
    EXPECT_GT(stationarity_bound(run, sizes, options).clipping, 0);
    options.bound = Bound::frame;
    EXPECT_EQ(stationarity_bound(run, sizes, options).clipping, 0);
  }
}

// By gradients a change of κ is a rare one of 2L: to clip it has a bias that outweighs what periods gain.
TEST(O2ncBound, ByGradientsTheTheoremTakesFreshOnes) {
  Options options = by_theorem(PrefixKind::square_root);
  options.estimate = Estimate::gradients;
  options.bound = Bound::smoothed;
  EXPECT_EQ(nonconvex::plan_o2nc(1000000, 2, options).sizes.period, 1u);
}

// The mean over blocks of Goldstein's norm: that of the returned point, in the mean over which is returned.
double norm_of_blocks(const MadeStream& loss, const Options& options, const Sizes& sizes,
                      std::uint64_t seed) {
  Vector sum = Vector::Zero(static_cast<Eigen::Index>(loss.dimension));
  double total = 0;
  const auto bits = testing::seeded_bits(seed);
  RootMeter meter({options.target}, *bits);
  minimise(record_loss(loss), loss.start(), options, meter, [&](std::size_t t, const Vector& z) {
    sum += z;
    if (t % sizes.averaging != 0) return;
    total += loss.goldstein_norm(sum / static_cast<double>(sizes.averaging), 2 * sizes.smoothing);
    sum.setZero();
  });
  return total / static_cast<double>(sizes.steps / sizes.averaging);
}

void expect_kept(Options options, std::size_t n, std::size_t d, int runs) {
  const Plan plan = nonconvex::plan_o2nc(n, d, options);
  const MadeStream loss{n, d, 7};
  // Not for nothing: the start does not keep it.
  EXPECT_LT(plan.bound->total(), loss.goldstein_norm(loss.start(), 0.2)) << n << " " << d;
  for (int k = 0; k < runs; ++k)
    EXPECT_LE(norm_of_blocks({n, d, static_cast<std::uint64_t>(k)}, options, plan.sizes,
                             static_cast<std::uint64_t>(k)),
              plan.bound->total());
}

TEST(O2ncBound, HoldsInEveryRun) {
  expect_kept(by_theorem(PrefixKind::square_root), 60000, 2, 1);
  Options tree = by_theorem(PrefixKind::tree);
  tree.period = 64;
  expect_kept(tree, 150000, 2, 1);
  Options first = by_theorem(PrefixKind::tree);
  first.estimate = Estimate::gradients;
  first.bound = Bound::smoothed;
  expect_kept(first, 100000, 2, 2);
  Options multi = by_theorem(PrefixKind::tree);
  multi.pass = Pass::multi;
  multi.work_limit = 1e8;  // so that the steps are few
  expect_kept(multi, 4000, 2, 1);
}

// Many runs, and clipping to L that is counted.
TEST(LongO2ncBound, HoldsInEveryRun) {
  for (const std::size_t d : {1u, 2u, 5u})
    for (const PrefixKind kind : {PrefixKind::tree, PrefixKind::square_root})
      expect_kept(by_theorem(kind), 1000000, d, 3);
  Options clipped = by_theorem(PrefixKind::square_root);
  clipped.bound = Bound::smoothed;
  clipped.directions = 400;
  expect_kept(clipped, 300000, 2, 1);
}

}  // namespace
}  // namespace tacit::nonconvex
