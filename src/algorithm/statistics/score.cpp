#include "algorithm/statistics/score.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm/statistics/auc.hpp"
#include "algorithm/statistics/option_lines.hpp"

namespace tacit::inline v1::statistics {

namespace {

Estimate mean_of(const std::vector<double>* values, const Scores* scores, double most, const Terms& terms,
                 Answers& answers) {
  const Cells cells{values ? *values : std::span<const double>{},
                    scores ? scores->weights : std::span<const std::int64_t>{}};
  return ask_mean(cells, {0, most}, Gaps::none, 1, terms, answers).mean;
}

// The share of the second class: the difference of the classes' noisy counts has noise of every cell.
Estimate second_share(const Answer& counts, const Terms& terms) {
  const auto cells = counts.value.size() / 2;
  double first = counts.value(Eigen::seqN(0, cells, 2)).sum();
  double second = counts.value(Eigen::seqN(1, cells, 2)).sum();
  const auto noises = static_cast<std::size_t>(counts.value.size());
  if (terms.units) {
    const Coefficients halves[] = {{0.5, noises}};
    const double n = std::max(terms.most(), 1.0);
    const double off = reach_of_sum(counts.step, halves, terms.failure / 2);
    return estimate((n + second - first) / (2 * n), off / n, {0, 1});
  }
  // n is not known: each class within its noise.
  const Coefficients ones[] = {{1, noises / 2}};
  const double off = reach_of_sum(counts.step, ones, terms.failure / 4);
  first = std::max(first, 0.0), second = std::max(second, 0.0);  // as `estimate` does
  const auto share = [](double a, double b) {
    a = std::max(a, 0.0), b = std::max(b, 0.0);
    return a + b > 0 ? b / (a + b) : 0.5;
  };
  if (first - off <= 0 && second - off <= 0) return {share(first, second), {0, 1}};
  return {share(first, second), {share(first + off, second - off), share(first - off, second + off)}};
}

// What a constant gets: `metric` of the share of the second class, which rises or falls up to a half and is
// the same on the other side.
Estimate of_constant(const Estimate& share, double (*metric)(double)) {
  const auto& [low, high] = share.interval;
  double least = std::min(metric(low), metric(high)), most = std::max(metric(low), metric(high));
  if (low <= 0.5 && high >= 0.5) {
    least = std::min(least, metric(0.5));
    most = std::max(most, metric(0.5));
  }
  return {metric(share.value), {least, most}};
}

double majority(double share) { return std::max(share, 1 - share); }
double entropy(double share) {
  const auto part = [](double p) { return -p * std::log(std::max(p, least_probability)); };
  return part(share) + part(1 - share);
}

// Of the records in a cell, those of the second class: a and b as they are possible, and each noisy count
// within its noise with half of the failure.
Estimate share_in_cell(const Answer& counts, std::size_t k, double a, double b, const Terms& terms) {
  const double off = reach(counts.step, terms.failure / 2);
  const auto at = static_cast<Eigen::Index>(k);
  const Interval first = estimate(counts.value[at], off, {0, terms.most()}).interval;
  const Interval second = estimate(counts.value[at + 1], off, {0, terms.most()}).interval;
  const Interval within{second.low > 0 ? second.low / (second.low + first.high) : 0,
                        first.low > 0 ? second.high / (second.high + first.low) : 1};
  return {std::clamp(a + b > 0 ? b / (a + b) : 0.5, within.low, within.high), within};
}

void add_cells(const ScoreOptions& options, const Scores* scores, const Terms& terms, Answers& answers,
               ScoreReport& report) {
  const auto classes = static_cast<std::size_t>(2 * options.cells);
  const Cells cells{scores ? scores->cell : std::span<const double>{},
                    scores ? scores->weights : std::span<const std::int64_t>{}};
  const Answer counts = ask_counts(
      cells, [](double cell) { return static_cast<std::size_t>(cell); }, classes, 2, terms, answers);
  const std::vector<double> possible =
      possible_counts(counts.value, terms.units ? std::optional(terms.most()) : std::nullopt);
  report.metrics.emplace_back("auc", auc_estimate(counts, possible, terms.failure));
  const Coefficients two[] = {{1, 2}};
  const double off = reach_of_sum(counts.step, two, terms.failure / 2);
  for (std::size_t k = 0; options.probabilities && k < classes; k += 2) {
    const double a = possible[k], b = possible[k + 1];
    const double n = static_cast<double>(options.cells), at = static_cast<double>(k) / 2;
    // Around the noisy counts themselves: made possible, they are no longer in the middle.
    Estimate count =
        estimate(counts.value(Eigen::seqN(static_cast<Eigen::Index>(k), 2)).sum(), off, {0, terms.most()});
    count.value = std::clamp(a + b, count.interval.low, count.interval.high);
    report.calibration.push_back({at / n, (at + 1) / n, count, share_in_cell(counts, k, a, b, terms)});
  }
  const Estimate share = second_share(counts, terms);
  report.constants.emplace_back("accuracy", of_constant(share, majority));
  if (options.probabilities) report.constants.emplace_back("log_loss", of_constant(share, entropy));
  report.constants.emplace_back("auc", Estimate{0.5, {0.5, 0.5}});
}

}  // namespace

const OptionTable<ScoreOptions>& ScoreOptions::table() {
  static const OptionTable<ScoreOptions> table = {
      budget(&ScoreOptions::target),
      relation(&ScoreOptions::neighbours),
      follows(&ScoreOptions::classifies, "classifies"),
      follows(&ScoreOptions::probabilities, "probabilities"),
      follows(&ScoreOptions::two_classes, "two-classes"),
      field(&ScoreOptions::range, "range", above(0), "of the target's numbers").internal(),
      field(&ScoreOptions::cells, "cells", between(2, 1000), "of the scores").internal(),
      field(&ScoreOptions::confidence, "confidence", open(0, 1), "of each interval")};
  return table;
}

void ScoreOptions::validate() const {
  tacit::validate(target);
  table().validate(*this);
  if (!std::isnormal(range * range))
    throw_error<UsageError>(
        "the target's range is {} wide, and its square is {}: give the target in a unit that makes it {}",
        range, range > 1 ? "no finite number" : "too small for a number with all its digits",
        range > 1 ? "narrower" : "wider");
}

std::size_t cell_of(double score, std::size_t cells) {
  const double at = score > 0 ? std::floor(std::min(score, 1.0) * static_cast<double>(cells)) : 0;
  return std::min(static_cast<std::size_t>(at), cells - 1);
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
  add("mae", &Scores::absolute, options.range);
  Estimate& rmse = report.metrics.front().second;
  const Estimate& mae = report.metrics.back().second;
  const auto& [low, high] = rmse.interval;
  // No mean of sizes is above the root of the mean of squares, but noise may say so.
  rmse = {std::min(std::max(std::sqrt(rmse.value), mae.value), std::sqrt(high)),
          {std::sqrt(low), std::sqrt(high)}};
  return report;
}

}  // namespace tacit::inline v1::statistics
