#include "tacit/model.hpp"

#include <memory>

#include "command.hpp"
#include "tacit/fit.hpp"
#include "tacit/service.hpp"
#include "working.hpp"

namespace tacit::cli {

namespace {

struct PredictFlags {
  ReadingFlags reading;
  std::string model, output, target;
  bool json = false;
};

nlohmann::ordered_json as_json(const FittedModel& model, const Predictions& predictions) {
  auto records = nlohmann::ordered_json::array();
  const std::size_t classes = model.classes.size();
  for (std::size_t i = 0; i < predictions.value.size(); ++i) {
    nlohmann::ordered_json record;
    if (classes > 0)
      record["prediction"] = model.classes[static_cast<std::size_t>(predictions.value[i])];
    else
      record["prediction"] = predictions.value[i];
    if (!predictions.probabilities.empty())
      for (std::size_t k = 0; k < classes; ++k)
        record["probabilities"][model.classes[k]] = predictions.probabilities[i * classes + k];
    if (!predictions.decision.empty()) record["decision"] = predictions.decision[i];
    records.push_back(std::move(record));
  }
  return records;
}

void run(const PredictFlags& flags) {
  if (!flags.output.empty()) service::require_writable(flags.output);
  require_no_input("--output", flags.output, {flags.model, flags.reading.path});
  require_same_kind("--output", flags.output, flags.json ? "[" : "prediction", "list of predictions");
  std::string text;
  {
    const Working bar("predicting", Working::Plans::told);
    const FittedModel model = service::load_model(flags.model);
    ReadOptions reading = read_options(flags.reading);
    reading.target = flags.target;
    const Dataset data = service::read_for_prediction(model, reading);
    const Predictions predictions = predict(model, data.features);
    text = flags.json ? as_json(model, predictions).dump() + "\n" : predictions_to_csv(model, predictions);
  }
  write_results(flags.output, text);
}

}  // namespace

void add_predict(Command& tool) {
  auto flags = std::make_shared<PredictFlags>();
  Command command = tool.add_command("predict", "predict the target of records with a model",
                                     "tacit predict model.json new_people.csv --output predictions.csv");
  command->add_option("MODEL", flags->model, "a model that `tacit fit` wrote")->required();
  add_reading_flags(*command, flags->reading);
  command->add_option("--target", flags->target,
                      "the column with labels, which is left out; default: the model's");
  command->add_option("--output", flags->output, "where the predictions go; default: standard output");
  command->add_flag("--json", flags->json, "a JSON array with one object per record instead of CSV");
  command->callback([flags] { run(*flags); });
}

}  // namespace tacit::cli
