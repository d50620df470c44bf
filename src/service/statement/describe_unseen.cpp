#include <algorithm>
#include <functional>

#include "data/raw_table.hpp"
#include "privacy/assumptions.hpp"
#include "service/fit/failed_reads.hpp"
#include "service/fit/group.hpp"
#include "service/fit/ranges.hpp"
#include "service/fit/split.hpp"
#include "service/statement/describe.hpp"
#include "service/statement/describe_page.hpp"
#include "service/statement/release.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"

// A table that nobody has looked at: its schema is found with a part of the guarantee, and with the rest it
// is described.

namespace tacit::inline v1::service {

namespace {

constexpr double share_for_ranges = 0.5;  // [utility only, measured: docs/describe.md]

// All but the records.
struct UnseenPlan {
  const DescribeOptions& asked;
  Budget whole;
  DescriptionSplit split;
  statistics::DescribeOptions options;  // with the rest of the guarantee
};

UnseenPlan plan_unseen(const DescribeOptions& asked, Unit unit) {
  if (asked.schema_release) throw_error<UsageError>("the cost of a schema is stated, but there is no schema");
  const double share = asked.range_share.value_or(share_for_ranges);
  if (!(share > 0 && share < 1))
    throw_error<UsageError>("the range share is {}, expected more than 0 and below 1", share);
  statistics::DescribeOptions options = description_options(asked, unit);
  const Budget whole{options.target, unit, options.neighbours};
  const auto [first, rest] = split_guarantee(options.target, share, "a schema and a description");
  options.target = rest;
  check_raw_group(asked.group, "", unit);
  check_ledger(asked.ledger, asked.group, describe_method, whole);
  return {asked, whole, {.ranges = first, .rest = rest}, std::move(options)};
}

// The columns of a table and, once there is a schema, its records.
struct Unseen {
  RawTable table;  // those of the group alone
  std::function<Dataset(const Schema& described)> encode;
  bool by_query = false;
};

struct FoundPart {
  statistics::FoundSchema found;
  StatementParts parts;
};

statistics::RawNames raw_names(const UnseenPlan& plan, const RawTable& table) {
  statistics::RawNames names{.columns = {}, .target = {}, .user = table.user, .classes = {}};
  names.decimal = table.decimal;
  for (const RawColumn& column : table.columns) names.columns.push_back(column.name);
  if (plan.asked.group) {
    names.group_column = plan.asked.group->column;
    names.group_value = plan.asked.group->value;
  }
  return names;
}

// Whatever the schema will be, its questions can be asked: each kind of column has the most of one of them.
void require_affordable(const UnseenPlan& plan, const statistics::RawNames& names,
                        std::optional<std::size_t> units) {
  const auto require = [&](const decltype(SchemaColumn::kind)& kind) {
    Schema alike;
    for (const std::string& name : names.columns)
      if (name != names.group_column) alike.columns.push_back({name, kind});
    const statistics::Statistic all = [&](statistics::Answers& answers) {
      statistics::describe(statistics::described(alike), plan.options, units, nullptr, answers);
    };
    if (statistics::asks(all)) static_cast<void>(statistics::price(all, plan.split.rest));
  };
  require(NumericColumn{.min = 0, .max = 1});
  require(CategoricalColumn{.categories = {"one", "other one"}});
}

FoundPart find_schema(const UnseenPlan& plan, const statistics::RawNames& names, const RawTable& table,
                      std::optional<std::size_t> units, Facts facts, Charge& charge, BitSource& bits) {
  const statistics::RangeOptions search{
      .target = plan.split.ranges, .unit = plan.whole.unit, .neighbours = plan.whole.neighbours};
  const Budget budget{plan.split.ranges, plan.whole.unit, plan.whole.neighbours};
  announce_few_records(units, budget, names.columns.size());
  FoundPart part;
  const Content content = [&](statistics::Answers& answers, bool with_records) {
    part.found = statistics::find_schema(names, search, units, with_records ? &table : nullptr, answers);
    return Json();
  };
  part.parts = release_part(describe_method, content, budget, charge, {}, std::move(facts), bits);
  return part;
}

// With the schema that was found. Where it leaves nothing to ask, only the count is told.
StatementParts describe_found(const UnseenPlan& plan, const Unseen& unseen, const Schema& schema,
                              std::optional<std::size_t> units, Charge& charge, BitSource& bits) {
  const Schema described = statistics::described(schema);
  const Dataset data = in_group(unseen.encode(described), plan.asked.group);
  const statistics::Table table = statistics::table_of(data, described, plan.whole.unit);
  const std::string group = plan.asked.group ? plan.asked.group->column : "";
  const Content content = [&](statistics::Answers& answers, bool with_records) {
    return description_content(schema, group, plan.options, units, with_records ? &table : nullptr, answers);
  };
  if (!statistics::asks([&](statistics::Answers& answers) { content(answers, false); })) {
    statistics::RecordedAnswers none({plan.split.rest, 0}, {});
    return {.content = content(none, false), .released = {}, .certificate = {}};
  }
  return release_part(describe_method, content, {plan.split.rest, plan.whole.unit, plan.whole.neighbours},
                      charge, {}, {}, bits);
}

Described release_both(const UnseenPlan& plan, const Unseen& unseen, BitSource& bits) {
  const RawTable& table = unseen.table;
  Facts facts;
  const std::optional<std::size_t> units =
      state_units(plan.whole.unit, plan.whole.neighbours, table.records, table.user_count, facts);
  const statistics::RawNames names = raw_names(plan, table);
  require_affordable(plan, names, units);
  Charge charge(describe_method, plan.whole, plan.asked.ledger, plan.asked.group, bits);
  FoundPart first = find_schema(plan, names, table, units, std::move(facts), charge, bits);
  StatementParts second;
  try {
    second = describe_found(plan, unseen, first.found.schema, units, charge, bits);
  } catch (const UsageError& error) {
    throw_error<UsageError>("{}; the schema was found before, so the budget is spent", error.what());
  }

  Certificate certificate =
      with_description(std::move(first.parts.certificate), std::move(second.certificate.steps),
                       plan.options.table().certified(plan.options), plan.split, plan.whole.limit);
  add_found_schema(first.found, first.parts.released, first.parts.texts, plan.split, second.content);
  assume_public(table.header ? ReadOff::names : ReadOff::columns, certificate);
  state_sources(unseen.by_query, plan.asked.group, certificate);
  const std::string text = statement_text(description_format, second.content, second.released, certificate);
  return {.json = text, .text = description_words(text), .page = description_page(text)};
}

}  // namespace

Described describe_unseen(const ReadOptions& reading, const DescribeOptions& asked, BitSource& bits) {
  const UnseenPlan plan = plan_unseen(asked, reading.user.empty() ? Unit::item : Unit::user);
  Unseen unseen{.table = {}, .encode = {}, .by_query = !reading.query.empty()};
  unseen.table = recording_failures(
      asked.ledger, [&] { return in_group(read_raw_table(reading, RawLayout::by_names), asked.group); });
  unseen.encode = [&](const Schema& described) {
    ReadOptions how = reading_to_describe(reading, described);
    if (format_of(reading) == Format::csv) {
      how.header = unseen.table.header;
      how.separator = unseen.table.separator;
    }
    how.user.clear();  // which the schema names
    return read_dataset(how).data;
  };
  return release_both(plan, unseen, bits);
}

Described describe_table(const TableOfColumns& table, const DescribeOptions& asked, BitSource& bits) {
  if (!table.target.empty()) throw_error<UsageError>("a description takes no target; leave it out");
  const UnseenPlan plan = plan_unseen(asked, table.user.empty() ? Unit::item : Unit::user);
  RawTable all =
      recording_failures(asked.ledger, [&] { return raw_table(table.columns, table.rows, "", table.user); });
  Unseen unseen;
  unseen.encode = [&, users = all.users, count = all.user_count](const Schema& described) {
    Dataset data = encode_table(table.columns, table.rows, described).data;
    data.users = users;
    data.user_count = count;
    return data;
  };
  unseen.table = recording_failures(asked.ledger, [&] { return in_group(std::move(all), asked.group); });
  return release_both(plan, unseen, bits);
}

Described describe_table(const TableOfColumns& table, const DescribeOptions& asked) {
  return describe_table(table, asked, *noise::system_bits());
}

}  // namespace tacit::inline v1::service
