#include "service/fit/ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "data/raw_table.hpp"
#include "privacy/assumptions.hpp"
#include "service/fit/failed_reads.hpp"
#include "service/fit/found_ranges.hpp"
#include "service/fit/method_options.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::service {

namespace {

// The records with every column left out: whatever is wrong with labels and user ids shows now, before
// anything is charged.
ReadOptions labels_alone(const ReadOptions& reading, const FitPlan& plan, const RawTable& table) {
  ReadOptions how = reading;
  if (format_of(reading) == Format::csv) {
    how.header = table.header;
    how.separator = table.separator;
  }
  how.wish = wish_for(plan.options, reading);
  how.schema.emplace();
  for (const RawColumn& column : table.columns)
    if (column.name != table.target) how.schema->columns.push_back({column.name, IgnoredColumn{}});
  return how;
}

Encoded encoded_file(const ReadOptions& reading, const ReadOptions& labels, const KnownBefore& known,
                     const Schema& schema, const FitOptions& options) {
  ReadOptions how = labels;
  how.wish = reading.wish;
  how.schema = schema;
  how.target = known.table.target;
  how.user = known.table.user;
  FitPlan plan = resolve(how, options);
  FitRecords records = read(how, plan);
  Sources& sources = records.sources;
  sources.guessed_numbers = known.kind == TargetKind::numeric && labels.wish == TargetWish::as_found;
  const bool text = format_of(reading) == Format::csv;
  sources.guessed_header = text && !reading.header;
  sources.guessed_separator = text && !reading.separator;
  sources.read_off_data.emplace_back(key_of(known.table.header ? ReadOff::names : ReadOff::columns));
  return {std::move(plan), std::move(records)};
}

KnownBefore known_of(const ReadOptions& reading, const FitOptions& asked, const FitPlan& plan) {
  const Budget budget = requested_budget(plan.options, *plan.candidates.front());
  const auto& ledger = plan.options.ledger;
  RawTable table = recording_failures(ledger, [&] { return read_raw_table(reading, RawLayout::guessed); });
  const ReadOptions labels = labels_alone(reading, plan, table);
  const Dataset read = recording_refusals(ledger, false, [&] { return read_dataset(labels).data; });
  const auto encode = [&reading, labels](const KnownBefore& known, const Schema& schema,
                                         const FitOptions& options) {
    return encoded_file(reading, labels, known, schema, options);
  };
  return {asked, plan, budget, std::move(table), read.target_kind, read.classes.size(), encode};
}

// Options that speak of numbers as they are, or of the coordinates that they make.
bool speaks_of_numbers(const Facts& method_options) {
  return std::ranges::any_of(
      std::array{"limit_share", "column_share", "moment_order", "label_bound", "domain"},
      [&](const char* name) { return method_options.has(name); });
}

// Whether only few parameters are feasible: found columns might make more.
bool fits_few_parameters(const FitOptions& options) {
  return !chooses_itself(options) &&
         needs_few_parameters(find_method(options.method), under_fact_names(options.method_options));
}

bool is_raw_table(Format format) { return is_table(format) && format != Format::encoded; }

}  // namespace

bool may_find_ranges(const ReadOptions& reading, const FitOptions& options) {
  return may_find_ranges(options, reading.schema ? "the schema states the ranges"
                                  : !is_raw_table(format_of(reading))
                                      ? "only tables have columns whose ranges "
                                        "could be found"
                                      : "");
}

bool may_find_ranges(const FitOptions& options, std::string why_not) {
  const bool private_fit =
      std::holds_alternative<Pure>(options.guarantee) || std::holds_alternative<Approx>(options.guarantee);
  if (why_not.empty())
    why_not = !private_fit         ? "ranges are found under epsilon, or epsilon and delta"
              : options.row_bound  ? "a row bound is for numbers as they are"
              : options.checkpoint ? "a fit with checkpoints takes numbers as they are"
              : options.encoder == EncoderRule::linear_v1 ? "the encoder linear-v1 takes numbers as they are"
                                                          : "";
  if (options.range_share && !(*options.range_share >= 0 && *options.range_share < 1))
    throw_error<UsageError>("the range share is {}, expected at least 0 and below 1", *options.range_share);
  if (!why_not.empty() && options.range_share.value_or(0) > 0)
    throw_error<UsageError>("a range share has no effect here: {}", why_not);
  if (!options.range_share &&
      (speaks_of_numbers(under_fact_names(options.method_options)) || fits_few_parameters(options)))
    return false;
  return why_not.empty() && options.range_share != 0;
}

namespace {

constexpr double usual_share = 0.3, enough = 50;  // [utility only, measured: docs/private_schema.md]

double for_each_column(double units, double epsilon, std::size_t columns) {
  return units * epsilon / static_cast<double>(columns);
}

}  // namespace

double range_share_for(double records, double epsilon, std::size_t columns) {
  return for_each_column(records, epsilon, columns) >= enough ? usual_share : 0;
}

void announce_few_records(std::optional<std::size_t> units, const Budget& search, std::size_t columns) {
  if (!units || columns == 0) return;
  const double each = for_each_column(static_cast<double>(*units), *size_of(search.limit), columns);
  if (each >= enough) return;
  announce(fmt::format(
      "Warning: {} {}s x epsilon {:g} / {} columns = {:.2g} is below {:g}: noise will hide what many columns "
      "hold, and kinds and ranges may be false. Spend more epsilon, leave columns out, or write a schema by "
      "hand.",
      *units, record_or_user(search.unit), *size_of(search.limit), columns, each, enough));
}

std::optional<FittedModel> fit_finding_ranges(const ReadOptions& reading, const FitOptions& asked,
                                              const FitPlan& plan, BitSource& bits) {
  require_unseeded(asked, bits);
  const KnownBefore known = known_of(reading, asked, plan);
  const double share = share_of(known.plan, known.budget, known.table.records, known.table.columns.size());
  if (!(share > 0)) return std::nullopt;
  return fit_both(known, share, bits);
}

}  // namespace tacit::inline v1::service
