#include "service/fit/group.hpp"

#include <algorithm>

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

}  // namespace

void check_group(const FitPlan& plan, const Method& method) {
  const auto& group = plan.options.group;
  if (!group) return;
  if (method.unit == Unit::user)
    throw_error<UsageError>("groups are of records; one user may have records in several");
  const SchemaColumn* found = nullptr;
  if (plan.schema)
    for (const SchemaColumn& column : plan.schema->columns)
      if (column.name == group->column) found = &column;
  const auto* categories = found ? std::get_if<CategoricalColumn>(&found->kind) : nullptr;
  if (categories == nullptr)
    throw_error<UsageError>("the group's column \"{}\" is not a column with categories of a schema",
                            group->column);
  if (std::ranges::find(categories->categories, group->value) == categories->categories.end())
    throw_error<UsageError>("the group \"{}\" is not a category of the column \"{}\"", group->value,
                            group->column);
}

FitRecords in_group(FitRecords records, const std::optional<LedgerGroup>& group) {
  if (!group) return records;
  Dataset& data = records.data;
  const auto name = std::ranges::find(data.names, group->column + "=" + group->value);
  if (name == data.names.end() || !data.features.in_memory())
    throw_error<UsageError>("groups need records in memory with the column among their features");
  const auto feature = static_cast<std::size_t>(name - data.names.begin());
  std::vector<std::size_t> chosen;
  RowRoom room;
  for (std::size_t i = 0; i < data.size(); ++i)
    if (entry_of(data.features.row(i, room), feature) != 0) chosen.push_back(i);
  if (chosen.empty()) throw_error<DataError>("no record is in the group {}={}", group->column, group->value);
  data.features = chosen_rows(data.features, chosen);
  for (std::vector<double>* each : {&data.labels, &data.weights}) {
    if (each->empty()) continue;
    for (std::size_t k = 0; k < chosen.size(); ++k) (*each)[k] = (*each)[chosen[k]];
    each->resize(chosen.size());
  }
  records.sources.group = group;
  return records;
}

std::size_t count_group(ReadOptions reading, const LedgerGroup& group) {
  for (SchemaColumn& column : reading.schema->columns)
    if (column.name != group.column) column.kind = IgnoredColumn{};
  reading.schema->pairs.clear();
  reading.encoder = EncoderRule::linear_v1;
  return in_group(take(read_dataset(reading)), group).data.size();
}

}  // namespace tacit::inline v1::service
