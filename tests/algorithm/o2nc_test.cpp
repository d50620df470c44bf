#include "algorithm/nonconvex/o2nc.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "o2nc_problem.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::nonconvex {
namespace {

using testing::AbsoluteLoss;
using testing::regression;
using testing::single;

Vector run(const AbsoluteLoss& loss, const Options& options, std::uint64_t seed) {
  const auto bits = testing::seeded_bits(seed);
  RootMeter meter({options.target}, *bits);
  return minimise(record_loss(loss), Vector::Zero(loss.rows.cols()), options, meter).value();
}

double mean_loss(const AbsoluteLoss& loss, const Vector& w) {
  return (loss.rows * w - loss.labels).cwiseAbs().mean();
}

TEST(O2nc, FindsTheMinimumOfARegressionInEveryVariant) {
  const AbsoluteLoss loss = regression(8000, 4, 2);
  const double at_start = mean_loss(loss, Vector::Zero(4));
  for (const Pass pass : {Pass::single, Pass::multi})
    for (const Estimate estimate : {Estimate::values, Estimate::gradients})
      for (const noise::PrefixKind prefix : {noise::PrefixKind::tree, noise::PrefixKind::square_root}) {
        if (pass == Pass::multi && prefix == noise::PrefixKind::tree) continue;
        Options options = single(2);
        options.pass = pass;
        options.estimate = estimate;
        options.prefix = prefix;
        options.steps = 64;
        options.period = 8;
        options.directions = 8;
        options.radius = 1;
        EXPECT_LT(mean_loss(loss, run(loss, options, 5)), 0.4 * at_start)
            << static_cast<int>(pass) << static_cast<int>(estimate) << static_cast<int>(prefix);
      }
}

TEST(O2nc, DoesNotDependOnTheNumberOfThreads) {
  const AbsoluteLoss loss = regression(3000, 3, 4);
  Options options = single(1);
  options.steps = 16;
  options.threads = 1;
  const Vector one = run(loss, options, 8);
  options.threads = 3;
  EXPECT_EQ(one, run(loss, options, 8));
}

TEST(O2nc, ReturnsTheMeanOfOneBlockOnItsGrid) {
  const AbsoluteLoss loss = regression(2000, 2, 4);
  Options options = single(1);
  options.steps = 24;
  options.averaging = 8;
  options.output = Output::random;
  const nonconvex::Plan plan = nonconvex::plan_o2nc(2000, 2, options);
  const auto bits = testing::seeded_bits(3);
  RootMeter meter({options.target}, *bits);
  std::vector<Vector> path;
  const Vector w =
      minimise(record_loss(loss), Vector::Zero(2), options, meter, [&](std::size_t, const Vector& z) {
        path.push_back(z);
      }).value();
  ASSERT_EQ(path.size(), 24u);
  double nearest = INFINITY;
  for (std::size_t k = 0; k < 3; ++k) {
    Vector mean = Vector::Zero(2);
    for (std::size_t i = 0; i < 8; ++i) mean += path[8 * k + i] / 8;
    nearest = std::min(nearest, (mean - w).norm());
  }
  EXPECT_LE(nearest, 2 * plan.release.grid);
  for (const double v : w) EXPECT_EQ(std::fmod(v, plan.release.grid), 0);
  for (std::size_t t = 1; t < path.size(); ++t)
    EXPECT_LE((path[t] - path[t - 1]).norm(), 2 * plan.sizes.step_cap * (1 + 1e-9));
}

// A loss that keeps no promise: huge, infinite, no number, without any continuity, one record unlike the
// other.
struct LawlessLoss {
  std::uint64_t first_record;  // what the first record holds; the others hold their number

  std::size_t records() const { return 40; }
  std::size_t parameters() const { return 3; }
  double wild(const Vector& w, std::size_t record, std::uint64_t k) const {
    std::uint64_t x = 977 * (record == 0 ? first_record : record) + 7919 * k;
    for (const double v : w) x = (x ^ std::bit_cast<std::uint64_t>(v)) * 0x9e3779b97f4a7c15u;
    x ^= x >> 29;
    switch (x % 8) {
      case 0:
        return INFINITY;
      case 1:
        return NAN;
      case 2:
        return -1e308;
      case 3:
        return 5e-324;
      default:
        return static_cast<double>(static_cast<std::int64_t>(x)) * 1e-18;
    }
  }
  double value(const Vector& w, std::size_t record) const { return wild(w, record, 9); }
  void gradient(const Vector& w, std::size_t record, std::span<double> g) const {
    for (std::size_t k = 0; k < g.size(); ++k) g[k] = wild(w, record, k % 2 == 0 ? 4 : k);
  }
};

std::vector<std::vector<double>> opened(const LawlessLoss& loss, const Options& options,
                                        const nonconvex::Plan& plan, std::uint64_t seed) {
  const auto bits = testing::seeded_bits(seed);
  RootMeter meter({options.target}, *bits);
  std::vector<std::vector<double>> seen;
  meter.watch([&](const Step&, std::span<const double> x) { seen.emplace_back(x.begin(), x.end()); });
  const RecordLoss record = record_loss(loss);
  const auto oracle = options.pass == Pass::single
                          ? nonconvex::single_pass_oracle(record, plan, options, meter)
                          : nonconvex::multi_pass_oracle(record, plan, options, meter);
  std::mt19937_64 random(seed);
  for (std::size_t t = 0; t < plan.sizes.steps; ++t)
    oracle(Vector::NullaryExpr(3, [&] { return static_cast<double>(random() % 1000) * 1e-4; }));
  return seen;
}

// The largest of what sums moved by, over what they may.
double largest_move(Pass pass, Estimate estimate, Bound bound) {
  Options options = single(1);
  options.pass = pass;
  options.estimate = estimate;
  options.bound = bound;
  options.steps = 8;
  options.period = 4;
  options.averaging = 1;
  options.step_cap = options.smoothing = 0.1;
  // A mean of several is shorter; of a frame it is as long as can be.
  options.directions = estimate == Estimate::values && bound != Bound::worst ? 3 : 1;
  const nonconvex::Plan plan = nonconvex::plan_o2nc(40, 3, options);
  double most = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto a = opened({.first_record = 1000 + seed}, options, plan, seed);
    const auto b = opened({.first_record = 5000 + seed}, options, plan, seed);
    EXPECT_EQ(a.size(), plan.sizes.steps);
    for (std::size_t t = 0; t < a.size(); ++t) {
      const Sensitivity& claimed = (t % 4 == 0 ? plan.start : plan.change).sensitivity;
      double moved = 0;
      for (std::size_t k = 0; k < a[t].size(); ++k) moved = std::hypot(moved, a[t][k] - b[t][k]);
      EXPECT_LE(moved, claimed.total());
      most = std::max(most, moved / claimed.total());
    }
  }
  return most;
}

TEST(O2nc, KeepsItsSensitivityForLossesThatKeepNoPromise) {
  constexpr double near = 0.8;  // else the pairs would prove little
  for (const Pass pass : {Pass::single, Pass::multi}) {
    for (const Bound bound : {Bound::smoothed, Bound::frame, Bound::worst})
      EXPECT_GT(largest_move(pass, Estimate::values, bound), near) << name(bound);
    EXPECT_GT(largest_move(pass, Estimate::gradients, Bound::smoothed), near);
  }
}

TEST(O2nc, ChargesOnceAndRefusesAnotherRelation) {
  const AbsoluteLoss loss = regression(500, 2, 4);
  const auto bits = testing::seeded_bits(3);
  Options options = single(1);
  options.steps = 8;
  RootMeter meter({Gaussian{1}}, *bits);
  minimise(record_loss(loss), Vector::Zero(2), options, meter);
  EXPECT_EQ(meter.steps().size(), 1u);
  EXPECT_THROW(minimise(record_loss(loss), Vector::Zero(2), options, meter), BudgetError);
  RootMeter other({Gaussian{1}, Unit::item, Neighbours::add_remove}, *bits);
  EXPECT_THROW(minimise(record_loss(loss), Vector::Zero(2), options, other), UsageError);
  RootMeter third({Gaussian{1}}, *bits);
  EXPECT_THROW(minimise(record_loss(loss), Vector::Zero(3), options, third), UsageError);
}

TEST(O2nc, RefusesAStartThatIsNotFiniteBeforeTheFirstStep) {
  const AbsoluteLoss loss = regression(100, 2, 2);
  const Options options = single(2);
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const auto bits = testing::seeded_bits(1);
    RootMeter meter({options.target}, *bits);
    EXPECT_THROW(minimise(record_loss(loss), Vector::Constant(2, bad), options, meter), UsageError);
    EXPECT_TRUE(meter.steps().empty());
  }
}

}  // namespace
}  // namespace tacit::nonconvex
