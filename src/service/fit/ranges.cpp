#include "service/fit/ranges.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "algorithm/statistics/private_schema.hpp"
#include "data/raw_table.hpp"
#include "model/verify_ranges.hpp"
#include "service/fit/failed_reads.hpp"
#include "service/fit/steps.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"
#include "tacit/ledger.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::inline v1::service {

namespace {

// The parts that together are no more than the whole. A delta is halved, less what the account of two such
// parts rounds up, and so is epsilon: by as little as the accountant admits.
RangeSplit split_of(const Guarantee& whole, double share) {
  const auto* pure = std::get_if<Pure>(&whole);
  const double epsilon = pure ? pure->epsilon : std::get<Approx>(whole).epsilon;
  const double delta = pure ? 0 : (0.5 - 0x1p-20) * std::get<Approx>(whole).delta;
  const auto part = [&](double e) { return pure ? Guarantee(Pure{e}) : Guarantee(Approx{e, delta}); };
  const double first = epsilon * share;
  double room = pure ? unit_roundoff : 0x1p-24;
  for (; room < 0x1p-6; room *= 2) {
    const RangeSplit split{part(first), part((epsilon - first) * (1 - room))};
    if (fits(together(split, whole), whole)) return split;
  }
  throw_error<UsageError>("epsilon is {}, too small to be shared by ranges and a fit", epsilon);
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

// What is known before anything is asked of the records.
struct Known {
  const ReadOptions& reading;
  const FitOptions& asked;
  FitPlan plan;
  Budget budget;
  RawTable table;
  ReadOptions labels;  // reads them alone
  TargetKind kind;

  bool ask_target() const {
    return kind == TargetKind::numeric && !plan.options.target_min && !plan.options.target_max;
  }
};

Known known_of(const ReadOptions& reading, const FitOptions& asked) {
  FitPlan plan = resolve(reading, asked);
  const Budget budget = requested_budget(plan.options, *plan.candidates.front());
  const auto& ledger = plan.options.ledger;
  RawTable table = recording_failures(ledger, [&] { return read_raw_table(reading, RawLayout::guessed); });
  ReadOptions labels = labels_alone(reading, plan, table);
  const TargetKind kind = recording_failures(ledger, [&] { return read_dataset(labels).data.target_kind; });
  return {reading, asked, std::move(plan), budget, std::move(table), std::move(labels), kind};
}

// The rule was measured for records whose number is public, and is for those.
double share_of(const Known& known) {
  if (const auto& stated = known.plan.options.range_share) return *stated;
  if (known.budget.unit == Unit::user || known.budget.neighbours == Neighbours::add_remove) return 0;
  return range_share_for(static_cast<double>(known.table.records), *size_of(known.budget.limit),
                         known.table.columns.size());
}

Ranges ranges_of(const Known& known, const RangeSplit& split, BitSource& bits) {
  const auto& ledger = known.plan.options.ledger;
  const auto charge = [&](const Step& step) {
    if (known.asked.before_each_step) known.asked.before_each_step(step);
    if (!ledger) return std::string();
    return charge_ledger(ledger->path, {ledger->name, known.plan.candidates.front()->name, known.budget});
  };
  const statistics::RangeOptions search{.target = split.ranges,
                                        .unit = known.budget.unit,
                                        .neighbours = known.budget.neighbours,
                                        .number_target = true};
  return find_ranges(known.table, search, known.ask_target(), charge, bits);
}

// The fit, with the rest of the guarantee; the ranges are public now.
FittedModel fit_rest(const Known& known, const RangeSplit& split, const Ranges& ranges, BitSource& bits) {
  ReadOptions how = known.labels;
  how.wish = known.reading.wish;
  how.schema = ranges.found.schema;
  how.target = known.table.target;
  how.user = known.table.user;
  std::vector<std::string> classes = two_values(how.schema->target);
  if (!known.asked.loss.empty()) classes.clear();  // a loss for numbers was named
  FitOptions options = known.asked;
  options.guarantee = split.rest;
  options.neighbours = known.budget.neighbours;
  options.ledger.reset();
  options.range_share = 0;
  FitPlan plan = resolve(how, options);
  FitRecords records = read(how, plan);
  if (!classes.empty()) {
    plan.options.target_min.reset();
    plan.options.target_max.reset();
    make_classes(classes, records);
  }
  Sources& sources = records.sources;
  sources.guessed_numbers = known.kind == TargetKind::numeric && known.labels.wish == TargetWish::as_found;
  const bool text = format_of(known.reading) == Format::csv;
  sources.guessed_header = text && !known.reading.header;
  sources.guessed_separator = text && !known.reading.separator;
  if (!known.table.header) sources.read_off_data.emplace_back("columns");
  FitRun made = run(plan, records, bits);
  made.ledger_release = ranges.ledger_release;
  return seal(plan, records, std::move(made));
}

// Options that speak of numbers as they are, or of the coordinates that they make.
bool speaks_of_numbers(const Facts& method_options) {
  return std::ranges::any_of(
      std::array{"limit_share", "column_share", "moment_order", "label_bound", "domain"},
      [&](const char* name) { return method_options.has(name); });
}

bool is_raw_table(Format format) { return is_table(format) && format != Format::encoded; }

}  // namespace

bool may_find_ranges(const ReadOptions& reading, const FitOptions& options) {
  const bool private_fit =
      std::holds_alternative<Pure>(options.guarantee) || std::holds_alternative<Approx>(options.guarantee);
  const std::string why_not =
      reading.schema                              ? "the schema states the ranges"
      : !is_raw_table(format_of(reading))         ? "only tables have columns whose ranges could be found"
      : !private_fit                              ? "ranges are found under epsilon, or epsilon and delta"
      : options.row_bound                         ? "a row bound is for numbers as they are"
      : options.checkpoint                        ? "a fit with checkpoints takes numbers as they are"
      : options.encoder == EncoderRule::linear_v1 ? "the encoder linear-v1 takes numbers as they are"
                                                  : "";
  if (options.range_share && !(*options.range_share >= 0 && *options.range_share < 1))
    throw_error<UsageError>("the range share is {}, expected at least 0 and below 1", *options.range_share);
  if (!why_not.empty() && options.range_share.value_or(0) > 0)
    throw_error<UsageError>("a range share has no effect here: {}", why_not);
  if (!options.range_share && speaks_of_numbers(options.method_options)) return false;
  return why_not.empty() && options.range_share != 0;
}

double range_share_for(double records, double epsilon, std::size_t columns) {
  constexpr double share = 0.3, enough = 50;  // [utility only, measured: docs/private_schema.md]
  return records * epsilon >= enough * static_cast<double>(columns) ? share : 0;
}

FittedModel fit_finding_ranges(const ReadOptions& reading, const FitOptions& asked, BitSource& bits) {
  if (asked.ledger && bits.seeded())
    throw_error<UsageError>("a fit with seeded bits is not private and cannot be charged to a ledger");
  const Known known = known_of(reading, asked);
  const double share = share_of(known);
  if (!(share > 0)) {
    FitOptions as_they_are = asked;
    as_they_are.range_share = 0;
    return fit_file(reading, as_they_are, bits);
  }
  const RangeSplit split = split_of(known.budget.limit, share);
  Ranges ranges = ranges_of(known, split, bits);
  constexpr std::string_view spent = "the ranges were found before, so the budget is spent";
  try {
    FittedModel model = fit_rest(known, split, ranges, bits);
    model.certificate = with_ranges(std::move(model.certificate), std::move(ranges.steps), known.budget.limit,
                                    split, known.ask_target());
    model.ranges = std::move(ranges.answers);
    return model;
  } catch (const InfeasibleError& error) {
    throw_error<InfeasibleError>("{}; {}", error.what(), spent);
  } catch (const UsageError& error) {
    throw_error<UsageError>("{}; {}", error.what(), spent);
  }
}

}  // namespace tacit::inline v1::service
