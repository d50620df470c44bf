#include <algorithm>
#include <cmath>
#include <numeric>

#include "tacit/statistics.hpp"

namespace tacit::inline v1::service {

namespace {

// Of each record, larger the more it speaks for the second class; empty where there are more than two.
std::vector<double> scores_of(const FittedModel& model, const Predictions& predictions) {
  if (model.classes.size() != 2) return {};
  if (predictions.probabilities.empty()) return predictions.decision;
  std::vector<double> scores;
  for (std::size_t i = 1; i < predictions.probabilities.size(); i += 2)
    scores.push_back(predictions.probabilities[i]);
  return scores;
}

// P(a score of the second class > one of the first), ties counted half: by the ranks' sum [Mann & Whitney
// 1947].
std::optional<double> auc_of(const std::vector<double>& scores, const std::vector<double>& labels) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return scores[i]; });
  double below = 0, won = 0, second = 0;
  for (std::size_t k = 0; k < order.size();) {
    double of_first = 0, of_second = 0;
    const double score = scores[order[k]];
    for (; k < order.size() && scores[order[k]] == score; ++k)
      (labels[order[k]] == 0 ? of_first : of_second) += 1;
    won += of_second * (below + of_first / 2);
    below += of_first;
    second += of_second;
  }
  return below > 0 && second > 0 ? std::optional(won / (below * second)) : std::nullopt;
}

std::vector<CalibrationPoint> calibration_of(const std::vector<double>& scores,
                                             const std::vector<double>& labels) {
  constexpr std::size_t parts = 10;
  std::vector<CalibrationPoint> points(parts);
  for (std::size_t k = 0; k < parts; ++k)
    points[k] = {.low = static_cast<double>(k) / parts, .high = static_cast<double>(k + 1) / parts};
  for (std::size_t i = 0; i < scores.size(); ++i) {
    CalibrationPoint& point = points[std::min(static_cast<std::size_t>(scores[i] * parts), parts - 1)];
    point.count += 1;
    point.share += labels[i];
  }
  for (CalibrationPoint& point : points) point.share = point.count > 0 ? point.share / point.count : 0;
  return points;
}

void add_constant_class(const FittedModel& model, const Dataset& data, bool probabilities,
                        OpenScores& scores) {
  std::vector<double> counts(model.classes.size());
  for (const double label : data.labels) counts[static_cast<std::size_t>(label)] += 1;
  const auto n = static_cast<double>(data.size());
  scores.constant_accuracy = std::ranges::max(counts) / n;
  if (!probabilities) return;
  scores.constant_log_loss = 0;
  for (const double count : counts)
    if (count > 0) *scores.constant_log_loss -= count / n * std::log(count / n);
}

void add_constant_number(const Dataset& data, OpenScores& scores) {
  std::vector<double> sorted = data.labels;
  std::ranges::sort(sorted);
  const auto n = static_cast<double>(sorted.size());
  double mean = 0, squared = 0, absolute = 0;
  for (const double y : sorted) mean += y / n;
  const double median = sorted[sorted.size() / 2];
  for (const double y : sorted) {
    squared += (y - mean) * (y - mean) / n;
    absolute += std::abs(y - median) / n;
  }
  scores.constant_rmse = std::sqrt(squared);
  scores.constant_mae = absolute;
}

}  // namespace

OpenScores open_scores(const FittedModel& model, const Dataset& data) {
  OpenScores scores;
  if (!classifies(model.loss)) {
    add_constant_number(data, scores);
    return scores;
  }
  const Predictions predictions = predict(model, data.features);
  const bool probabilities = !predictions.probabilities.empty();
  add_constant_class(model, data, probabilities, scores);
  const std::vector<double> ranked = scores_of(model, predictions);
  if (ranked.empty()) return scores;
  scores.auc = auc_of(ranked, data.labels);
  if (probabilities) scores.calibration = calibration_of(ranked, data.labels);
  return scores;
}

}  // namespace tacit::inline v1::service
