#include "service/fit/group.hpp"

#include <algorithm>
#include <cmath>

#include "data/text.hpp"
#include "privacy/assumptions.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::service {

namespace {

// The chosen rows, stored as they were.
Features chosen_rows(const Features& all, const std::vector<std::size_t>& chosen) {
  RowRoom room;
  DenseRows dense{.rows = chosen.size(), .columns = all.columns(), .values = {}};
  SparseRows sparse{.rows = chosen.size(), .columns = all.columns(), .column = {}, .value = {}};
  for (const std::size_t i : chosen) {
    const RowView row = all.row(i, room);
    std::vector<double>& values = all.sparse() ? sparse.value : dense.values;
    values.insert(values.end(), row.values, row.values + row.size);
    if (!all.sparse()) continue;
    sparse.column.insert(sparse.column.end(), row.columns, row.columns + row.size);
    sparse.start.push_back(sparse.value.size());
  }
  return all.sparse() ? Features(std::move(sparse)) : Features(std::move(dense));
}

double entry_of(const RowView& row, std::size_t feature) {
  if (row.columns == nullptr) return row.values[feature];
  const auto* end = row.columns + row.size;
  const auto* found = std::lower_bound(row.columns, end, feature);
  return found != end && *found == feature ? row.values[found - row.columns] : 0;
}

void require_group_of_records(const LedgerGroup& group, Unit unit) {
  if (unit == Unit::user)
    throw_error<UsageError>("groups are for records, not users: one user may have records in several");
  if (const std::string why = why_no_group(group.column, group.value); !why.empty())
    throw_error<UsageError>("{}", why);
}

void keep(const std::vector<std::size_t>& chosen, auto& by_record) {
  if (by_record.empty()) return;
  for (std::size_t k = 0; k < chosen.size(); ++k) by_record[k] = by_record[chosen[k]];
  by_record.resize(chosen.size());
}

void require_some(const std::vector<std::size_t>& chosen, const LedgerGroup& group) {
  if (chosen.empty()) throw_error<DataError>("no record is in the group {}={}", group.column, group.value);
}

}  // namespace

void check_group(const std::optional<LedgerGroup>& group, const std::optional<Schema>& schema, Unit unit) {
  if (!group) return;
  require_group_of_records(*group, unit);
  const SchemaColumn* found = nullptr;
  if (schema)
    for (const SchemaColumn& column : schema->columns)
      if (column.name == group->column) found = &column;
  const auto* categories = found ? std::get_if<CategoricalColumn>(&found->kind) : nullptr;
  if (categories == nullptr)
    throw_error<UsageError>("the group's column \"{}\" is not a column with categories of a schema",
                            group->column);
  if (std::ranges::find(categories->categories, group->value) == categories->categories.end())
    throw_error<UsageError>("the group \"{}\" is not a category of the column \"{}\"", group->value,
                            group->column);
  // By another schema the cell may be in another group, and its record would pay for one of them only.
  if (categories->missing == group->value)
    throw_error<UsageError>(
        "the schema takes an empty cell of \"{}\" for \"{}\", but an empty cell puts nobody in a group: say "
        "\"missing\": \"other\" there",
        group->column, group->value);
}

Dataset in_group(Dataset data, const std::optional<LedgerGroup>& group) {
  if (!group) return data;
  const std::string feature = group->column + "=" + group->value;
  if (!data.features.in_memory() || std::ranges::count(data.names, feature) != 1)
    throw_error<UsageError>("groups need records in memory, with one feature \"{}\"", feature);
  const auto place = static_cast<std::size_t>(std::ranges::find(data.names, feature) - data.names.begin());
  std::vector<std::size_t> chosen;
  RowRoom room;
  for (std::size_t i = 0; i < data.size();
       ++i)  // a value that is not listed may have a part of each category
    if (entry_of(data.features.row(i, room), place) == 1) chosen.push_back(i);
  require_some(chosen, *group);
  data.features = chosen_rows(data.features, chosen);
  keep(chosen, data.labels);
  keep(chosen, data.weights);
  return data;
}

FitRecords in_group(FitRecords records, const std::optional<LedgerGroup>& group) {
  if (!group) return records;
  records.data = in_group(std::move(records.data), group);
  records.sources.group = group;
  return records;
}

void check_raw_group(const std::optional<LedgerGroup>& group, const std::string& target, Unit unit) {
  if (!group) return;
  require_group_of_records(*group, unit);
  if (group->column == target)
    throw_error<UsageError>("column \"{}\" cannot be both the target and the group's", target);
  if (group->value == "missing")
    throw_error<UsageError>(
        "the group is \"missing\", which is what empty cells are called; rename the value");
  Schema schema;  // refuses a name that cannot be a category
  schema.columns = {{group->column, CategoricalColumn{.categories = {group->value}}}};
  validate(schema, "the group");
}

RawTable in_group(RawTable table, const std::optional<LedgerGroup>& group) {
  if (!group) return table;
  const auto column = std::ranges::find(table.columns, group->column, &RawColumn::name);
  if (column == table.columns.end())
    throw_error<UsageError>("there is no column \"{}\" for the group", group->column);
  double value = 0;
  const CellKind kind = kind_of(group->value, '.', value);
  // Digits alone have one value, and a value one text, but for the sign of 0.
  const auto belongs = [&](std::size_t i) {
    const double held = column->values[i];
    if (column->kinds[i] != kind) return false;
    if (kind == CellKind::text) return column->texts[static_cast<std::size_t>(held)] == group->value;
    return held == value && std::signbit(held) == std::signbit(value);
  };
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < table.records; ++i)
    if (belongs(i)) chosen.push_back(i);
  require_some(chosen, *group);
  for (RawColumn& each : table.columns) {
    keep(chosen, each.kinds);
    keep(chosen, each.values);
  }
  table.records = chosen.size();
  return table;
}

void state_group(const LedgerGroup& group, Certificate& certificate) {
  assume_public(ReadOff::group, certificate);
  certificate.assumed_public.set("group_of", group.column + "=" + group.value);
}

std::size_t count_in_group(const Dataset& data, const LedgerGroup& group) {
  require_group_of_records(group, Unit::item);
  return in_group(data, group).size();
}

std::size_t count_group(ReadOptions reading, const LedgerGroup& group) {
  for (SchemaColumn& column : reading.schema->columns)
    if (column.name != group.column) column.kind = IgnoredColumn{};
  reading.schema->pairs.clear();
  reading.encoder = EncoderRule::linear_v1;
  return in_group(take(read_dataset(reading)), group).data.size();
}

}  // namespace tacit::inline v1::service
