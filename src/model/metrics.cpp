#include <cmath>
#include <limits>

#include "model/labels.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

// A probability that rounded to 0 counts as the smallest double, so that one record cannot make the mean
// infinite.
double log_loss_of(double probability) {
  return -std::log(std::fmax(probability, std::numeric_limits<double>::denorm_min()));
}

}  // namespace

void require_labels(const FittedModel& model, const Dataset& data) {
  const TargetKind expected = classifies(model.loss) ? TargetKind::classes : TargetKind::numeric;
  if (data.target_kind != expected || data.labels.size() != data.size())
    throw_error<DataError>("the data has no labels that fit the model's loss {}", name(model.loss));
  if (!classifies(model.loss)) return;
  if (!data.classes.empty() && data.classes != model.classes)
    throw_error<DataError>("the data has other classes than the model, or in another order");
  const std::size_t classes = model.classes.size();
  for (std::size_t i = 0; i < data.size(); ++i)
    if (const double label = data.labels[i];
        !(label >= 0 && label < static_cast<double>(classes)) || label != std::floor(label))
      throw_error<DataError>("record {}: the label is {}, expected the number of a class, 0 to {}", i, label,
                             classes - 1);
}

Metrics evaluate(const FittedModel& model, const Dataset& data) {
  require_labels(model, data);
  if (data.size() == 0) throw_error<DataError>("there is no record to evaluate");
  const Predictions predictions = predict(model, data.features);
  const std::size_t records = data.size(), classes = model.classes.size();
  const auto n = static_cast<double>(records);
  Metrics metrics{.records = records, .accuracy = {}, .log_loss = {}, .rmse = {}, .mae = {}};
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
  } else {
    metrics.rmse = std::sqrt(squared / n);
    metrics.mae = absolute / n;
  }
  return metrics;
}

}  // namespace tacit::inline v1
