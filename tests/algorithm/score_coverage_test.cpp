#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "algorithm/statistics/auc.hpp"
#include "algorithm/statistics/score.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/root_meter.hpp"

// Whether the intervals of an evaluation hold what they say they hold, over the noise and over test sets.

namespace tacit {
namespace {

using namespace statistics;

// A test set as a model with a high AUC sees it, and what its records themselves say.
struct TestSet {
  Scores scores;
  std::map<std::string, double> truth, constants;
};

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

double auc_of_scores(const std::vector<double>& scores, const std::vector<bool>& second) {
  std::vector<std::pair<double, bool>> sorted;
  for (std::size_t i = 0; i < scores.size(); ++i) sorted.emplace_back(scores[i], second[i]);
  std::ranges::sort(sorted);
  double below = 0, won = 0;
  for (const auto& [score, of_second] : sorted) of_second ? won += below : below += 1;  // no ties
  return won / (below * (static_cast<double>(scores.size()) - below));
}

TestSet test_set(std::size_t records, unsigned seed, const ScoreOptions& options) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  TestSet set;
  std::vector<double> predicted;
  std::vector<bool> classes;
  for (std::size_t i = 0; i < records; ++i) {
    const bool second = uniform(random) < 0.3;
    const double p = 1 / (1 + std::exp(-(1.3 * normal(random) + (second ? 1.5 : -1.5))));
    predicted.push_back(p);
    classes.push_back(second);
    set.scores.right.push_back((p > 0.5) == second);
    set.scores.log_loss.push_back(-std::log(std::max(second ? p : 1 - p, least_probability)));
    set.scores.cell.push_back(2.0 * static_cast<double>(cell_of(p, static_cast<std::size_t>(options.cells))) +
                              (second ? 1 : 0));
    set.scores.absolute.push_back(options.range * std::fabs(p - 0.5));
    set.scores.squared.push_back(std::pow(options.range * (p - 0.5), 2));
    set.scores.weights.push_back(unit_weight);
  }
  if (!options.classifies) {
    set.truth = {{"rmse", std::sqrt(mean_of(set.scores.squared))}, {"mae", mean_of(set.scores.absolute)}};
    return set;
  }
  set.truth = {{"accuracy", mean_of(set.scores.right)},
               {"log_loss", mean_of(set.scores.log_loss)},
               {"auc", auc_of_scores(predicted, classes)}};
  const double share = static_cast<double>(std::ranges::count(classes, true)) / static_cast<double>(records);
  set.constants = {{"accuracy", std::max(share, 1 - share)},
                   {"log_loss", -share * std::log(share) - (1 - share) * std::log(1 - share)},
                   {"auc", 0.5}};
  return set;
}

struct Coverage {
  int missed = 0;
  double width = 0, off = 0;
};

// By metric; constants as "constant accuracy", the count of calibration cell 5 as "cell".
std::map<std::string, Coverage> coverage(const ScoreOptions& options, std::size_t records, int runs) {
  const std::optional<std::size_t> units =
      options.neighbours == Neighbours::add_remove ? std::nullopt : std::optional(records);
  const auto ask = [&](const Scores* scores) {
    return [&, scores](Answers& answers) { score(options, units, scores, answers); };
  };
  const Price paid = price(ask(nullptr), options.target);
  std::map<std::string, Coverage> found;
  for (int run = 0; run < runs; ++run) {
    const auto seed =
        static_cast<unsigned>(1e4 * paid.of_share) + static_cast<unsigned>(1000 * records + run);
    const TestSet set = test_set(records, seed, options);
    const auto bits = testing::seeded_bits(seed);
    RootMeter meter({options.target, options.unit, options.neighbours}, *bits);
    ReleasedAnswers answers(paid, meter);
    const ScoreReport report = score(options, units, &set.scores, answers);
    const auto add = [&](const std::string& name, double truth, const Estimate& e) {
      Coverage& c = found[name];
      c.missed += !(e.interval.low <= truth && truth <= e.interval.high);
      c.width += (e.interval.high - e.interval.low) / runs;
      c.off += std::fabs(e.value - truth) / runs;
    };
    for (const auto& [name, e] : report.metrics) add(name, set.truth.at(name), e);
    for (const auto& [name, e] : report.constants) add("constant " + name, set.constants.at(name), e);
    if (!report.calibration.empty())
      add("cell",
          static_cast<double>(
              std::ranges::count_if(set.scores.cell, [](double c) { return c == 2 || c == 3; })),
          report.calibration[1].count);
  }
  return found;
}

TEST(ScoreCoverage, OfTheAucHoldsOnSmallTestSets) {
  constexpr int runs = 40;
  for (const std::size_t records : {200, 500}) {
    const auto found = coverage({.target = Pure{0.1}}, records, runs);
    EXPECT_LE(found.at("auc").missed, 6) << records;  // 2 expected; 3 standard deviations are 4
  }
}

TEST(ScoreCoverage, TheAucIsTellingWhereNoiseIsSmall) {
  const auto found = coverage({.target = Pure{1}}, 20000, 4);
  EXPECT_EQ(found.at("auc").missed, 0);
  EXPECT_LT(found.at("auc").width, 0.05);
  EXPECT_LT(found.at("auc").off, 0.01);
}

TEST(ScoreCoverage, AMeanHoldsWhatItsGridRounded) {
  // Noise far below the grid's 2^−20.
  const ScoreOptions options{.target = Pure{1e9}, .classifies = false, .range = 3};
  const auto found = coverage(options, 1000, 10);
  EXPECT_EQ(found.at("mae").missed, 0);
  EXPECT_EQ(found.at("rmse").missed, 0);
}

TEST(ScorePossibleCounts, AreTheNearestWithTheirSum) {
  const Vector noisy{{5, -3, 1, 0.5}};
  EXPECT_EQ(possible_counts(noisy, 4), (std::vector<double>{4, 0, 0, 0}));
  EXPECT_EQ(possible_counts(noisy, 5), (std::vector<double>{4.5, 0, 0.5, 0}));
  EXPECT_EQ(possible_counts(noisy, std::nullopt), (std::vector<double>{3.5, 0, 0, 0}));
  EXPECT_EQ(possible_counts(Vector{{-1, -2}}, std::nullopt), (std::vector<double>{0, 0}));
}

// The table of docs/evaluate.md: --gtest_filter=LongScoreCoverage.* prints it.
TEST(LongScoreCoverage, HoldsAtEverySizeAndEpsilon) {
  constexpr int runs = 200;
  constexpr int most = 23;  // 10 expected, and 4 standard deviations
  const auto check = [&](const ScoreOptions& options, std::size_t records, const std::string& what) {
    std::string line = fmt::format("{} n={}:", what, records);
    for (const auto& [name, c] : coverage(options, records, runs)) {
      EXPECT_LE(c.missed, most) << what << " " << name << " " << records;
      line += fmt::format(" | {} {}/{} width {:.3f} off {:.3f}", name, c.missed, runs, c.width, c.off);
    }
    fmt::print("{}\n", line);
  };
  for (const std::size_t records : {200, 500, 2000})
    for (const double epsilon : {0.1, 0.3, 1.0}) {
      check({.target = Pure{epsilon}}, records, fmt::format("epsilon {}", epsilon));
      check({.target = Pure{epsilon}, .classifies = false}, records,
            fmt::format("numbers, epsilon {}", epsilon));
    }
  check({.target = Approx{1, 1e-6}}, 2000, "epsilon 1, delta 1e-6");
  check({.target = Pure{1}, .neighbours = Neighbours::replace_one}, 2000, "replace_one, epsilon 1");
  check({.target = Pure{1}, .neighbours = Neighbours::add_remove}, 2000, "add_remove, epsilon 1");
}

}  // namespace
}  // namespace tacit
