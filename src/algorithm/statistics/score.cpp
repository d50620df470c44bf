#include "algorithm/statistics/score.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tacit::inline v1::statistics {

namespace {

// splitmix64: the same draws in every run, so that `verify` finds the same interval. Privacy does not rest on
// it.
class Draws {
 public:
  double uniform() {  // in (0, 1)
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t x = state_;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (static_cast<double>((x ^ (x >> 31)) >> 12) + 0.5) * 0x1p-52;
  }
  double noise(const Step& step) {
    if (step.mechanism == "gaussian")
      return step.scale * std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform());
    const double up = -step.scale * std::log(uniform()), down = -step.scale * std::log(uniform());
    return step.mechanism == "geometric" ? std::floor(up) - std::floor(down) : up - down;
  }

 private:
  std::uint64_t state_ = 1;
};

// Half of the pairs within a cell: what cells hide of the order.
double tied(const std::vector<double>& counts) {
  double both = 0, first = 0, second = 0;
  for (std::size_t k = 0; k + 1 < counts.size(); k += 2) {
    both += counts[k] * counts[k + 1];
    first += counts[k];
    second += counts[k + 1];
  }
  return first > 0 && second > 0 ? both / (2 * first * second) : 0.5;
}

Estimate auc_estimate(const Answer& answer, double failure) {
  std::vector<double> counts;
  for (const double c : answer.value) counts.push_back(std::max(c, 0.0));
  const double found = auc_of(counts);
  constexpr int draws = 400;
  Draws draw;
  std::vector<double> off;
  std::vector<double> other(counts.size());
  for (int k = 0; k < draws; ++k) {
    for (std::size_t i = 0; i < counts.size(); ++i)
      other[i] = std::max(counts[i] + draw.noise(answer.step), 0.0);
    off.push_back(std::fabs(auc_of(other) - found));
  }
  std::ranges::sort(off);
  const auto at = static_cast<std::size_t>(std::ceil((1 - failure) * draws)) - 1;
  return estimate(found, off[std::min<std::size_t>(at, draws - 1)] + tied(counts), {0, 1});
}

Estimate mean_of(const std::vector<double>* values, const Scores* scores, double most, const Terms& terms,
                 Answers& answers) {
  const Cells cells{values ? *values : std::span<const double>{},
                    scores ? scores->weights : std::span<const std::int64_t>{}};
  return ask_mean(cells, {0, most}, Gaps::none, 1, terms, answers).mean;
}

void add_cells(const ScoreOptions& options, const Scores* scores, const Terms& terms, Answers& answers,
               ScoreReport& report) {
  const auto classes = static_cast<std::size_t>(2 * options.cells);
  const Cells cells{scores ? scores->cell : std::span<const double>{},
                    scores ? scores->weights : std::span<const std::int64_t>{}};
  const Answer counts = ask_counts(
      cells, [](double cell) { return static_cast<std::size_t>(cell); }, classes, 2, terms, answers);
  report.metrics.emplace_back("auc", auc_estimate(counts, terms.failure));
  double first = 0, second = 0;
  const Coefficients two[] = {{1, 2}};
  const double off = counts.step.mechanism.empty() ? 0 : reach_of_sum(counts.step, two, terms.failure / 2);
  for (std::size_t k = 0; k < classes; k += 2) {
    const double a = std::max(counts.value[static_cast<Eigen::Index>(k)], 0.0);
    const double b = std::max(counts.value[static_cast<Eigen::Index>(k + 1)], 0.0);
    first += a;
    second += b;
    const double n = static_cast<double>(options.cells), at = static_cast<double>(k) / 2;
    if (options.probabilities)
      report.calibration.push_back(
          {at / n, (at + 1) / n, estimate(a + b, off, {0, most_units}), a + b > 0 ? b / (a + b) : 0.5});
  }
  if (first + second > 0) report.constant_accuracy = std::max(first, second) / (first + second);
}

}  // namespace

void ScoreOptions::validate() const {
  tacit::validate(target);
  if (cells < 2 || cells > 1000) throw_error<UsageError>("cells is {}, expected 2 to 1000", cells);
  if (!(range > 0 && std::isfinite(range * range)))
    throw_error<UsageError>("the range of the target is {}, expected a number > 0", range);
  if (!(confidence > 0 && confidence < 1))
    throw_error<UsageError>("the confidence is {}, expected between 0 and 1", confidence);
}

Facts ScoreOptions::facts() const {
  Facts facts;
  set_target(facts, target);
  facts.set("neighbours", std::string(name(neighbours)));
  facts.set("classifies", classifies);
  facts.set("probabilities", probabilities);
  facts.set("two_classes", two_classes);
  facts.set("range", range);
  facts.set("cells", cells);
  facts.set("confidence", confidence);
  return facts;
}

ScoreOptions ScoreOptions::from(const Facts& facts, Unit unit) {
  ScoreOptions options{.target = target_from(facts),
                       .unit = unit,
                       .neighbours = parse_neighbours(facts.text("neighbours")),
                       .classifies = facts.boolean("classifies"),
                       .probabilities = facts.boolean("probabilities"),
                       .two_classes = facts.boolean("two_classes"),
                       .range = facts.number("range"),
                       .cells = facts.integer("cells"),
                       .confidence = facts.number("confidence")};
  options.validate();
  return options;
}

std::size_t cell_of(double score, std::size_t cells) {
  const double at = std::floor(std::clamp(score, 0.0, 1.0) * static_cast<double>(cells));
  return std::min(static_cast<std::size_t>(at), cells - 1);
}

double auc_of(const std::vector<double>& counts) {
  double below = 0, first = 0, second = 0, won = 0;
  for (std::size_t k = 0; k + 1 < counts.size(); k += 2) {
    won += counts[k + 1] * (below + counts[k] / 2);
    below += counts[k];
    first += counts[k];
    second += counts[k + 1];
  }
  return first > 0 && second > 0 ? won / (first * second) : 0.5;
}

ScoreReport score(const ScoreOptions& options, std::optional<std::size_t> units, const Scores* scores,
                  Answers& answers) {
  options.validate();
  const Terms terms{.neighbours = options.neighbours,
                    .unit = options.unit,
                    .units = units,
                    .failure = 1 - options.confidence};
  ScoreReport report;
  const auto add = [&](const char* name, const std::vector<double> Scores::*which, double most) {
    report.metrics.emplace_back(name,
                                mean_of(scores ? &(scores->*which) : nullptr, scores, most, terms, answers));
  };
  if (options.classifies) {
    add("accuracy", &Scores::right, 1);
    if (options.probabilities) add("log_loss", &Scores::log_loss, log_loss_bound);
    if (options.two_classes) add_cells(options, scores, terms, answers, report);
    return report;
  }
  add("rmse", &Scores::squared, options.range * options.range);
  Estimate& rmse = report.metrics.back().second;
  rmse = {std::sqrt(rmse.value), {std::sqrt(rmse.interval.low), std::sqrt(rmse.interval.high)}};
  add("mae", &Scores::absolute, options.range);
  return report;
}

}  // namespace tacit::inline v1::statistics
