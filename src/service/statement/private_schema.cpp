#include <fmt/format.h>

#include <algorithm>

#include "data/raw_table.hpp"
#include "privacy/assumptions.hpp"
#include "service/fit/failed_reads.hpp"
#include "service/fit/group.hpp"
#include "service/fit/ranges.hpp"
#include "service/statement/release.hpp"
#include "service/statement/schema_words.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/service.hpp"
#include "tacit/statistics.hpp"

namespace tacit::inline v1::service {

namespace {

constexpr const char* schema_method = "schema";

statistics::RangeOptions options_for(const SchemaOptions& asked, Unit unit, bool has_target) {
  if (!has_target && !asked.classes.empty()) throw_error<UsageError>("classes are stated, but no target is");
  if (asked.classes.size() == 1) throw_error<UsageError>("one class is stated, expected at least two");
  statistics::RangeOptions options{.target = asked.guarantee,
                                   .unit = unit,
                                   .neighbours = relation_of(asked.neighbours, asked.ledger, unit),
                                   .classes_stated = !asked.classes.empty()};
  options.validate();
  // Stated classes that a schema would refuse are refused now.
  if (options.classes_stated) {
    Schema schema;
    schema.target = SchemaTarget{.column = "target", .classes = asked.classes};
    validate(schema, "the stated classes");
  }
  return options;
}

Budget budget_of(const statistics::RangeOptions& options) {
  return {options.target, options.unit, options.neighbours};
}

PrivateSchema released(const RawTable& table, const SchemaOptions& asked,
                       const statistics::RangeOptions& options, bool by_query, BitSource& bits) {
  statistics::RawNames names{
      .columns = {}, .target = table.target, .user = table.user, .classes = asked.classes};
  names.decimal = table.decimal;
  for (const RawColumn& column : table.columns)
    if (column.name != table.target) names.columns.push_back(column.name);
  if (asked.group) {
    names.group_column = asked.group->column;
    names.group_value = asked.group->value;
  }
  Facts facts;
  const std::optional<std::size_t> units =
      state_units(options.unit, options.neighbours, table.records, table.user_count, facts);
  statistics::FoundSchema found;
  const Content content = [&](statistics::Answers& answers, bool with_records) {
    found = statistics::find_schema(names, options, units, with_records ? &table : nullptr, answers);
    return found_schema_content(found);
  };
  announce_few_records(units, budget_of(options), table.columns.size());
  StatementParts parts =
      release_statement(schema_method, content, budget_of(options), asked.ledger, asked.group,
                        options.table().certified(options), std::move(facts), bits);
  if (!table.header) assume_public(ReadOff::columns, parts.certificate);
  if (table.header) assume_public(ReadOff::names, parts.certificate);
  state_sources(by_query, asked.group, parts.certificate);
  const std::string text =
      statement_text(schema_format, parts.content, parts.released, parts.certificate, parts.texts);
  return {.json = text, .text = schema_words(found, parts.certificate), .notes = schema_notes(found)};
}

}  // namespace

PrivateSchema private_schema_file(const ReadOptions& reading, const SchemaOptions& asked, BitSource& bits) {
  if (reading.schema) throw_error<UsageError>("a schema is given, so none has to be found; leave it out");
  const Unit unit = reading.user.empty() ? Unit::item : Unit::user;
  const auto options = options_for(asked, unit, !reading.target.empty());
  check_raw_group(asked.group, reading.target, unit);
  check_ledger(asked.ledger, asked.group, schema_method, budget_of(options));
  const RawTable table = recording_failures(asked.ledger, [&] {
    RawTable all = read_raw_table(reading, RawLayout::by_names);
    check_raw_group(asked.group, all.target, unit);  // which may have been named by its number
    if (!all.header && all.columns.size() == 1 && all.columns.front().name == all.target)
      throw_error<UsageError>(
          "{}: the only column is the target; if something else separates the cells of the file, state the "
          "separator",
          source_name(reading.path));
    return in_group(std::move(all), asked.group);
  });
  return released(table, asked, options, !reading.query.empty(), bits);
}

PrivateSchema private_schema_file(const ReadOptions& reading, const SchemaOptions& asked) {
  return private_schema_file(reading, asked, *noise::system_bits());
}

PrivateSchema private_schema_table(const TableOfColumns& table, const SchemaOptions& asked) {
  const Unit unit = table.user.empty() ? Unit::item : Unit::user;
  const auto options = options_for(asked, unit, !table.target.empty());
  check_raw_group(asked.group, table.target, unit);
  check_ledger(asked.ledger, asked.group, schema_method, budget_of(options));
  const RawTable raw = recording_failures(asked.ledger, [&] {
    return in_group(raw_table(table.columns, table.rows, table.target, table.user), asked.group);
  });
  return released(raw, asked, options, false, *noise::system_bits());
}

}  // namespace tacit::inline v1::service
