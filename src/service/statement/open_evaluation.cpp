#include <fmt/format.h>

#include "model/json.hpp"
#include "tacit/statistics.hpp"

namespace tacit::inline v1::service {

namespace {

struct NamedMetric {
  const char* name;
  std::optional<double> value, constant;
};

std::vector<NamedMetric> named_metrics(const FittedModel& model, const Metrics& metrics,
                                       const OpenScores& scores) {
  if (!classifies(model.loss))
    return {{"rmse", metrics.rmse, scores.constant_rmse}, {"mae", metrics.mae, scores.constant_mae}};
  return {{"accuracy", metrics.accuracy, scores.constant_accuracy},
          {"log_loss", metrics.log_loss, scores.constant_log_loss},
          {"auc", scores.auc, scores.auc ? std::optional(0.5) : std::nullopt}};
}

Json open_json(const std::vector<NamedMetric>& values, std::size_t records, const OpenScores& scores) {
  Json json, constant;
  for (const auto& [name, value, of_constant] : values) {
    json[name] = value ? Json(*value) : nullptr;
    if (of_constant) constant[name] = *of_constant;
  }
  for (const CalibrationPoint& point : scores.calibration)
    json["calibration"].push_back(
        {{"low", point.low}, {"high", point.high}, {"count", point.count}, {"share", point.share}});
  json["constant"] = constant;
  json["records"] = records;
  json["private"] = false;
  return json;
}

std::string open_text(const std::vector<NamedMetric>& values, std::size_t records) {
  std::string text;
  for (const auto& [name, value, constant] : values)
    if (value)
      text += fmt::format("{:<9} {:.6g}{}\n", name, *value,
                          constant ? fmt::format("   constant: {:.6g}", *constant) : "");
  return text + fmt::format("Measured on {} record{}: these numbers are not private.\n", records,
                            records == 1 ? " as it is" : "s as they are");
}

}  // namespace

Evaluated open_evaluation(const FittedModel& model, const Dataset& data) {
  const Metrics metrics = evaluate(model, data);
  const OpenScores scores = open_scores(model, data);
  const std::vector<NamedMetric> values = named_metrics(model, metrics, scores);
  return {.json = open_json(values, metrics.records, scores).dump(2) + "\n",
          .text = open_text(values, metrics.records)};
}

}  // namespace tacit::inline v1::service
