#include "service/statement/describe.hpp"

#include <algorithm>

#include "privacy/assumptions.hpp"
#include "service/fit/failed_reads.hpp"
#include "service/fit/group.hpp"
#include "service/fit/schema_cost.hpp"
#include "service/statement/describe_page.hpp"
#include "service/statement/release.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/service.hpp"
#include "tacit/statistics.hpp"

namespace tacit::inline v1::service {

statistics::DescribeOptions description_options(const DescribeOptions& asked, Unit unit) {
  statistics::DescribeOptions options{.target = asked.guarantee, .unit = unit, .bins = asked.bins};
  options.neighbours = relation_of(asked.neighbours, asked.ledger, unit);
  if (!asked.quantiles.empty()) options.levels = asked.quantiles;
  options.confidence = asked.confidence;
  if (!asked.statistics.empty()) options.ask_only(asked.statistics);
  options.validate();
  if (!std::holds_alternative<Pure>(options.target) && !std::holds_alternative<Approx>(options.target))
    throw_error<UsageError>("statistics are released under epsilon, or epsilon and delta");
  return options;
}

namespace {

// All but the records.
struct Plan {
  Schema schema;
  statistics::DescribeOptions options;
  Budget budget;
  std::optional<LedgerGroup> group;
  std::optional<SchemaRelease> schema_release;
  bool by_query = false;

  std::string group_column() const { return group ? group->column : ""; }
};

Plan plan_for(const ReadOptions& reading, const DescribeOptions& asked) {
  if (asked.range_share)
    throw_error<UsageError>("a range share has no effect here: the schema states the ranges");
  require_cost_stated(reading.schema, asked.schema_release);
  const bool people = !reading.user.empty() || !reading.schema->user.empty();
  Plan plan{.schema = *reading.schema,
            .options = description_options(asked, people ? Unit::user : Unit::item),
            .budget = {},
            .group = asked.group,
            .schema_release = asked.schema_release,
            .by_query = !reading.query.empty()};
  plan.budget = {plan.options.target, plan.options.unit, plan.options.neighbours};
  check_group(plan.group, plan.schema, plan.options.unit);
  const Schema described = statistics::described(plan.schema);
  if (std::ranges::all_of(described.columns, [&](const SchemaColumn& column) {
        return std::holds_alternative<IgnoredColumn>(column.kind) || column.name == plan.group_column();
      }))
    throw_error<UsageError>("the schema has no column with a range or categories to describe");
  check_ledger(asked.ledger, plan.group, describe_method, plan.budget);
  return plan;
}

Described release_description(const Plan& plan, Dataset all, const std::optional<LedgerUse>& ledger,
                              BitSource& bits) {
  const Dataset data = recording_failures(ledger, [&] { return in_group(std::move(all), plan.group); });
  const statistics::Table table = recording_failures(ledger, [&] {
    return statistics::table_of(data, statistics::described(plan.schema), plan.options.unit);
  });
  Facts facts;
  const std::optional<std::size_t> units =
      state_units(plan.options.unit, plan.options.neighbours, data.size(), data.user_count, facts);
  const Content content = [&](statistics::Answers& answers, bool with_records) {
    return description_content(plan.schema, plan.group_column(), plan.options, units,
                               with_records ? &table : nullptr, answers);
  };
  StatementParts parts =
      release_statement(describe_method, content, plan.budget, ledger, plan.group,
                        plan.options.table().certified(plan.options), std::move(facts), bits);
  if (plan.schema.drafted_from_data) assume_public(ReadOff::schema, parts.certificate);
  if (const auto& found = plan.schema_release) state_schema_cost(schema_cost(*found), parts.certificate);
  state_sources(plan.by_query, plan.group, parts.certificate);
  const std::string text =
      statement_text(description_format, parts.content, parts.released, parts.certificate);
  return {.json = text, .text = description_words(text), .page = description_page(text)};
}

}  // namespace

ReadOptions reading_to_describe(ReadOptions how, Schema described) {
  how.schema = std::move(described);
  how.target.clear();
  how.wish = TargetWish::none;
  how.encoder = EncoderRule::linear_v1;
  return how;
}

Described describe_file(const ReadOptions& reading, const DescribeOptions& asked, BitSource& bits) {
  if (format_of(reading) == Format::encoded)
    throw_error<UsageError>("{}: holds encoded cells; describe the table that it was made of",
                            reading.path.string());
  if (!reading.schema) return describe_unseen(reading, asked, bits);
  const Plan plan = plan_for(reading, asked);
  const ReadOptions how = reading_to_describe(reading, statistics::described(plan.schema));
  Dataset data = recording_failures(asked.ledger, [&] { return read_dataset(how).data; });
  return release_description(plan, std::move(data), asked.ledger, bits);
}

Schema schema_to_describe(const Schema& schema) { return statistics::described(schema); }

Described describe_records(const Schema& schema, const Dataset& data, const DescribeOptions& asked) {
  ReadOptions reading;
  reading.schema = schema;
  if (!data.users.empty() && schema.user.empty()) reading.user = "user";  // by whatever name
  const Plan plan = plan_for(reading, asked);
  return release_description(plan, data, asked.ledger, *noise::system_bits());
}

Described describe_file(const ReadOptions& reading, const DescribeOptions& asked) {
  return describe_file(reading, asked, *noise::system_bits());
}

}  // namespace tacit::inline v1::service
