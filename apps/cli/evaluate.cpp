#include <memory>
#include <optional>

#include "command.hpp"
#include "tacit/core.hpp"
#include "tacit/service.hpp"
#include "working.hpp"

namespace tacit::cli {

namespace {

struct EvaluateFlags {
  ReadingFlags reading;
  std::string model, target;
  bool json = false;
};

using NamedMetrics = std::vector<std::pair<const char*, std::optional<double>>>;

NamedMetrics named(const FittedModel& model, const Metrics& metrics) {
  if (classifies(model.loss)) return {{"accuracy", metrics.accuracy}, {"log_loss", metrics.log_loss}};
  return {{"rmse", metrics.rmse}, {"mae", metrics.mae}};
}

nlohmann::ordered_json as_json(const NamedMetrics& metrics, std::size_t records) {
  nlohmann::ordered_json json;
  for (const auto& [name, value] : metrics) json[name] = value ? nlohmann::ordered_json(*value) : nullptr;
  json["records"] = records;
  json["private"] = false;
  return json;
}

std::string as_text(const NamedMetrics& metrics, std::size_t records) {
  std::string text;
  for (const auto& [name, value] : metrics)
    if (value) text += fmt::format("{:<9} {:.6g}\n", name, *value);
  return text + fmt::format("Measured on {} records as they are: these numbers are not private.\n", records);
}

void run(const EvaluateFlags& flags) {
  std::optional<Metrics> metrics;
  FittedModel model;
  {
    const Working bar("evaluating");
    model = service::load_model(flags.model);
    ReadOptions reading = read_options(flags.reading);
    reading.target = flags.target;
    metrics = evaluate(model, service::read_for_evaluation(model, reading));
  }
  const NamedMetrics values = named(model, *metrics);
  if (flags.json)
    print(as_json(values, metrics->records));
  else
    print(as_text(values, metrics->records));
}

}  // namespace

void add_evaluate(Command& tool) {
  auto flags = std::make_shared<EvaluateFlags>();
  Command command =
      tool.add_command("evaluate", "measure a model on labelled records (the result is not private)",
                       "tacit evaluate model.json people_test.csv");
  command->add_option("MODEL", flags->model, "a model that `tacit fit` wrote")->required();
  add_reading_flags(*command, flags->reading);
  command->add_option("--target", flags->target, "the column with the labels; default: the model's");
  command->add_flag("--json", flags->json, "accuracy and log_loss, or rmse and mae, as JSON");
  command->callback([flags] { run(*flags); });
}

}  // namespace tacit::cli
