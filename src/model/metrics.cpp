#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tacit/core.hpp"
#include "tacit/model.hpp"

namespace tacit::inline v1 {

namespace {

// A probability that rounded to 0 counts as the smallest double, so that one record cannot make the mean
// infinite.
double log_loss_of(double probability) {
  return -std::log(std::fmax(probability, std::numeric_limits<double>::denorm_min()));
}

void check_labels(const FittedModel& model, const Dataset& data) {
  const TargetKind expected = classifies(model.loss) ? TargetKind::classes : TargetKind::numeric;
  if (data.target_kind != expected || data.labels.size() != data.size())
    throw_error<DataError>("the data has no labels that fit the model's loss {}", name(model.loss));
  if (data.size() == 0) throw_error<DataError>("there is no record to evaluate");
  for (const double label : data.labels)
    if (classifies(model.loss) && !(label >= 0 && label < static_cast<double>(model.classes.size())))
      throw_error<DataError>("the label {} is not the number of one of the model's {} classes", label,
                             model.classes.size());
}

// Of each record, larger the more it speaks for the second class; empty where there are more than two.
std::vector<double> scores_of(const FittedModel& model, const Predictions& predictions) {
  if (model.classes.size() != 2) return {};
  if (predictions.probabilities.empty()) return predictions.decision;
  std::vector<double> scores;
  for (std::size_t i = 1; i < predictions.probabilities.size(); i += 2)
    scores.push_back(predictions.probabilities[i]);
  return scores;
}

// P(a score of the second class > one of the first), ties counted half: by the ranks' sum [Mann & Whitney 1947].
std::optional<double> auc_of(const std::vector<double>& scores, const std::vector<double>& labels) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return scores[i]; });
  double below = 0, won = 0, second = 0;
  for (std::size_t k = 0; k < order.size();) {
    double of_first = 0, of_second = 0;
    const double score = scores[order[k]];
    for (; k < order.size() && scores[order[k]] == score; ++k) (labels[order[k]] == 0 ? of_first : of_second) += 1;
    won += of_second * (below + of_first / 2);
    below += of_first;
    second += of_second;
  }
  return below > 0 && second > 0 ? std::optional(won / (below * second)) : std::nullopt;
}

std::vector<CalibrationPoint> calibration_of(const std::vector<double>& scores, const std::vector<double>& labels) {
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

void add_constant_class(const FittedModel& model, const Dataset& data, Metrics& metrics) {
  std::vector<double> counts(model.classes.size());
  for (const double label : data.labels) counts[static_cast<std::size_t>(label)] += 1;
  const auto n = static_cast<double>(data.size());
  metrics.constant_accuracy = std::ranges::max(counts) / n;
  if (!metrics.log_loss) return;
  metrics.constant_log_loss = 0;
  for (const double count : counts)
    if (count > 0) *metrics.constant_log_loss -= count / n * std::log(count / n);
}

void add_constant_number(const Dataset& data, Metrics& metrics) {
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
  metrics.constant_rmse = std::sqrt(squared);
  metrics.constant_mae = absolute;
}

}  // namespace

Metrics evaluate(const FittedModel& model, const Dataset& data) {
  check_labels(model, data);
  const Predictions predictions = predict(model, data.features);
  const std::size_t records = data.size(), classes = model.classes.size();
  const auto n = static_cast<double>(records);
  Metrics metrics;
  metrics.records = records;
  double right = 0, log_loss = 0, squared = 0, absolute = 0;
  for (std::size_t i = 0; i < records; ++i) {
    const double error = predictions.value[i] - data.labels[i];
    right += error == 0 ? 1 : 0;
    squared += error * error;
    absolute += std::abs(error);
    if (!predictions.probabilities.empty())
      log_loss +=
          log_loss_of(predictions.probabilities[i * classes + static_cast<std::size_t>(data.labels[i])]);
  }
  if (classifies(model.loss)) {
    metrics.accuracy = right / n;
    if (!predictions.probabilities.empty()) metrics.log_loss = log_loss / n;
    const std::vector<double> scores = scores_of(model, predictions);
    if (!scores.empty()) metrics.auc = auc_of(scores, data.labels);
    if (!scores.empty() && metrics.log_loss) metrics.calibration = calibration_of(scores, data.labels);
    add_constant_class(model, data, metrics);
  } else {
    metrics.rmse = std::sqrt(squared / n);
    metrics.mae = absolute / n;
    add_constant_number(data, metrics);
  }
  return metrics;
}

}  // namespace tacit::inline v1
