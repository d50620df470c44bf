#include <algorithm>

#include "privacy/assumptions.hpp"
#include "service/fit/columns.hpp"
#include "service/fit/failed_reads.hpp"
#include "service/fit/group.hpp"
#include "service/fit/schema_cost.hpp"
#include "service/fit/steps.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::service {

namespace {

// Nothing but the first record tells whether a table's target has classes or numbers. (Classes that are found
// are an assumption of their own.)
bool numbers_were_guessed(const ReadOptions& reading, const ReadResult& read) {
  const bool stated = reading.schema && reading.schema->target;
  return is_table(format_of(reading)) && reading.wish == TargetWish::as_found && !stated &&
         read.data.target_kind == TargetKind::numeric;
}

// Whether what the fit may come to protect hides the number of records: how many a user has is the user's.
bool may_hide_count(const FitPlan& plan) {
  return std::ranges::any_of(plan.candidates, [&](const Method* method) {
    return method->unit == Unit::user ||
           relation_for(*method, plan.options.neighbours) == Neighbours::add_remove;
  });
}

}  // namespace

std::optional<double> size_of(const Guarantee& guarantee) {
  if (const auto* pure = std::get_if<Pure>(&guarantee)) return pure->epsilon;
  if (const auto* approx = std::get_if<Approx>(&guarantee)) return approx->epsilon;
  if (const auto* gaussian = std::get_if<Gaussian>(&guarantee)) return gaussian->mu;
  return std::nullopt;
}

KnownOfKnots known_of_knots(const FitPlan& plan) {
  KnownOfKnots known{.facts = {.records = {}, .epsilon = size_of(plan.options.guarantee)},
                     .count_is_public = !may_hide_count(plan)};
  if (const Facts& stated = plan.options.method_options; stated.has("records"))
    known.facts.records = static_cast<std::size_t>(std::max<std::int64_t>(stated.integer("records"), 0));
  return known;
}

KnotFacts knot_facts(const FitPlan& plan, std::size_t records) {
  KnownOfKnots known = known_of_knots(plan);
  if (!known.facts.records && known.count_is_public) known.facts.records = records;
  return known.facts;
}

FitRecords read(const ReadOptions& reading, const FitPlan& plan) {
  ReadOptions how = reading;
  how.wish = wish_for(plan.options, reading);
  how.threads = plan.options.threads;
  how.encoder = plan.options.encoder;
  const KnownOfKnots known = known_of_knots(plan);
  how.knot_facts = known.facts;
  how.count_is_public = known.count_is_public;
  ReadResult found = recording_failures(plan.options.ledger, [&] {
    if (plan.options.group && known.count_is_public && !known.facts.records)
      how.knot_facts.records = count_group(how, *plan.options.group);
    ReadResult result = read_dataset(how);
    if (!result.has_target) throw_error<DataError>("{}: there are no labels", source_name(reading.path));
    return result;
  });
  const bool guessed_numbers = numbers_were_guessed(how, found);
  FitRecords records = take(std::move(found));
  records.sources.guessed_numbers = guessed_numbers;
  // Without a schema a table is read by its header, or as its first record has it.
  std::vector<std::string>& read_off = records.sources.read_off_data;
  if (is_table(format_of(reading)) && !reading.schema &&
      std::ranges::find(read_off, key_of(ReadOff::columns)) == read_off.end())
    read_off.emplace_back(key_of(ReadOff::names));
  const bool text = format_of(reading) == Format::csv && !reading.schema;  // whose layout nobody describes
  records.sources.guessed_header = text && !reading.header;
  records.sources.guessed_separator = text && !reading.separator;
  const Origin origin = origin_of(reading);
  records.sources.by_query = origin.by_query;
  records.sources.schema_release = origin.schema_release();
  records.sources.user_column = reading.user;
  records.image_features = reading.image_features;
  records = recording_failures(plan.options.ledger,
                               [&] { return in_group(std::move(records), plan.options.group); });
  const KnotFacts facts = knot_facts(plan, records.data.size());  // of the group, where there is one
  return with_bearable_columns(std::move(records), plan, facts);
}

FitRecords take(ReadResult read) {
  return {.data = std::move(read.data),
          .schema = std::move(read.schema),
          .blocks = std::move(read.blocks),
          .row_norm_bound = read.row_norm_bound,
          .sources = {.read_off_data = std::move(read.read_off_data), .drafted_schema = read.drafted_schema}};
}

}  // namespace tacit::inline v1::service
