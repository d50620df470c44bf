#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "o2nc_presence.hpp"
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
  testing::make_short(options);
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

Budget budget_of(const Options& options) { return {options.target, Unit::item, options.neighbours}; }

testing::MakeOracle oracles(const Plan& plan, const Options& options) {
  return [&](const RecordLoss& record, Meter& meter) { return oracle_for(record, plan, options, meter); };
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
        const std::vector<double> moves =
            testing::moves_of_last(plan, budget_of(options), seed, oracles(plan, options));
        ASSERT_EQ(moves.size(), 8u);
        const double largest = *std::ranges::max_element(moves);
        ASSERT_LE(largest, 1);
        most = std::max(most, largest);
        EXPECT_LE(std::ranges::count_if(moves, [](double moved) { return moved > 1e-6; }),
                  pass == Pass::single ? 1 : 8);
      }
      EXPECT_GT(most, 0.9) << "the pairs do not come near the bound, so they prove little";
    }
}

// The sum of the first step, in contributions of one record.
double first_of_60(const testing::Distrustful& loss, const Options& options) {
  const Plan plan = plan_o2nc(60, 3, options);
  return testing::first_sum(loss, budget_of(options), oracles(plan, options)) / plan.start.clip.length;
}

// Records that know the directions which their places in the file would get: without the first of them all
// others are at another place in the file, and all would turn round. With secret places few meet theirs,
// whoever is there. (Under replace_one a record keeps its place in the file.)
TEST(O2ncRelation, DirectionsDoNotFollowFromTheOrderOfTheRecordsWhereOneMayBeMissing) {
  Options options = short_run(Pass::multi, replace_one);
  options.estimate = Estimate::gradients;
  options.steps = options.period = options.directions = 1;
  // The word that makes the directions is the first that is drawn, or comes after the places.
  std::vector<std::uint64_t> words(60);
  testing::seeded_bits(4)->fill(words);
  EXPECT_NEAR(first_of_60(testing::who_know(words[0], 60), options), 60, 1e-6)
      << "the test knows the directions";

  options.neighbours = zero_out;
  // The order of 60 takes 59 words: none of so few is refused but with probability 2^-52.
  const testing::Distrustful known = testing::who_know(words[59], 60);
  EXPECT_LT(first_of_60(known, options), -36);
  EXPECT_LT(first_of_60(known.without_the_first(), options), -36);
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
