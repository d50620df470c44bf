#include <fmt/format.h>

#include <cmath>

#include "core/utf8.hpp"
#include "model/digest.hpp"
#include "model/labels.hpp"
#include "privacy/assumptions.hpp"
#include "service/fit/failed_reads.hpp"
#include "service/fit/group.hpp"
#include "service/fit/schema_cost.hpp"
#include "service/read_to_judge.hpp"
#include "service/statement/release.hpp"
#include "service/statement/shown_numbers.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/service.hpp"
#include "tacit/statistics.hpp"

namespace tacit::inline v1::service {

namespace {

constexpr const char* evaluate_method = "evaluate";

// The range that numbers are cut to, labels and predictions alike.
statistics::Interval range_of(const FittedModel& model) {
  const SchemaTarget* target = model.schema && model.schema->target ? &*model.schema->target : nullptr;
  if (!target || !target->min || !target->max)
    throw_error<UsageError>(
        "a private evaluation of numbers needs their public range: fit with a schema whose target has min "
        "and max");
  return {*target->min, *target->max};
}

statistics::ScoreOptions options_for(const FittedModel& model, const EvaluateOptions& asked, Unit unit) {
  const bool classifies = tacit::classifies(model.loss);
  const auto* link = std::get_if<Link>(&model.loss);
  statistics::ScoreOptions options{.target = asked.guarantee,
                                   .unit = unit,
                                   .neighbours = relation_of(asked.neighbours, asked.ledger, unit),
                                   .classifies = classifies,
                                   .probabilities = classifies && (!link || link->kind == LinkKind::logistic),
                                   .two_classes = model.classes.size() == 2,
                                   .confidence = asked.confidence};
  if (!classifies) options.range = range_of(model).high - range_of(model).low;
  options.validate();
  return options;
}

// Each record's scores are a function of that record and the model.
statistics::Scores scores_of(const FittedModel& model, const Dataset& data,
                             const statistics::ScoreOptions& options) {
  require_labels(model, data);
  const Predictions predictions = predict(model, data.features);
  statistics::Scores scores{.weights = statistics::weights_of(data, options.unit)};
  const std::size_t classes = model.classes.size();
  const statistics::Interval range = options.classifies ? statistics::Interval{} : range_of(model);
  const auto cut = [&](double y) {
    return y > range.low ? std::fmin(y, range.high) : range.low;
  };  // NaN: low
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double label = data.labels[i];
    if (!options.classifies) {
      const double error = std::fabs(cut(predictions.value[i]) - cut(label));
      scores.absolute.push_back(error);
      scores.squared.push_back(error * error);
      continue;
    }
    scores.right.push_back(predictions.value[i] == label ? 1 : 0);
    if (options.probabilities) {
      const double p = predictions.probabilities[i * classes + static_cast<std::size_t>(label)];
      scores.log_loss.push_back(
          -std::log(p > statistics::least_probability ? std::fmin(p, 1.0) : statistics::least_probability));
    }
    if (options.two_classes) {
      const double score = options.probabilities ? predictions.probabilities[2 * i + 1]
                                                 : 1 / (1 + std::exp(-predictions.decision[i]));
      const std::size_t cell =
          score > 0 ? statistics::cell_of(score, static_cast<std::size_t>(options.cells)) : 0;  // NaN: 0
      scores.cell.push_back(static_cast<double>(2 * cell) + label);
    }
  }
  return scores;
}

std::string with_interval(const Json& content, const char* values, const char* intervals,
                          const std::string& name) {
  return shown_estimate(
      {{"value", values ? content[values][name] : content[name]}, {"interval", content[intervals][name]}});
}

std::string in_words(const Json& content, const Certificate& certificate) {
  std::string text = summary_text(certificate);
  for (const auto& [name, interval] : content["intervals"].items()) {
    text += fmt::format("{:<9} {}", name, with_interval(content, nullptr, "intervals", name));
    if (content.contains("constant") && content["constant"].contains(name))
      text += "   constant: " + with_interval(content, "constant", "constant_intervals", name);
    text += "\n";
  }
  return text + evaluation_intervals(content) + "\n";
}

// Numbers of which nothing is told, by what was released of them.
std::vector<std::string> noise_alone(const statistics::ScoreOptions& options, const Json& content) {
  std::vector<std::string> told;
  for (const auto& [name, interval] : content["intervals"].items()) {
    const double most = name == "log_loss"   ? statistics::log_loss_bound
                        : options.classifies ? 1
                                             : options.range;
    if (interval[0].get<double>() <= 0 && interval[1].get<double>() >= most)
      told.push_back(
          fmt::format("the interval of {} is all that there is, 0 to {:.3g}: its value says nothing; more "
                      "epsilon or more "
                      "records would help",
                      name, most));
  }
  return told;
}

// All but the records.
struct Judging {
  FittedModel model;
  statistics::ScoreOptions options;
  Budget budget;
  std::string digest;  // of the model's file
  std::optional<LedgerGroup> group;
};

// What is assumed of how the records came here.
struct ReadBy {
  bool query = false;
  bool guessed_header = false, guessed_separator = false;
};

// A schema, or the caller, says how text is laid out. Without either, its first records do, as in a fit.
ReadBy read_by(const FittedModel& model, const ReadOptions& reading) {
  const bool text = format_of(reading) == Format::csv && !model.schema;
  return {.query = origin_of(reading).by_query,
          .guessed_header = text && !reading.header,
          .guessed_separator = text && !reading.separator};
}

// A model that protects people is judged on people: records of one person, each by itself, would be told with
// a weaker promise than the fit's, and no word of it.
Unit unit_of(const FittedModel& model, bool users_named) {
  const bool people =
      users_named || !fitted_user_column(model).empty() || model.certificate.unit == Unit::user;
  return people ? Unit::user : Unit::item;
}

[[noreturn]] void fail_without_users(const std::string& where, const std::string& column) {
  const std::string what = column.empty() ? "nothing says whose record it is"
                                          : fmt::format("there is no user column \"{}\"", visible(column));
  throw_error<DataError>(
      "{}: {}, and the evaluation protects people with all their records; name the user column", where, what);
}

// What a model learnt from cannot say whose record it is when it is judged: its records were no one's.
void require_no_feature(const FittedModel& model, const std::string& user) {
  if (user.empty() || !model.schema) return;
  for (const SchemaColumn& column : model.schema->columns)
    if (column.name == user && !std::holds_alternative<IgnoredColumn>(column.kind))
      throw_error<UsageError>(
          "the model has column \"{}\" among its features, so that it cannot say whose record it is: leave "
          "it out to judge the model on single records, or fit a model with it as the user column",
          visible(user));
}

Judging judging(const std::filesystem::path& path, const EvaluateOptions& asked, bool users_named) {
  Judging found{.model = load_model(path), .options = {}, .budget = {}, .digest = {}, .group = asked.group};
  const Unit unit = unit_of(found.model, users_named);
  found.options = options_for(found.model, asked, unit);
  check_group(found.group, found.model.schema, unit);
  found.budget = {found.options.target, unit, found.options.neighbours};
  found.digest = text(parse_json(read_file(path), path.string()), "digest");
  check_ledger(asked.ledger, found.group, evaluate_method, found.budget);
  return found;
}

Evaluated release_evaluation(const Judging& judged, Dataset all, const ReadBy& by,
                             const std::optional<LedgerUse>& ledger, BitSource& bits) {
  const statistics::ScoreOptions& options = judged.options;
  const Dataset data = recording_failures(ledger, [&] { return in_group(std::move(all), judged.group); });
  const statistics::Scores scores =
      recording_failures(ledger, [&] { return scores_of(judged.model, data, options); });
  Facts facts;
  const std::optional<std::size_t> units =
      state_units(options.unit, options.neighbours, data.size(), data.user_count, facts);
  facts.set("model_digest", judged.digest);
  const Content content = [&](statistics::Answers& answers, bool with_records) {
    return evaluation_content(options, units, with_records ? &scores : nullptr, answers);
  };
  StatementParts parts = release_statement(evaluate_method, content, judged.budget, ledger, judged.group,
                                           options.table().certified(options), std::move(facts), bits);
  if (by.guessed_header) assume_public(ReadOff::header, parts.certificate);
  if (by.guessed_separator) assume_public(ReadOff::separator, parts.certificate);
  state_sources(by.query, judged.group, parts.certificate);
  return {.json = statement_text(evaluation_format, parts.content, parts.released, parts.certificate),
          .text = in_words(parts.content, parts.certificate),
          .warnings = noise_alone(options, parts.content)};
}

}  // namespace

Evaluated evaluate_file(const std::filesystem::path& path, const ReadOptions& reading,
                        const EvaluateOptions& asked, BitSource& bits) {
  const Judging judged = judging(path, asked, !reading.user.empty() || !reading.users_path.empty());
  require_no_feature(judged.model, reading.user);
  Dataset data = recording_failures(asked.ledger, [&] {
    Dataset read = read_to_judge(judged.model, reading);
    if (judged.options.unit == Unit::user && read.users.empty())
      fail_without_users(source_name(reading.path),
                         reading.user.empty() ? fitted_user_column(judged.model) : reading.user);
    return read;
  });
  return release_evaluation(judged, std::move(data), read_by(judged.model, reading), asked.ledger, bits);
}

Evaluated evaluate_records(const std::filesystem::path& path, const Dataset& data,
                           const EvaluateOptions& asked) {
  const Judging judged = judging(path, asked, !data.users.empty());
  if (judged.options.unit == Unit::user && data.users.empty())
    fail_without_users("the records", fitted_user_column(judged.model));
  return release_evaluation(judged, data, {}, asked.ledger, *noise::system_bits());
}

Evaluated evaluate_file(const std::filesystem::path& path, const ReadOptions& reading,
                        const EvaluateOptions& asked) {
  return evaluate_file(path, reading, asked, *noise::system_bits());
}

}  // namespace tacit::inline v1::service
