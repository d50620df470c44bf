#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "algorithm/nonconvex/estimator.hpp"
#include "o2nc_problem.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/root_meter.hpp"

// A record that is there or null, and one that is replaced [docs/o2nc.md, "Privacy"].

namespace tacit::nonconvex::relations {
namespace {

using testing::AbsoluteLoss;
using testing::regression;
using testing::single;

constexpr Neighbours zero_out = Neighbours::zero_out, replace_one = Neighbours::replace_one;

Options short_run(Pass pass, Neighbours neighbours) {
  Options options = single(1);
  options.neighbours = neighbours;
  options.pass = pass;
  options.steps = 8;
  options.period = 4;
  options.averaging = 1;
  options.step_cap = options.smoothing = 0.1;
  options.directions = 3;
  return options;
}

// One contribution against nothing, not two of them: the slack, of two rounded sums, is the same.
TEST(O2ncRelation, ANullRecordMovesASumHalfAsFarAndTakesHalfTheNoise) {
  for (const Pass pass : {Pass::single, Pass::multi})
    for (const std::size_t shards : {1u, 8u}) {
      const Plan replaced = plan_o2nc(5000, 4, short_run(pass, replace_one), shards);
      const Plan null = plan_o2nc(5000, 4, short_run(pass, zero_out), shards);
      for (const auto& [one, two] :
           {std::pair(null.start, replaced.start), std::pair(null.change, replaced.change)}) {
        EXPECT_EQ(one.batch, two.batch);
        EXPECT_GE(one.sensitivity.value, one.clip.length);
        EXPECT_NEAR(one.sensitivity.value / one.clip.length, 1, 1e-15);
        EXPECT_GE(two.sensitivity.value, 2 * two.clip.length);
        EXPECT_NEAR(two.sensitivity.value / two.clip.length, 2, 1e-15);
        EXPECT_EQ(one.sensitivity.slack, two.sensitivity.slack);
        EXPECT_GT(one.sigma, 0.5 * two.sigma);
        EXPECT_NEAR(one.sigma / two.sigma, 0.5, 1e-7);
      }
      EXPECT_EQ(std::get<GaussianEvent>(null.release.event).mu,
                std::get<GaussianEvent>(replaced.release.event).mu);
    }
}

TEST(O2ncRelation, HalfTheNoiseMakesTheTheoremsBoundLess) {
  for (const Pass pass : {Pass::single, Pass::multi}) {
    Options options = single(0.5);
    options.pass = pass;
    options.schedule = Schedule::theorem;
    options.bound = Bound::frame;
    options.smoothing = 0.5;
    options.work_limit = 1e10;
    const double replaced = plan_o2nc(20000, 3, options).bound->total();
    options.neighbours = zero_out;
    EXPECT_LT(plan_o2nc(20000, 3, options).bound->total(), replaced);
  }
}

// The practical rules take no longer periods for a null record, either.
TEST(O2ncRelation, DefaultsKeepPeriodOneForANullRecord) {
  for (const Pass pass : {Pass::single, Pass::multi})
    for (const std::size_t n : {70u, 1000u, 8200u, 100000u})
      for (const std::size_t d : {2u, 30u}) {
        Options options;
        options.pass = pass;
        options.neighbours = zero_out;
        EXPECT_EQ(practical_sizes({n, d, 0.3}, options).period, 1u) << n << " " << d;
      }
}

// The sums that are opened along one path, of as many places as are planned for.
std::vector<Vector> opened(const AbsoluteLoss& loss, const Options& options, const Plan& plan,
                           std::uint64_t seed) {
  const auto bits = testing::seeded_bits(seed);
  RootMeter meter({options.target, Unit::item, options.neighbours}, *bits);
  std::vector<Vector> seen;
  const RecordLoss record = record_loss(loss);
  meter.watch([&](const Step&, std::span<const double> x) {
    seen.push_back(Eigen::Map<const Vector>(x.data(), static_cast<Eigen::Index>(x.size())));
  });
  const GradientOracle oracle = oracle_for(record, plan, options, meter);
  for (std::size_t t = 0; t < plan.sizes.steps; ++t)
    oracle(Vector::Constant(3, 0.01 * static_cast<double>((t * 7 + seed) % 5)));
  return seen;
}

// With the last record there or not, and the same bits, all others are where they were: a single pass moves
// in one step at most, and no sum by more than its sensitivity.
TEST(O2ncRelation, MovesByNoMoreThanTheOneWhoIsThereOrNot) {
  for (const Pass pass : {Pass::single, Pass::multi})
    for (const Estimate estimate : {Estimate::values, Estimate::gradients}) {
      Options options = short_run(pass, zero_out);
      options.estimate = estimate;
      const Plan plan = plan_o2nc(40, 3, options);
      double most = 0;
      for (std::uint64_t seed = 0; seed < 40; ++seed) {
        AbsoluteLoss all = regression(40, 3, static_cast<unsigned>(seed));
        all.rows.row(39) *= seed % 2 == 0 ? 50 : 1e200;
        const AbsoluteLoss fewer{all.rows.topRows(39), all.labels.head(39)};
        const auto a = opened(all, options, plan, seed), b = opened(fewer, options, plan, seed);
        ASSERT_EQ(a.size(), 8u);
        std::size_t moved_steps = 0;
        for (std::size_t t = 0; t < a.size(); ++t) {
          const double moved = (a[t] - b[t]).norm(),
                       claimed = (t % 4 == 0 ? plan.start : plan.change).sensitivity.total();
          ASSERT_LE(moved, claimed);
          most = std::max(most, moved / claimed);
          moved_steps += moved > 1e-6 * claimed ? 1 : 0;
        }
        EXPECT_LE(moved_steps, pass == Pass::single ? 1u : 8u);
      }
      EXPECT_GT(most, 0.9) << "the pairs do not come near the bound, so they prove little";
    }
}

// Remembers where it was asked.
struct Witness {
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
struct Distrustful {
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

// The sum of the first step, in contributions of one record.
double first_sum(const Distrustful& loss, const Options& options) {
  const Plan plan = plan_o2nc(60, 3, options);
  const auto bits = testing::seeded_bits(4);
  RootMeter meter({options.target, Unit::item, options.neighbours}, *bits);
  const RecordLoss record = record_loss(loss);
  double seen = 0;
  meter.watch([&](const Step&, std::span<const double> x) { seen = x[0]; });
  oracle_for(record, plan, options, meter)(Vector::Zero(3));
  return seen / plan.start.clip.length;
}

// Records that know the directions which their places in the file would get: without the first of them all
// others are at another place in the file, and all would turn round. With secret places few meet theirs,
// whoever is there. (Under replace_one a record keeps its place in the file.)
TEST(O2ncRelation, DirectionsDoNotFollowFromTheOrderOfTheRecordsWhereOneMayBeMissing) {
  Options options = short_run(Pass::multi, replace_one);
  options.estimate = Estimate::gradients;
  options.steps = options.period = options.directions = 1;
  const Witness witness;
  const RecordLoss spied = record_loss(witness);
  // The word that makes the directions is the first that is drawn, or comes after the places.
  const auto labels_of = [&](std::uint64_t word) {
    const BallEstimator estimator(spied, Estimate::gradients, 0.1, 1, 1, word);
    Distrustful all;
    Vector unused(3);
    for (std::size_t slot = 0; slot < 60; ++slot) {
      estimator.gradient(Vector::Zero(3), 0, slot, {unused.data(), 3});
      all.points.push_back(witness.at);
      all.labels.push_back(slot);
    }
    return all;
  };
  const auto without_the_first = [](Distrustful all) {
    all.labels.erase(all.labels.begin());
    return all;
  };
  std::vector<std::uint64_t> words(60);
  testing::seeded_bits(4)->fill(words);
  const Distrustful by_number = labels_of(words[0]);
  EXPECT_NEAR(first_sum(by_number, options), 60, 1e-6) << "the test knows the directions";

  options.neighbours = zero_out;
  // The order of 60 takes 59 words: none of so few is refused but with probability 2^-52.
  const Distrustful known = labels_of(words[59]);
  EXPECT_LT(first_sum(known, options), -36);
  EXPECT_LT(first_sum(without_the_first(known), options), -36);
}

Vector minimiser(const AbsoluteLoss& loss, Options options, Neighbours neighbours) {
  const auto bits = testing::seeded_bits(5);
  RootMeter meter({options.target, Unit::item, neighbours}, *bits);
  return minimise(record_loss(loss), Vector::Zero(loss.rows.cols()), options, meter).value();
}

TEST(O2ncRelation, TakesTheRelationOfItsBudgetAndAPublicNumberOfRecords) {
  const AbsoluteLoss loss = regression(500, 3, 4);
  for (const Pass pass : {Pass::single, Pass::multi}) {
    Options options = single(1);
    options.pass = pass;
    options.steps = 8;
    options.directions = 4;
    EXPECT_NE(minimiser(loss, options, zero_out), minimiser(loss, options, replace_one));
    EXPECT_THROW(minimiser(loss, options, Neighbours::add_remove), UsageError);
    options.records = 499;
    EXPECT_THROW(minimiser(loss, options, zero_out), UsageError);
    options.records = 501;
    EXPECT_THROW(minimiser(loss, options, replace_one), UsageError) << "their number is public";
    EXPECT_NO_THROW(minimiser(loss, options, zero_out));
    options.records = 2000;
    EXPECT_NO_THROW(minimiser(loss, options, zero_out));
  }
}

// The sums are for whom the plan is, so that no oracle releases half the noise under a larger promise.
TEST(O2ncRelation, AnOracleIsNotUsedForAnotherRelationThanItsPlans) {
  const AbsoluteLoss loss = regression(40, 3, 4);
  for (const Pass pass : {Pass::single, Pass::multi}) {
    const Options options = short_run(pass, zero_out);
    const auto bits = testing::seeded_bits(1);
    RootMeter meter({options.target, Unit::item, replace_one}, *bits);
    const auto oracle = pass == Pass::single ? single_pass_oracle : multi_pass_oracle;
    EXPECT_THROW(
        oracle(record_loss(loss), plan_o2nc(40, 3, options), options, meter, nullptr)(Vector::Zero(3)),
        UsageError);
  }
}

// A step's time tells how many records there are.
TEST(O2ncRelation, TellsNoProgressWhereMoreRecordsAreStatedThanThereAre) {
  Options options = short_run(Pass::multi, zero_out);
  EXPECT_TRUE(plan_o2nc(40, 3, options).timed);
  options.records = 50;
  EXPECT_FALSE(plan_o2nc(50, 3, options).timed);
}

TEST(O2ncRelation, FindsTheMinimumWithAQuarterOfThePlacesEmpty) {
  const AbsoluteLoss loss = regression(8000, 4, 2);
  const double at_start = loss.labels.cwiseAbs().mean();
  for (const Pass pass : {Pass::single, Pass::multi}) {
    Options options = single(2);
    options.pass = pass;
    options.steps = 64;
    options.directions = 8;
    options.radius = 1;
    options.records = 10667;
    const Vector w = minimiser(loss, options, zero_out);
    EXPECT_LT((loss.rows * w - loss.labels).cwiseAbs().mean(), 0.4 * at_start);
  }
}

}  // namespace
}  // namespace tacit::nonconvex::relations
