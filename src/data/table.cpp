#include "tacit/data/table.hpp"

#include <fmt/format.h>

#include <cmath>

#include "csv_plan.hpp"
#include "csv_rows.hpp"
#include "tacit/core/error.hpp"
#include "text.hpp"

namespace tacit::inline v1 {
namespace {

CsvPlan plan_table(std::span<const TableColumn> columns, const Schema& schema) {
  CsvLayout layout;
  layout.context.file = "the table";
  layout.header = true;
  for (const TableColumn& column : columns) layout.context.names.push_back(column.name);
  return plan_columns(layout, {.schema = schema, .wish = TargetWish::none, .target_optional = true});
}

// The shortest text that reads as the number; digits alone for a whole one up to 2^63, as files have it.
std::string number_text(double number) {
  const bool whole = std::abs(number) < 0x1p63 && number == std::trunc(number);
  return whole ? fmt::format("{}", static_cast<long long>(number)) : fmt::format("{}", number);
}

// One cell, as a number or as a text. What it becomes depends on it and on the schema alone.
class Cell {
 public:
  Cell(const TableColumn& column, std::size_t row) : column_(&column), row_(row) {
    if (const auto* numbers = std::get_if<NumberCells>(&column.cells)) {
      number_ = numbers->first[static_cast<std::ptrdiff_t>(row) * numbers->stride];
      return;
    }
    const auto& value = std::get<ValueCells>(column.cells)[row];
    if (const auto* number = std::get_if<double>(&value))
      number_ = *number;
    else
      text_ = trimmed(std::get<std::string>(value));
  }

  double bounded_number(const NumericColumn& kind) const {
    const auto value = is_text() ? number_in(text_) : number_;
    if (value && !std::isnan(*value)) return encode_number(kind, *value);
    if (!value && !empty()) fail("{} is not a number, expected one", shown(as_text()));
    if (!kind.missing) fail("the cell is empty and the schema gives no \"missing\" value");
    return encode_number(kind, *kind.missing);
  }

  std::size_t category(const PlannedColumn& kind) const {
    if (!empty())
      return kind.categories.find(as_text()).value_or(static_cast<std::uint32_t>(kind.categories.size()));
    if (!kind.missing) fail("the cell is empty and the schema gives no \"missing\" value");
    return *kind.missing;
  }

 private:
  bool is_text() const { return !number_; }
  bool empty() const { return is_text() ? text_.empty() : std::isnan(*number_); }
  std::string as_text() const { return is_text() ? std::string(text_) : number_text(*number_); }

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw_error<DataError>("row {}, column {}: {}", row_, shown(column_->name),
                           fmt::format(format, std::forward<Args>(args)...));
  }

  const TableColumn* column_;
  std::size_t row_;
  std::optional<double> number_;
  std::string_view text_;
};

void store(const CsvPlan& plan, const PlannedColumn& column, std::size_t row, std::size_t offset,
           double value, CsvRows& rows) {
  if (!plan.sparse) {
    rows.values[row * plan.features + column.feature + offset] = value;
    return;
  }
  const std::size_t at = row * plan.slots + column.slot;
  rows.values[at] = value;
  rows.columns[at] = static_cast<std::uint32_t>(column.feature + offset);
}

}  // namespace

ReadResult encode_table(std::span<const TableColumn> columns, std::size_t count, const Schema& schema) {
  const CsvPlan plan = plan_table(columns, schema);
  CsvRows rows(plan, count);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const PlannedColumn& column = plan.columns[j];
    for (std::size_t i = 0; i < count; ++i) {
      if (column.role == Role::bounded_number)
        store(plan, column, i, 0, Cell(columns[j], i).bounded_number(column.number), rows);
      if (column.role == Role::category)
        store(plan, column, i, Cell(columns[j], i).category(column), 1.0, rows);
    }
  }
  ReadResult result;
  result.data.names = plan.names;
  result.data.features = features_of(plan, rows);
  result.drafted_schema = schema.drafted_from_data;
  result.row_norm_bound = row_norm_bound(schema);
  return result;
}

}  // namespace tacit::inline v1
