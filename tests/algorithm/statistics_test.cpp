#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "algorithm/statistics/auc.hpp"
#include "algorithm/statistics/describe.hpp"
#include "algorithm/statistics/score.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/root_meter.hpp"

namespace tacit {
namespace {

using namespace statistics;

const double empty = std::numeric_limits<double>::quiet_NaN();

Schema schema() {
  Schema s;
  s.columns = {{"age", NumericColumn{.min = 0, .max = 100, .integer = true}},
               {"pay", NumericColumn{.min = -1, .max = 3}},
               {"job", CategoricalColumn{.categories = {"a", "b"}}}};
  return described(s);
}

Table table(std::size_t records, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform;
  Table t{.columns = std::vector<std::vector<double>>(3), .weights = {}};
  for (std::size_t i = 0; i < records; ++i) {
    t.columns[0].push_back(uniform(random) < 0.1 ? empty : std::floor(101 * uniform(random)));
    t.columns[1].push_back(4 * uniform(random) * uniform(random) - 1);
    t.columns[2].push_back(uniform(random) < 0.1 ? empty : std::floor(3 * uniform(random)));
    t.weights.push_back(unit_weight);
  }
  return t;
}

TEST(DescribeWeights, OfAUserSumToOne) {
  Dataset data;
  data.features = Features(DenseRows{5, 1, {0, 0, 0, 0, 0}});
  data.users = {0, 1, 0, 0, 1};
  data.user_count = 2;
  const auto weights = weights_of(data, Unit::user);
  EXPECT_EQ(weights[0] + weights[2] + weights[3], unit_weight);
  EXPECT_EQ(weights[1] + weights[4], unit_weight);
}

TEST(DescribeIntervals, HoldTheRecordsOwnNumbers) {
  const Table t = table(2000, 7);
  double mean = 0;
  for (const double pay : t.columns[1]) mean += pay / 2000;
  std::vector<double> sorted = t.columns[1];
  std::ranges::sort(sorted);
  const double median = sorted[1000];
  const auto of_b = static_cast<double>(std::ranges::count(t.columns[2], 1.0));
  constexpr int runs = 100;
  for (const Guarantee& target : {Guarantee(Pure{2}), Guarantee(Approx{2, 1e-6})}) {
    int means = 0, medians = 0, counts = 0;
    const DescribeOptions options{.target = target, .levels = {0.5}};
    const auto ask = [&](const Table* records, Description* found) {
      return [&, records, found](Answers& answers) {
        Description d = describe(schema(), options, 2000, records, answers);
        if (found) *found = std::move(d);
      };
    };
    const Price p = price(ask(nullptr, nullptr), target);
    for (int run = 0; run < runs; ++run) {
      const auto bits = testing::seeded_bits(static_cast<std::uint64_t>(run));
      RootMeter meter({target, Unit::item, Neighbours::zero_out}, *bits);
      ReleasedAnswers answers(p, meter);
      Description d;
      ask(&t, &d)(answers);
      const auto within = [](double x, const Estimate& e) {
        return x >= e.interval.low && x <= e.interval.high;
      };
      means += within(mean, *d.columns[1].mean);
      medians += within(median, d.columns[1].quantiles[0].second);
      counts += within(of_b, d.columns[2].categories[1].second);
    }
    // 0.95·100 = 95; six standard deviations below are 81.
    EXPECT_GE(means, 81);
    EXPECT_GE(medians, 81);
    EXPECT_GE(counts, 81);
    EXPECT_LT(counts, runs) << "an interval that never misses is too wide";
  }
}

TEST(DescribePrice, SpendsTheTargetAndNoMore) {
  for (const Guarantee& target : {Guarantee(Pure{1}), Guarantee(Approx{1, 1e-6})}) {
    const DescribeOptions options{.target = target};
    const auto bits = testing::seeded_bits(3);
    RootMeter meter({target, Unit::item, Neighbours::zero_out}, *bits);
    const Table t = table(50, 8);
    const auto ask = [&](const Table* records) {
      return [&, records](Answers& answers) { describe(schema(), options, 50, records, answers); };
    };
    ReleasedAnswers answers(price(ask(nullptr), target), meter);
    ask (&t)(answers);
    const Guarantee spent = meter.spent();
    const double epsilon =
        std::holds_alternative<Pure>(spent) ? std::get<Pure>(spent).epsilon : std::get<Approx>(spent).epsilon;
    EXPECT_LE(epsilon, 1);
    EXPECT_GT(epsilon, 0.995);
  }
}

TEST(ScoreAuc, IsThatOfTheCells) {
  EXPECT_DOUBLE_EQ(auc_of({3, 0, 0, 2}), 1);
  EXPECT_DOUBLE_EQ(auc_of({0, 2, 3, 0}), 0);
  EXPECT_DOUBLE_EQ(auc_of({1, 1, 1, 1}), 0.5);
  EXPECT_DOUBLE_EQ(auc_of({0, 0, 1, 0}), 0.5);
}

}  // namespace
}  // namespace tacit
