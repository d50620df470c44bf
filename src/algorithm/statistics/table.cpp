#include "algorithm/statistics/table.hpp"

#include <cmath>
#include <limits>

#include "data/encoder.hpp"
#include "data/users.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::statistics {

namespace {

constexpr double empty = std::numeric_limits<double>::quiet_NaN();

using Kind = decltype(SchemaColumn::kind);

Kind described(NumericColumn number) {
  number.knots = AutoKnots{};
  number.missing.reset();
  number.missing_indicator = true;
  return number;
}
Kind described(CategoricalColumn categories) {
  std::erase(categories.categories, "other");  // is what every unlisted value becomes
  categories.missing.reset();
  categories.other.reset();
  categories.missing_indicator = true;
  return categories.categories.empty() ? Kind(IgnoredColumn{}) : Kind(categories);
}
Kind described(DateColumn date) {
  date.number = std::get<NumericColumn>(described(date.number));
  date.month = date.weekday = date.hour = false;
  return date;
}
// Which bucket a text falls into tells nothing.
Kind described(const HashedColumn&) { return IgnoredColumn{}; }
Kind described(const IgnoredColumn& column) { return column; }

// Where each column's features lie in a row.
struct Place {
  std::size_t column = 0, first = 0, size = 0;
  const NumericColumn* number = nullptr;  // else categories
};

std::vector<Place> places_of(const Schema& schema) {
  const Encoder encoder(schema);
  std::vector<Place> places;
  std::size_t first = 0, block = 0;
  for (std::size_t k = 0; k < schema.columns.size(); ++k) {
    const auto& kind = schema.columns[k].kind;
    if (std::holds_alternative<IgnoredColumn>(kind)) continue;
    const auto* date = std::get_if<DateColumn>(&kind);
    const std::size_t size = encoder.blocks().at(block++).size;
    places.push_back({k, first, size, date ? &date->number : std::get_if<NumericColumn>(&kind)});
    first += size;
  }
  return places;
}

// Of one record's features.
double cell(const Place& place, const std::vector<double>& row) {
  const double* at = row.data() + place.first;
  if (at[place.size - 1] != 0) return empty;  // the indicator comes last
  if (place.number) {
    const NumericColumn& number = *place.number;
    const double width = number.max - number.min;
    const double above = number.log1p ? std::expm1(at[0] * std::log1p(width)) : at[0] * width;
    const double x = std::fmin(std::fmax(number.min + above, number.min), number.max);
    return number.integer ? std::nearbyint(x) : x;
  }
  std::size_t which = 0;
  while (which + 2 < place.size && at[which] == 0) ++which;
  return static_cast<double>(which);
}

}  // namespace

Schema described(const Schema& schema) {
  Schema result = schema;
  result.pairs.clear();
  for (SchemaColumn& column : result.columns)
    column.kind = std::visit([](const auto& kind) { return described(kind); }, column.kind);
  if (schema.target && !schema.target->column.empty()) {
    const SchemaTarget& target = *schema.target;
    std::erase_if(result.columns, [&](const SchemaColumn& column) { return column.name == target.column; });
    Kind kind = IgnoredColumn{};
    if (!target.classes.empty())
      kind = described(CategoricalColumn{.categories = target.classes});
    else if (target.min && target.max)
      kind = described(NumericColumn{.min = *target.min, .max = *target.max});
    result.columns.push_back({target.column, std::move(kind)});
  }
  result.target.reset();
  return result;
}

std::vector<std::int64_t> weights_of(const Dataset& data, Unit unit) {
  std::vector<std::int64_t> weights(data.size(), unit_weight);
  if (unit == Unit::item) return weights;
  const UserRecords grouped = records_of_users(data);
  for (std::size_t u = 0; u < grouped.users(); ++u) {
    const auto records = grouped.of(u);
    const auto count = static_cast<std::int64_t>(records.size());
    std::int64_t left = unit_weight % count;  // so that the sum is unit_weight, to the last
    for (const std::uint32_t i : records) weights[i] = unit_weight / count + (left-- > 0 ? 1 : 0);
  }
  return weights;
}

Table table_of(const Dataset& data, const Schema& described, Unit unit) {
  const std::vector<Place> places = places_of(described);
  const std::size_t features = places.empty() ? 0 : places.back().first + places.back().size;
  if (data.features.columns() != features)
    throw_error<DataError>(
        "the data has {} features, the schema that is described makes {} of a record's cells",
        data.features.columns(), features);
  Table table{.columns = std::vector<std::vector<double>>(described.columns.size()),
              .weights = weights_of(data, unit)};
  for (const Place& place : places) table.columns[place.column].reserve(data.size());
  std::vector<double> row(data.features.columns());
  for (std::size_t i = 0; i < data.size(); ++i) {
    const RowView view = data.features.row(i);
    std::ranges::fill(row, 0);
    for (std::size_t k = 0; k < view.size; ++k) row[view.columns ? view.columns[k] : k] += view.values[k];
    for (const Place& place : places) table.columns[place.column].push_back(cell(place, row));
  }
  return table;
}

}  // namespace tacit::inline v1::statistics
