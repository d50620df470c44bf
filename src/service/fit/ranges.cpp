#include "service/fit/ranges.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "algorithm/statistics/private_schema.hpp"
#include "data/raw_table.hpp"
#include "model/verify_ranges.hpp"
#include "service/fit/failed_reads.hpp"
#include "service/fit/steps.hpp"
#include "tacit/core.hpp"
#include "tacit/ledger.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::inline v1::service {

namespace {

// Of the parts epsilon·share and the rest, that together are no more than the whole. A delta is halved.
RangeSplit split_of(const Guarantee& whole, double share) {
  const auto parts = [&](double epsilon) {
    const double first = epsilon * share;
    double rest = epsilon - first;
    while (add_up(first, rest) > epsilon) rest = std::nextafter(rest, 0);
    return std::pair(first, rest);
  };
  if (const auto* pure = std::get_if<Pure>(&whole)) {
    const auto [first, rest] = parts(pure->epsilon);
    return {Pure{first}, Pure{rest}};
  }
  const auto& approx = std::get<Approx>(whole);
  const auto [first, rest] = parts(approx.epsilon);
  return {Approx{first, approx.delta / 2}, Approx{rest, approx.delta / 2}};  // halving is exact
}

// The records with every column left out: whatever is wrong with labels and user ids shows now, before
// anything is charged.
ReadOptions labels_alone(const ReadOptions& reading, const FitPlan& plan, const RawTable& table) {
  ReadOptions how = reading;
  how.header = table.header;
  how.separator = table.separator;
  how.wish = wish_for(plan.options, reading);
  how.schema.emplace();
  for (const RawColumn& column : table.columns)
    if (column.name != table.target) how.schema->columns.push_back({column.name, IgnoredColumn{}});
  return how;
}

struct Ranges {
  statistics::FoundSchema found;
  RangeAnswers answers;
  std::vector<Step> steps;
  std::string ledger_release;
};

Ranges find_ranges(const RawTable& table, const statistics::RangeOptions& options, bool ask_target,
                   const std::function<std::string(const Step&)>& before, BitSource& bits) {
  statistics::RawNames names{.columns = {}, .target = {}, .user = {}, .classes = {}};
  for (const RawColumn& column : table.columns)
    if (column.name != table.target) names.columns.push_back(column.name);
  if (ask_target) names.target = table.target;
  std::optional<std::size_t> units;
  if (options.neighbours != Neighbours::add_remove)
    units = options.unit == Unit::user ? table.user_count : table.records;
  const auto ask = [&](const RawTable* records, statistics::Answers& answers) {
    return statistics::find_schema(names, options, units, records, answers);
  };
  const statistics::Price price =
      statistics::price([&](statistics::Answers& answers) { ask(nullptr, answers); }, options.target);
  RootMeter meter({options.target, options.unit, options.neighbours}, bits);
  Ranges ranges;
  bool charged = false;
  meter.before_each_step([&](const Step& step) {
    if (!std::exchange(charged, true)) ranges.ledger_release = before(step);
  });
  statistics::ReleasedAnswers answers(price, meter);
  ranges.found = ask(&table, answers);
  ranges.answers = {answers.released(), answers.released_texts()};
  ranges.steps = meter.steps();
  return ranges;
}

// Two values become a range, so that every label is cut to it, and none is an error; the two are returned.
std::vector<std::string> two_values(std::optional<SchemaTarget>& target) {
  if (!target || target->classes.empty()) return {};
  target->min = std::stod(target->classes[0]);
  target->max = std::stod(target->classes[1]);
  return std::exchange(target->classes, {});
}

// Labels that are cut to two values are those of two classes.
void make_classes(const std::vector<std::string>& classes, FitRecords& records) {
  if (classes.empty()) return;
  const double low = std::stod(classes[0]), high = std::stod(classes[1]);
  for (double& label : records.data.labels) label = label - low < high - label ? 0 : 1;
  records.data.target_kind = TargetKind::classes;
  records.data.classes = classes;
  if (records.schema && records.schema->target) {
    records.schema->target->classes = classes;
    records.schema->target->min.reset();
    records.schema->target->max.reset();
  }
}

}  // namespace

bool may_find_ranges(const ReadOptions& reading, const FitOptions& options) {
  const bool private_fit =
      std::holds_alternative<Pure>(options.guarantee) || std::holds_alternative<Approx>(options.guarantee);
  const std::string why_not =
      reading.schema                              ? "the schema states the ranges"
      : !is_table(format_of(reading))             ? "only tables have columns whose ranges could be found"
      : !private_fit                              ? "ranges are found under epsilon, or epsilon and delta"
      : options.row_bound                         ? "a row bound is for numbers as they are"
      : options.checkpoint                        ? "a fit with checkpoints takes numbers as they are"
      : options.encoder == EncoderRule::linear_v1 ? "the encoder linear-v1 takes numbers as they are"
                                                  : "";
  if (options.range_share && !(*options.range_share >= 0 && *options.range_share < 1))
    throw_error<UsageError>("the range share is {}, expected at least 0 and below 1", *options.range_share);
  if (!why_not.empty() && options.range_share.value_or(0) > 0)
    throw_error<UsageError>("a range share has no effect here: {}", why_not);
  return why_not.empty() && options.range_share.value_or(0) > 0;
}

double range_share_for(double units, double epsilon, std::size_t columns) {
  constexpr double share = 0.2, enough = 400;  // [utility only, docs/private_schema.md]
  return units * epsilon >= enough * static_cast<double>(columns) ? share : 0;
}

FittedModel fit_finding_ranges(const ReadOptions& reading, const FitOptions& asked, BitSource& bits) {
  const FitPlan plan = resolve(reading, asked);
  const Method& method = *plan.candidates.front();
  if (plan.options.ledger && bits.seeded())
    throw_error<UsageError>("a fit with seeded bits is not private and cannot be charged to a ledger");
  const Budget budget = requested_budget(plan.options, method);
  const RawTable table =
      recording_failures(plan.options.ledger, [&] { return read_raw_table(reading, RawLayout::guessed); });
  const ReadOptions labels = labels_alone(reading, plan, table);
  const TargetKind kind =
      recording_failures(plan.options.ledger, [&] { return read_dataset(labels).data.target_kind; });

  const bool counted = budget.neighbours != Neighbours::add_remove;
  const auto units = static_cast<double>(budget.unit == Unit::user ? table.user_count : table.records);
  const double by_rule = counted ? range_share_for(units, *size_of(budget.limit), table.columns.size()) : 0;
  const double share = plan.options.range_share.value_or(by_rule);
  FitOptions rest = asked;
  if (!(share > 0)) {
    rest.range_share = 0;
    return fit_file(reading, rest, bits);
  }
  const RangeSplit split = split_of(budget.limit, share);
  const bool ask_target = kind == TargetKind::numeric && !plan.options.target_min && !plan.options.target_max;
  const auto charge = [&](const Step& step) {
    if (asked.before_each_step) asked.before_each_step(step);
    if (!plan.options.ledger) return std::string();
    return charge_ledger(plan.options.ledger->path, {plan.options.ledger->name, method.name, budget});
  };
  Ranges ranges =
      find_ranges(table, {.target = split.ranges, .unit = budget.unit, .neighbours = budget.neighbours},
                  ask_target, charge, bits);

  // From here on the ranges are public.
  ReadOptions how = labels;
  how.wish = reading.wish;
  how.schema = ranges.found.schema;
  how.target = table.target;
  how.user = table.user;
  std::vector<std::string> classes = two_values(how.schema->target);
  if (!asked.loss.empty()) classes.clear();  // a loss for numbers was named
  rest.guarantee = split.rest;
  rest.neighbours = budget.neighbours;
  rest.ledger.reset();
  rest.range_share = 0;
  FitPlan planned = resolve(how, rest);
  FitRecords records = read(how, planned);
  if (!classes.empty()) {
    planned.options.target_min.reset();
    planned.options.target_max.reset();
    make_classes(classes, records);
  }
  records.sources.guessed_numbers = kind == TargetKind::numeric && labels.wish == TargetWish::as_found;
  const bool text = format_of(reading) == Format::csv;
  records.sources.guessed_header = text && !reading.header;
  records.sources.guessed_separator = text && !reading.separator;
  if (!table.header) records.sources.read_off_data.emplace_back("columns");
  FitRun made = run(planned, records, bits);
  made.ledger_release = ranges.ledger_release;
  FittedModel model = seal(planned, records, std::move(made));
  model.certificate =
      with_ranges(std::move(model.certificate), std::move(ranges.steps), budget.limit, split, ask_target);
  model.ranges = std::move(ranges.answers);
  return model;
}

}  // namespace tacit::inline v1::service
