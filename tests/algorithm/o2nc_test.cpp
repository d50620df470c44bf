#include "tacit/algorithm/nonconvex/o2nc.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "support/seeded_bits.hpp"
#include "tacit/algorithm/nonconvex/estimator.hpp"
#include "tacit/algorithm/nonconvex/smoothing.hpp"
#include "tacit/core/error.hpp"

namespace tacit {
namespace {

using nonconvex::Bound;
using nonconvex::Estimate;
using nonconvex::Options;
using nonconvex::Output;
using nonconvex::Pass;

// f_i(w) = |⟨a_i, w⟩ − b_i|, by value and by gradient.
struct AbsoluteLoss {
  Matrix rows;
  Vector labels;

  std::size_t records() const { return static_cast<std::size_t>(rows.rows()); }
  std::size_t parameters() const { return static_cast<std::size_t>(rows.cols()); }
  double margin(const Vector& w, std::size_t i) const {
    return rows.row(static_cast<Eigen::Index>(i)).dot(w) - labels[static_cast<Eigen::Index>(i)];
  }
  double value(const Vector& w, std::size_t i) const { return std::fabs(margin(w, i)); }
  void gradient(const Vector& w, std::size_t i, std::span<double> g) const {
    const double side = margin(w, i) > 0 ? 1 : -1;
    for (std::size_t k = 0; k < g.size(); ++k)
      g[k] = side * rows(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k));
  }
};

AbsoluteLoss regression(Eigen::Index records, Eigen::Index d, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> normal;
  AbsoluteLoss loss{Matrix::NullaryExpr(records, d, [&] { return normal(random); }), {}};
  loss.rows.rowwise().normalize();
  loss.labels = loss.rows * Vector::Constant(d, 0.5);
  return loss;
}

Options single(double mu) {
  Options options;
  options.target = Gaussian{mu};
  return options;
}

TEST(BallSmoothing, HasTheDesignsConstants) {
  EXPECT_NEAR(nonconvex::smoothness_constant(1), 1, 1e-12);
  EXPECT_NEAR(nonconvex::smoothness_constant(2), 4 / std::numbers::pi, 1e-12);  // (2/π)·d!!/(d−1)!!, d even
  EXPECT_NEAR(nonconvex::smoothness_constant(3), 1.5, 1e-12);                   // d!!/(d−1)!!, d odd
  EXPECT_NEAR(nonconvex::smoothness_constant(100), std::sqrt(200 / std::numbers::pi), 0.05);
}

TEST(BallSmoothing, ChangesOfTheGradientAreBelowBothSimpleBoundsAndMeetThemAtTheEnds) {
  for (const std::size_t d : {1u, 2u, 5u, 40u, 1000u}) {
    const double s = nonconvex::smoothness_constant(d);
    for (double r = 1e-6; r < 3; r *= 1.3) {
      const double change = nonconvex::gradient_change(d, r, 1);
      EXPECT_LE(change, std::min(2.0, s * r) * (1 + 1e-9)) << d << " " << r;
    }
    EXPECT_NEAR(nonconvex::gradient_change(d, 1e-7, 1), s * 1e-7, 1e-6 * s * 1e-7);
    EXPECT_EQ(nonconvex::gradient_change(d, 2, 1), 2);
  }
}

// Of L|u₁| at 0: the smoothed gradient at x is P(U₁ < x/α) − P(U₁ > x/α), the worst case up to second order.
TEST(BallSmoothing, EstimatesAreUnbiasedForBothOracles) {
  struct FirstCoordinate {
    std::size_t records() const { return 1; }
    std::size_t parameters() const { return 4; }
    double value(const Vector& w, std::size_t) const { return std::fabs(w[0]); }
    void gradient(const Vector& w, std::size_t, std::span<double> g) const {
      std::ranges::fill(g, 0.0);
      g[0] = w[0] > 0 ? 1 : -1;
    }
  };
  const FirstCoordinate loss;
  const RecordLoss record = record_loss(loss);
  const Vector z{{0.3, 1.0, -2.0, 0.5}};
  // P(U₁ > t) = ½·I_{1−t²}((d+1)/2, ½): half of what gradient_change's complement measures at distance 2t.
  const double expected = 0.5 * nonconvex::gradient_change(4, 0.6, 1);
  constexpr std::size_t directions = 400, slots = 500;
  for (const Estimate kind : {Estimate::values, Estimate::gradients}) {
    const nonconvex::BallEstimator estimator(record, kind, 1, 1, directions, 99);
    Vector sum = Vector::Zero(4), one(4);
    for (std::uint64_t slot = 0; slot < slots; ++slot) {
      estimator.gradient(z, 0, slot, {one.data(), 4});
      sum += one / slots;
    }
    // n = 2·10⁵ draws of variance ≤ d²/(d−1) < 6: six standard deviations, false alarm < 1e-8 a coordinate.
    const double six = 6 * std::sqrt(6.0 / (directions * slots));
    EXPECT_NEAR(sum[0], expected, six) << static_cast<int>(kind);
    for (int k = 1; k < 4; ++k) EXPECT_NEAR(sum[k], 0, six);
  }
}

TEST(BallEstimator, TakesTheSameDirectionsAtBothPoints) {
  const AbsoluteLoss loss = regression(1, 6, 1);
  const RecordLoss record = record_loss(loss);
  const nonconvex::BallEstimator estimator(record, Estimate::values, 0.5, 1, 7, 5);
  const Vector z = Vector::Constant(6, 0.2), before = Vector::Constant(6, 0.1);
  Vector a(6), b(6), change(6);
  estimator.gradient(z, 0, 3, {a.data(), 6});
  estimator.gradient(before, 0, 3, {b.data(), 6});
  estimator.change(z, before, 0, 3, {change.data(), 6});
  EXPECT_LE((a - b - change).norm(), 1e-12);
  estimator.gradient(z, 0, 4, {b.data(), 6});
  EXPECT_GT((a - b).norm(), 1e-3) << "another slot has other directions";
}

TEST(BallEstimator, CountsWhatIsNotANumberAsNothing) {
  struct Nasty {
    std::size_t records() const { return 1; }
    std::size_t parameters() const { return 2; }
    double value(const Vector& w, std::size_t) const { return w[0] > 0 ? INFINITY : NAN; }
    void gradient(const Vector&, std::size_t, std::span<double> g) const { g[0] = NAN; }
  };
  const Nasty loss;
  const RecordLoss record = record_loss(loss);
  Vector g(2);
  for (const Estimate kind : {Estimate::values, Estimate::gradients}) {
    nonconvex::BallEstimator(record, kind, 1, 1, 5, 1).gradient(Vector::Zero(2), 0, 0, {g.data(), 2});
    EXPECT_TRUE(g.allFinite());
  }
  const RecordLoss values = record_loss(ValueLossArchetype{});
  EXPECT_THROW(nonconvex::BallEstimator(values, Estimate::gradients, 1, 1, 1, 1), UsageError);
}

TEST(O2ncPlan, ChargesTheTargetAndNoMore) {
  for (const Pass pass : {Pass::single, Pass::multi})
    for (const Guarantee& target : {Guarantee(Approx{1, 1e-5}), Guarantee(Gaussian{0.3})}) {
      Options options;
      options.pass = pass;
      options.target = target;
      options.period = 8;
      const nonconvex::Plan plan = nonconvex::plan_o2nc(20000, 10, options);
      const double mu = std::get<GaussianEvent>(plan.release.event).mu;
      EXPECT_LE(mu, nonconvex::mu_for(target));
      EXPECT_GE(mu, nonconvex::mu_for(target) * (1 - 1e-6));
    }
}

TEST(O2ncPlan, ComposesAMultiPassRunInSquares) {
  Options options = single(1);
  options.pass = Pass::multi;
  options.steps = 64;
  options.period = 16;
  const nonconvex::Plan plan = nonconvex::plan_o2nc(1000, 5, options);
  const double squares = 4 * plan.start.mu * plan.start.mu + 60 * plan.change.mu * plan.change.mu;
  EXPECT_NEAR(std::get<GaussianEvent>(plan.release.event).mu, std::sqrt(squares), 1e-9);
  EXPECT_GE(plan.start.sigma * plan.start.mu, plan.start.sensitivity.total() * (1 - 1e-12));
}

TEST(O2ncPlan, UsesEveryRecordAtMostOnceInASinglePass) {
  for (const std::int64_t period : {1, 2, 7, 64}) {
    Options options = single(1);
    options.steps = 192;
    options.period = period;
    const nonconvex::Plan plan = nonconvex::plan_o2nc(50000, 20, options);
    const std::size_t periods = plan.sizes.periods();
    const std::size_t used =
        periods * plan.start.batch + (plan.sizes.steps - periods) * (period == 1 ? 0 : plan.change.batch);
    EXPECT_LE(used, 50000u);
    EXPECT_GT(used, 40000u);
  }
  Options too_many = single(1);
  too_many.steps = 100;
  EXPECT_THROW(nonconvex::plan_o2nc(50, 5, too_many), InfeasibleError);
}

TEST(O2ncPlan, WorstCaseClippingCostsAFactorOfTheDimension) {
  Options options = single(1);
  options.period = 1;
  const nonconvex::Plan smoothed = nonconvex::plan_o2nc(10000, 30, options);
  options.bound = Bound::worst;
  const nonconvex::Plan worst = nonconvex::plan_o2nc(10000, 30, options);
  EXPECT_NEAR(worst.start.sigma / smoothed.start.sigma, 30, 1e-6);
}

TEST(O2ncPlan, TheoremMakesTheBoundSmallerThanTheRules) {
  Options options = single(1);
  options.smoothing = 0.2;
  const nonconvex::RunShape run{200000, 10, 1};
  const double by_rule = stationarity_bound(run, practical_sizes(run, options), options).total();
  EXPECT_LT(stationarity_bound(run, theorem_sizes(run, options), options).total(), by_rule);
  options.smoothing.reset();
  EXPECT_THROW(theorem_sizes(run, options), UsageError);
}

// Theorem 3.1: the bound falls at least like n^{−1/3}. Theorem 4.1: with all records in every step fewer do.
TEST(O2ncPlan, TheoremsBoundFallsWithTheRecordsAndFasterWhenTheyAreReused) {
  const auto bound = [](Pass pass, std::size_t n) {
    Options options = single(1);
    options.pass = pass;
    options.smoothing = 0.2;
    const nonconvex::RunShape run{n, 20, 1};
    return stationarity_bound(run, theorem_sizes(run, options), options).total();
  };
  double before = INFINITY;
  for (const std::size_t n : {100000u, 800000u, 6400000u}) {
    const double now = bound(Pass::single, n);
    EXPECT_LT(now, before / 1.9) << n;  // eightfold records
    before = now;
  }
  EXPECT_LT(bound(Pass::multi, 20000), bound(Pass::single, 20000) / 3);
  EXPECT_LT(bound(Pass::multi, 20000), bound(Pass::multi, 5000) / 1.6);
}

TEST(O2ncPlan, TheGapToThePopulationFallsLikeTheRootOfTheRecords) {
  const double few = nonconvex::population_gap(1000, 5, 0.1, 3, 0.01);
  const double many = nonconvex::population_gap(100000, 5, 0.1, 3, 0.01);
  EXPECT_GT(few / many, 8);
  EXPECT_LT(few / many, 10);
  EXPECT_LT(many, 0.06);
}

TEST(O2ncPlan, RefusesOptionsThatMakeNoSense) {
  Options options = single(1);
  options.lipschitz = 0;
  EXPECT_THROW(nonconvex::plan_o2nc(100, 2, options), UsageError);
  options = single(1);
  options.target = Pure{1};
  EXPECT_THROW(nonconvex::plan_o2nc(100, 2, options), UsageError);
  options = single(1);
  options.bound = Bound::worst;
  options.estimate = Estimate::gradients;
  EXPECT_THROW(nonconvex::plan_o2nc(100, 2, options), UsageError);
  options = single(1);
  options.steps = 0;
  EXPECT_THROW(nonconvex::plan_o2nc(100, 2, options), UsageError);
}

Vector run(const AbsoluteLoss& loss, const Options& options, std::uint64_t seed) {
  const auto bits = testing::seeded_bits(seed);
  Meter meter({options.target}, *bits);
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
  Meter meter({options.target}, *bits);
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
  Meter meter({options.target}, *bits);
  std::vector<std::vector<double>> seen;
  const Watcher watcher = [&](const Step&, std::span<const double> x) {
    seen.emplace_back(x.begin(), x.end());
  };
  const RecordLoss record = record_loss(loss);
  const auto oracle = options.pass == Pass::single
                          ? nonconvex::single_pass_oracle(record, plan, options, meter, watcher)
                          : nonconvex::multi_pass_oracle(record, plan, options, meter, watcher);
  std::mt19937_64 random(seed);
  for (std::size_t t = 0; t < plan.sizes.steps; ++t)
    oracle(Vector::NullaryExpr(3, [&] { return static_cast<double>(random() % 1000) * 1e-4; }));
  return seen;
}

TEST(O2nc, KeepsItsSensitivityForLossesThatKeepNoPromise) {
  for (const Pass pass : {Pass::single, Pass::multi})
    for (const Estimate estimate : {Estimate::values, Estimate::gradients}) {
      Options options = single(1);
      options.pass = pass;
      options.estimate = estimate;
      options.steps = 8;
      options.period = 4;
      options.averaging = 1;
      options.step_cap = options.smoothing = 0.1;
      options.directions = estimate == Estimate::values ? 3 : 1;  // a mean of several is shorter
      const nonconvex::Plan plan = nonconvex::plan_o2nc(40, 3, options);
      double most = 0;
      for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const auto a = opened({.first_record = 1000 + seed}, options, plan, seed);
        const auto b = opened({.first_record = 5000 + seed}, options, plan, seed);
        ASSERT_EQ(a.size(), plan.sizes.steps);
        for (std::size_t t = 0; t < a.size(); ++t) {
          const Sensitivity& claimed = (t % 4 == 0 ? plan.start : plan.change).sensitivity;
          double moved = 0;
          for (std::size_t k = 0; k < a[t].size(); ++k) moved = std::hypot(moved, a[t][k] - b[t][k]);
          ASSERT_LE(moved, claimed.total());
          most = std::max(most, moved / claimed.total());
        }
      }
      EXPECT_GT(most, 0.8) << "the pairs do not come near the bound, so they prove little";
    }
}

TEST(O2nc, ChargesOnceAndRefusesAnotherRelation) {
  const AbsoluteLoss loss = regression(500, 2, 4);
  const auto bits = testing::seeded_bits(3);
  Options options = single(1);
  options.steps = 8;
  Meter meter({Gaussian{1}}, *bits);
  minimise(record_loss(loss), Vector::Zero(2), options, meter);
  EXPECT_EQ(meter.steps().size(), 1u);
  EXPECT_THROW(minimise(record_loss(loss), Vector::Zero(2), options, meter), BudgetError);
  Meter other({Gaussian{1}, Unit::item, Neighbours::zero_out}, *bits);
  EXPECT_THROW(minimise(record_loss(loss), Vector::Zero(2), options, other), UsageError);
  Meter third({Gaussian{1}}, *bits);
  EXPECT_THROW(minimise(record_loss(loss), Vector::Zero(3), options, third), UsageError);
}

}  // namespace
}  // namespace tacit
