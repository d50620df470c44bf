#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "algorithm/statistics/auc.hpp"
#include "algorithm/statistics/describe.hpp"
#include "algorithm/statistics/score.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/audit.hpp"
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

void add(Table& t, double age, double pay, double job, std::int64_t weight = unit_weight) {
  t.columns[0].push_back(age);
  t.columns[1].push_back(pay);
  t.columns[2].push_back(job);
  t.weights.push_back(weight);
}

struct Opened {
  Step step;
  std::vector<double> value;
};

Price price_of(const DescribeOptions& options, std::optional<std::size_t> units) {
  return price([&](Answers& answers) { describe(schema(), options, units, nullptr, answers); },
               options.target);
}

// All that is opened.
std::vector<Opened> watched(const Table& t, const DescribeOptions& options, std::optional<std::size_t> units,
                            const Price& paid) {
  const auto bits = testing::seeded_bits(9);
  RootMeter meter({.limit = NoPrivacy{}, .unit = options.unit, .neighbours = options.neighbours}, *bits);
  std::vector<Opened> opened;
  meter.watch([&](const Step& step, std::span<const double> value) {
    opened.push_back({step, {value.begin(), value.end()}});
  });
  ReleasedAnswers answers(paid, meter);
  describe(schema(), options, units, &t, answers);
  return opened;
}

// How far each opened value moved, in its step's norm, over what the step admits.
double worst_movement(const std::vector<Opened>& a, const std::vector<Opened>& b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(a[k].step, b[k].step);
    double l1 = 0, l2 = 0, most = 0;
    for (std::size_t i = 0; i < a[k].value.size(); ++i) {
      const double d = std::fabs(a[k].value[i] - b[k].value[i]);
      l1 += d;
      l2 = std::hypot(l2, d);
      most = std::max(most, d);
    }
    const Sensitivity& s = a[k].step.sensitivity;
    const double moved = s.norm == Norm::l1 ? l1 : s.norm == Norm::l2 ? l2 : most;
    worst = std::max(worst, moved / s.total());
  }
  return worst;
}

const std::vector<std::array<double, 3>> extreme_records = {
    {0, -1, 0}, {100, 3, 2}, {empty, empty, empty}, {50, 1e300, 1}, {-1e300, -1e300, 0}, {empty, 3, 0}};

double worst_pair(Neighbours relation, const Guarantee& target) {
  DescribeOptions options{.target = target, .neighbours = relation, .levels = {0.25}};
  std::optional<std::size_t> units;
  if (relation != Neighbours::add_remove) units = 41;
  const Price paid = price_of(options, units);
  double worst = 0;
  for (const auto& x : extreme_records)
    for (const auto& y : extreme_records) {
      Table first = table(40, 5), second = first;
      add(first, x[0], x[1], x[2]);
      if (relation == Neighbours::replace_one) add(second, y[0], y[1], y[2]);
      worst = std::max(
          worst, worst_movement(watched(first, options, units, paid), watched(second, options, units, paid)));
    }
  return worst;
}

TEST(DescribeReplay, NoStatisticMovesByMoreThanItsSensitivity) {
  for (const Guarantee& target : {Guarantee(Pure{1}), Guarantee(Approx{1, 1e-6})})
    for (const Neighbours relation :
         {Neighbours::zero_out, Neighbours::replace_one, Neighbours::add_remove}) {
      const double worst = worst_pair(relation, target);
      EXPECT_LE(worst, 1 + 1e-12) << name(relation);
      EXPECT_GT(worst, 0.99) << name(relation) << ": the pairs show next to nothing";
    }
}

// A user with many records comes or goes.
double worst_user(std::int64_t weight_of_each, int records) {
  DescribeOptions options{.target = Pure{1}, .unit = Unit::user};
  const Price paid = price_of(options, 41);
  Table first = table(40, 6), second = first;
  for (int k = 0; k < records; ++k) add(first, k % 2 == 0 ? 100 : 0, 3, k % 3, weight_of_each);
  return worst_movement(watched(first, options, 41, paid), watched(second, options, 41, paid));
}

TEST(DescribeReplay, AUserWithManyRecordsMovesItByNoMore) {
  EXPECT_LE(worst_user(unit_weight / 64, 64), 1 + 1e-12);
  EXPECT_GT(worst_user(unit_weight / 64, 65), 1 + 1e-12) << "the control is not seen";
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

// Everything that is released of a small table, as one vector.
audit::Run described_run(const Table& t, DescribeOptions options) {
  return [t, options](BitSource& bits) {
    RootMeter meter({.limit = NoPrivacy{}, .neighbours = options.neighbours}, bits);
    const auto ask = [&](const Table* records) {
      return [&, records](Answers& answers) { describe(schema(), options, 3, records, answers); };
    };
    ReleasedAnswers answers(price(ask(nullptr), options.target), meter);
    ask (&t)(answers);
    std::vector<double> all;
    for (const auto& numbers : answers.released()) all.insert(all.end(), numbers.begin(), numbers.end());
    return Vector(Eigen::Map<const Vector>(all.data(), static_cast<Eigen::Index>(all.size())));
  };
}

// 6000 runs on each neighbour, confidence 1 − 1e-6, fixed seeds.
double measured(double epsilon, const char* which) {
  DescribeOptions options{.target = Pure{epsilon},
                          .means = false,
                          .quantiles = false,
                          .histograms = false,
                          .categories = false,
                          .levels = {0.5},
                          .bins = 2};
  const std::string what = which;
  (what == "mean" ? options.means : what == "quantiles" ? options.quantiles : options.categories) = true;
  Table first{.columns = std::vector<std::vector<double>>(3), .weights = {}}, second = first;
  for (Table* t : {&first, &second}) add(*t, 0, -1, 0), add(*t, 0, -1, 0);
  add(first, 100, 3, 1);
  audit::BlackBoxOptions black_box{.runs = 6000, .confidence = 1 - 1e-6, .threads = 1};
  black_box.bits = [](std::size_t part) { return testing::seeded_bits(100 + part); };
  return audit::black_box(described_run(first, options), described_run(second, options), 0, black_box)
      .lower_bound;
}

void expect_claim_kept_and_control_caught(const char* which) {
  constexpr double claim = 1;
  EXPECT_LE(measured(claim, which), claim) << which;
  EXPECT_GT(measured(4 * claim, which), claim) << which << " with a quarter of the noise";
}

TEST(DescribeBlackBox, CountsKeepTheirClaimAndTheControlIsCaught) {
  expect_claim_kept_and_control_caught("categories");
}

TEST(LongDescribeBlackBox, MeansAndQuantilesKeepTheirClaim) {
  expect_claim_kept_and_control_caught("mean");
  EXPECT_LE(measured(1, "quantiles"), 1);
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

std::vector<Opened> watched_scores(const Scores& s, const ScoreOptions& options) {
  const auto bits = testing::seeded_bits(9);
  RootMeter meter({options.target, options.unit, options.neighbours}, *bits);
  std::vector<Opened> opened;
  meter.watch([&](const Step& step, std::span<const double> value) {
    opened.push_back({step, {value.begin(), value.end()}});
  });
  const auto ask = [&](const Scores* records) {
    return [&, records](Answers& answers) { score(options, 11, records, answers); };
  };
  ReleasedAnswers answers(price(ask(nullptr), options.target), meter);
  ask (&s)(answers);
  return opened;
}

TEST(ScoreReplay, NoScoreMovesByMoreThanItsSensitivity) {
  for (const Neighbours relation : {Neighbours::zero_out, Neighbours::replace_one}) {
    double worst = 0;
    for (const double cell : {0.0, 63.0}) {
      Scores first;
      for (int k = 0; k < 10; ++k) {
        first.right.push_back(k % 2);
        first.log_loss.push_back(0.1 * k);
        first.cell.push_back(k);
        first.weights.push_back(unit_weight);
      }
      Scores second = first;
      const auto append = [](Scores& s, double right, double loss, double where) {
        s.right.push_back(right);
        s.log_loss.push_back(loss);
        s.cell.push_back(where);
        s.weights.push_back(unit_weight);
      };
      append(first, 1, 100, cell);
      if (relation == Neighbours::replace_one) append(second, 0, 0, 63 - cell);
      const ScoreOptions options{.target = Pure{1}, .neighbours = relation};
      worst =
          std::max(worst, worst_movement(watched_scores(first, options), watched_scores(second, options)));
    }
    EXPECT_LE(worst, 1 + 1e-12) << name(relation);
    EXPECT_GT(worst, 0.99) << name(relation);
  }
}

}  // namespace
}  // namespace tacit
