#include <memory>
#include <optional>

#include "command.hpp"
#include "statement_guarantee.hpp"
#include "tacit/core.hpp"
#include "tacit/service.hpp"
#include "tacit/statistics.hpp"
#include "working.hpp"

namespace tacit::cli {

namespace {

struct EvaluateFlags {
  ReadingFlags reading;
  std::string model, target, user, epsilon, delta, neighbours, ledger, ledger_name;
  bool json = false;
};

struct NamedMetric {
  const char* name;
  std::optional<double> value, constant;
};

std::vector<NamedMetric> named(const FittedModel& model, const Metrics& metrics,
                               const service::OpenScores& scores) {
  if (!classifies(model.loss))
    return {{"rmse", metrics.rmse, scores.constant_rmse}, {"mae", metrics.mae, scores.constant_mae}};
  return {{"accuracy", metrics.accuracy, scores.constant_accuracy},
          {"log_loss", metrics.log_loss, scores.constant_log_loss},
          {"auc", scores.auc, scores.auc ? std::optional(0.5) : std::nullopt}};
}

nlohmann::ordered_json as_json(const std::vector<NamedMetric>& values, std::size_t records,
                               const service::OpenScores& scores) {
  nlohmann::ordered_json json, constant;
  for (const auto& [name, value, of_constant] : values) {
    json[name] = value ? nlohmann::ordered_json(*value) : nullptr;
    if (of_constant) constant[name] = *of_constant;
  }
  for (const service::CalibrationPoint& point : scores.calibration)
    json["calibration"].push_back(
        {{"low", point.low}, {"high", point.high}, {"count", point.count}, {"share", point.share}});
  json["constant"] = constant;
  json["records"] = records;
  json["private"] = false;
  return json;
}

std::string as_text(const std::vector<NamedMetric>& values, std::size_t records) {
  std::string text;
  for (const auto& [name, value, constant] : values)
    if (value)
      text += fmt::format("{:<9} {:.6g}{}\n", name, *value,
                          constant ? fmt::format("   constant: {:.6g}", *constant) : "");
  return text + fmt::format("Measured on {} record{}: these numbers are not private.\n", records,
                            records == 1 ? " as it is" : "s as they are");
}

void run_privately(const EvaluateFlags& flags, const ReadOptions& reading) {
  service::EvaluateOptions options;
  options.guarantee = statement_guarantee(flags.epsilon, flags.delta);
  if (!flags.neighbours.empty()) options.neighbours = parse_neighbours(flags.neighbours);
  options.ledger = ledger_use(flags.ledger, flags.ledger_name);
  service::Evaluated found;
  {
    const Working bar("evaluating");
    found = service::evaluate_file(flags.model, reading, options);
  }
  print(flags.json ? found.json : found.text);
}

void run(const EvaluateFlags& flags) {
  ReadOptions reading = read_options(flags.reading);
  reading.target = flags.target;
  reading.user = flags.user;
  ledger_use(flags.ledger, flags.ledger_name);  // a name without a ledger is refused either way
  if (!flags.epsilon.empty()) return run_privately(flags, reading);
  for (const auto& [name, text] :
       {std::pair("--delta", &flags.delta), std::pair("--neighbours", &flags.neighbours),
        std::pair("--ledger", &flags.ledger), std::pair("--user", &flags.user)})
    if (!text->empty()) throw_error<UsageError>("{} needs --epsilon: without it nothing is private", name);
  std::optional<Metrics> metrics;
  service::OpenScores scores;
  FittedModel model;
  {
    const Working bar("evaluating");
    model = service::load_model(flags.model);
    const Dataset data = service::read_for_evaluation(model, reading);
    metrics = evaluate(model, data);
    scores = service::open_scores(model, data);
  }
  const std::vector<NamedMetric> values = named(model, *metrics, scores);
  if (flags.json)
    print(as_json(values, metrics->records, scores));
  else
    print(as_text(values, metrics->records));
}

}  // namespace

void add_evaluate(Command& tool) {
  auto flags = std::make_shared<EvaluateFlags>();
  Command command = tool.add_command(
      "evaluate", "measure a model on labelled records; private with --epsilon, and without it not",
      "tacit evaluate model.json people_test.csv");
  command->add_option("MODEL", flags->model, "a model that `tacit fit` wrote")->required();
  add_reading_flags(*command, flags->reading);
  command->add_option("--target", flags->target, "the column with the labels; default: the model's");
  command->add_option("--epsilon", flags->epsilon, "the privacy of the whole evaluation, > 0; default: none");
  command->add_option("--delta", flags->delta, "with --epsilon: approximate privacy, between 0 and 1");
  command->add_option("--neighbours", flags->neighbours,
                      "which datasets must look alike: zero_out, replace_one or add_remove; default: the "
                      "ledger's, or zero_out");
  command->add_option("--user", flags->user, "with --epsilon: the column that says whose record it is");
  command->add_option("--ledger", flags->ledger,
                      "with --epsilon: charge this ledger before anything is released");
  command->add_option("--ledger-name", flags->ledger_name,
                      "the name to charge; not needed when the ledger has one name only");
  command->add_flag("--json", flags->json, "accuracy, log_loss and auc, or rmse and mae, as JSON");
  command->callback([flags] { run(*flags); });
}

}  // namespace tacit::cli
