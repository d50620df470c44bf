#include "service/fit/found_ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "algorithm/intervals/intervals.hpp"
#include "algorithm/statistics/private_schema.hpp"
#include "domain/text.hpp"
#include "service/fit/columns.hpp"
#include "service/fit/failed_reads.hpp"
#include "service/fit/ledger_request.hpp"
#include "service/fit/planned.hpp"
#include "service/fit/ranges.hpp"
#include "service/fit/split.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"
#include "tacit/ledger.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::inline v1::service {

namespace {

struct Ranges {
  statistics::FoundSchema found;
  RangeAnswers answers;
  std::vector<Step> steps;
  std::string ledger_release;
};

Ranges find_ranges(const RawTable& table, std::size_t public_count, const statistics::RangeOptions& options,
                   bool ask_target, const std::function<std::string(const Step&)>& before, BitSource& bits) {
  statistics::RawNames names{.columns = {}, .target = {}, .user = {}, .classes = {}};
  names.decimal = table.decimal;
  for (const RawColumn& column : table.columns)
    if (column.name != table.target) names.columns.push_back(column.name);
  if (ask_target) names.target = table.target;
  std::optional<std::size_t> units;
  if (options.neighbours != Neighbours::add_remove) units = public_count;
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

// Said before anything is spent.
void announce_share(double share) {
  announce(
      fmt::format("Warning: no ranges are stated, so {:g} of the guarantee is spent on finding them; with "
                  "stated ranges all of it goes to the fit.",
                  share));
}

// What the noise hid, said before the fit.
void announce_hidden(const statistics::FoundSchema& found) {
  for (const std::string& note : found.notes) announce(fmt::format("Warning: {}.", note));
  if (found.left_out.empty()) return;
  if (found.left_out.size() == found.schema.columns.size()) {
    announce(fmt::format(
        "Warning: all columns are left out, and the model is a constant: \"{}\", for one ({}). State "
        "min and max in a schema, give more epsilon, or, for numbers that are about centred and of "
        "one size, take them as they are with a range share of 0.",
        found.left_out[0].first, found.left_out[0].second));
    return;
  }
  constexpr std::size_t most = 5;
  std::string columns;
  for (std::size_t k = 0; k < std::min(most, found.left_out.size()); ++k)
    columns +=
        fmt::format("{}\"{}\" ({})", k == 0 ? "" : ", ", found.left_out[k].first, found.left_out[k].second);
  const std::size_t more = found.left_out.size() - std::min(most, found.left_out.size());
  announce(fmt::format("Warning: the fit leaves out {}{}.", columns,
                       more > 0 ? fmt::format(" and {} more columns", more) : ""));
}

// Whether a method's certificate says under add_remove that there are at most as many as was stated; the
// others' proofs hold for any number.
bool assumes_count(const Method* method) { return method->assumptions != nullptr; }

// A method that assumes a count refuses more records than were stated. Which one the columns lead to is known
// only after the charge, when nothing may be refused: where other methods take any number, they are left.
std::vector<const Method*> never_refusing(std::vector<const Method*> candidates, const Budget& budget) {
  if (budget.neighbours == Neighbours::add_remove && !std::ranges::all_of(candidates, assumes_count))
    std::erase_if(candidates, assumes_count);
  return candidates;
}

// `charged` is set once the ledger is.
Ranges ranges_of(const KnownBefore& known, const RangeSplit& split, double share,
                 const std::vector<std::string>& said, std::size_t units, BitSource& bits, bool& charged) {
  const auto& ledger = known.plan.options.ledger;
  const auto charge = [&](const Step& step) {
    announce_share(share);
    for (const std::string& what : said) announce(fmt::format("Warning: {}.", what));
    if (known.asked.before_each_step) known.asked.before_each_step(step);
    std::string release;
    if (ledger) {
      if (ledger->before_charge) ledger->before_charge();
      const Method& method = *never_refusing(known.plan.candidates, known.budget).front();
      release = charge_ledger(ledger->path, request_to(known.plan.options, method, known.budget, {}));
    }
    charged = true;
    return release;
  };
  const statistics::RangeOptions search{.target = split.ranges,
                                        .unit = known.budget.unit,
                                        .neighbours = known.budget.neighbours,
                                        .number_target = true};
  Ranges ranges = find_ranges(known.table, units, search, known.ask_target(), charge, bits);
  announce_hidden(ranges.found);
  return ranges;
}

// ---- Before the charge: what the fit would refuse.

FitOptions options_of_rest(const KnownBefore& known, const RangeSplit& split) {
  FitOptions options = known.asked;
  options.unit = known.plan.options.unit;
  options.guarantee = split.rest;
  options.neighbours = known.budget.neighbours;
  options.ledger.reset();
  options.range_share = 0;
  return options;
}

SchemaTarget made_up_target(const RawTable& table, TargetKind kind, std::size_t classes) {
  SchemaTarget target{.column = "target"};
  while (std::ranges::find(table.columns, target.column, &RawColumn::name) != table.columns.end())
    target.column += "_";
  if (kind == TargetKind::numeric) {
    target.min = 0;
    target.max = 1;
  }
  for (std::size_t k = 0; kind == TargetKind::classes && k < classes; ++k)
    target.classes.push_back(std::to_string(k));
  return target;
}

// How many parameters there are is known only once the columns are found and paid for: a method or a domain
// that can do with few numbers of them alone is refused now.
void refuse_what_hangs_on_parameters(const FitPlan& plan) {
  constexpr std::string_view remedy =
      "is known only once the columns are found, and found columns are paid for: give a schema, which "
      "`tacit schema` drafts";
  const Method& method = *plan.candidates.front();
  const Facts& options = plan.options.method_options;
  if (needs_few_parameters(method, options))
    throw_error<UsageError>("the method {} fits few parameters only, and how many there are {}", method.name,
                            remedy);
  if (options.has("domain") && !fits_every_dimension(options.text("domain")))
    throw_error<UsageError>("the domain names coordinates, and how many there are {}", remedy);
}

// The fit that is to be expected, with every column a number in a range; what is to be said of it. Columns
// that turn out to be text or of no use make another number of parameters: no refusal may hang on it.
std::vector<std::string> expect(const KnownBefore& known, const RangeSplit& split, std::size_t units,
                                SchemaTarget target) {
  Schema schema;
  for (const RawColumn& column : known.table.columns)
    if (column.name != known.table.target && column.name != known.table.user)
      schema.columns.push_back({column.name, NumericColumn{.min = 0, .max = 1}});
  schema.target = std::move(target);
  const FitPlan plan = resolve(options_of_rest(known, split), schema);
  const SharedFit shared = with_interval_share(plan.options);
  const ExpectedFit fit = expected_fit(plan, shared, schema, units);
  const bool stated = known.budget.neighbours != Neighbours::add_remove ||
                      plan.options.method_options.has(count_option(known.budget.unit));
  return said_beforehand(shared.options, fit.records,
                         size_of_fit(*fit.choice.method, fit.shape,
                                     stated ? std::optional(units) : std::nullopt, shared.options.guarantee));
}

bool is_for(const LossSpec& loss, TargetKind kind, std::size_t classes) {
  return classifies(loss) == (kind == TargetKind::classes) &&
         (kind == TargetKind::numeric || classes == 2 || !std::holds_alternative<Link>(loss));
}

// Throws where a fit of any target would be refused: by options and public numbers alone.
void refuse_for_any_target(const KnownBefore& known, const RangeSplit& split, std::size_t units) {
  struct Target {
    TargetKind kind;
    std::size_t classes;
  };
  std::exception_ptr refusal;
  for (const auto& [kind, classes] :
       {Target{TargetKind::classes, 2}, Target{TargetKind::classes, 3}, Target{TargetKind::numeric, 0}}) {
    if (!is_for(choose_loss(known.asked, kind, classes), kind, classes)) continue;
    try {
      expect(known, split, units, made_up_target(known.table, kind, classes));
      return;
    } catch (const Error&) {
      if (!refusal) refusal = std::current_exception();
    }
  }
  if (refusal) std::rethrow_exception(refusal);
}

// The columns are paid for and their number is public now: a fit without intervals is worth more than none.
void leave_out_intervals_of_too_many(FitOptions& options, const FitRecords& records) {
  const std::size_t parameters = records.data.features.columns() + (options.intercept != 0 ? 1 : 0);
  if (!options.interval_level || parameters <= intervals::most_parameters) return;
  announce(
      fmt::format("Warning: there are no intervals: {} parameters are more than {}; the share of them "
                  "goes to the fit. The encoder linear makes fewer.",
                  parameters, intervals::most_parameters));
  options.interval_level.reset();
}

// The fit, with the rest of the guarantee; the ranges are public now.
FittedModel fit_rest(const KnownBefore& known, const RangeSplit& split, const Ranges& ranges,
                     const std::vector<std::string>& said, BitSource& bits) {
  Schema schema = ranges.found.schema;
  std::vector<std::string> classes = two_values(schema.target);
  if (!known.asked.loss.empty()) classes.clear();  // a loss for numbers was named
  if (!classes.empty())
    announce(
        fmt::format("The target \"{}\" shows only two values, {} and {}, which are taken for classes; where "
                    "it has more, give its range in a schema, or a loss for numbers.",
                    schema.target->column, classes[0], classes[1]));
  else if (known.ask_target() && schema.target && schema.target->min && schema.target->max)
    announce(fmt::format("The target \"{}\" has numbers from {} to {}; labels outside of that are cut to it.",
                         schema.target->column, *schema.target->min, *schema.target->max));
  auto [plan, records] = known.encode(known, schema, options_of_rest(known, split));
  plan.candidates = never_refusing(std::move(plan.candidates), known.budget);
  plan.said = said;
  leave_out_intervals_of_too_many(plan.options, records);
  if (!classes.empty()) {
    plan.options.target_min.reset();
    plan.options.target_max.reset();
    make_classes(classes, records);
  }
  FitRun made = run(plan, records, bits);
  made.ledger_release = ranges.ledger_release;
  made.ranges = RangeRun{.whole = known.budget.limit,
                         .split = split,
                         .steps = ranges.steps,
                         .answers = ranges.answers,
                         .asked_target = known.ask_target()};
  return seal(plan, records, std::move(made));
}

}  // namespace

bool KnownBefore::ask_target() const {
  return kind == TargetKind::numeric && !plan.options.target_min && !plan.options.target_max;
}

std::size_t public_units(const FitPlan& plan, const Budget& budget, std::size_t there) {
  const Facts& facts = plan.options.method_options;
  const bool users = budget.unit == Unit::user;
  const char *fact = count_option(budget.unit), *units = users ? "users" : "records";
  const char* const option = users ? "user-count" : "records";
  // Under add_remove those who go by a number were told one, or refused.
  if (!facts.has(fact)) return budget.neighbours == Neighbours::add_remove ? 1 : there;
  const std::int64_t stated = facts.integer(fact);
  if (budget.neighbours == Neighbours::add_remove && !std::ranges::all_of(plan.candidates, assumes_count))
    return static_cast<std::size_t>(std::max<std::int64_t>(stated, 0));
  if (stated < static_cast<std::int64_t>(there))
    throw_error<UsageError>("{} is {}, but the data has more {}", option, stated, units);
  if (budget.neighbours == Neighbours::replace_one && stated != static_cast<std::int64_t>(there))
    throw_error<UsageError>("{} is {}, but the data has fewer {}, and their number is public", option, stated,
                            units);
  return static_cast<std::size_t>(stated);
}

// The rule was measured for records whose number is public, and is for those.
double share_of(const FitPlan& plan, const Budget& budget, std::size_t records, std::size_t columns) {
  if (plan.options.range_share) return *plan.options.range_share;
  if (budget.unit == Unit::user || budget.neighbours == Neighbours::add_remove) return 0;
  return recording_refusals(plan.options.ledger, false, [&] {
    return range_share_for(static_cast<double>(public_units(plan, budget, records)), *size_of(budget.limit),
                           columns);
  });
}

FittedModel fit_both(const KnownBefore& known, double share, BitSource& bits) {
  const auto& ledger = known.plan.options.ledger;
  const auto [first, rest] = split_guarantee(known.budget.limit, share, "ranges and a fit");
  const RangeSplit split{first, rest};
  bool charged = false;
  const std::size_t units = recording_refusals(ledger, charged, [&] {
    const RawTable& table = known.table;
    return public_units(known.plan, known.budget,
                        known.budget.unit == Unit::user ? table.user_count : table.records);
  });
  // No look at the records, so nothing to write down.
  refuse_what_hangs_on_parameters(known.plan);
  refuse_for_any_target(known, split, units);
  std::vector<std::string> said;
  const Ranges ranges = recording_refusals(ledger, charged, [&] {
    said = expect(known, split, units, made_up_target(known.table, known.kind, known.classes));
    return ranges_of(known, split, share, said, units, bits, charged);
  });
  constexpr std::string_view spent = "the ranges were found before, so the budget is spent";
  try {
    return fit_rest(known, split, ranges, said, bits);
  } catch (const InfeasibleError& error) {
    throw_error<InfeasibleError>("{}; {}", error.what(), spent);
  } catch (const UsageError& error) {
    throw_error<UsageError>("{}; {}", error.what(), spent);
  }
}

}  // namespace tacit::inline v1::service
