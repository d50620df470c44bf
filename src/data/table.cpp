#include "tacit/data.hpp"

#include "data/csv_parser.hpp"
#include "data/csv_plan.hpp"
#include "data/csv_rows.hpp"
#include "data/table_cells.hpp"
#include "data/text.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

CsvPlan plan_table(std::span<const TableColumn> columns, const Schema& schema) {
  CsvLayout layout;
  layout.context.file = "the table";
  layout.header = true;
  for (const TableColumn& column : columns) layout.context.names.push_back(column.name);
  return plan_columns(layout, {.schema = schema, .wish = TargetWish::none, .target_optional = true});
}

// One cell, a number or a text. What it becomes depends on it and on the schema alone.
void encode_cell(const TableColumn& column, std::size_t row, std::size_t described, const CsvPlan& plan,
                 char decimal, RowWriter& writer) {
  const bool marked = decimal != '.' && plan.encoder->takes_numbers(described);
  const auto encode = [&](const auto& cell) { return writer.encode(described, cell); };
  const auto encode_text = [&](std::string_view text) {
    return marked ? encode_marked(writer, *plan.encoder, described, text, decimal) : encode(text);
  };
  std::optional<std::string> fault;
  if (const auto* numbers = std::get_if<NumberCells>(&column.cells)) {
    fault = encode(numbers->first[static_cast<std::ptrdiff_t>(row) * numbers->stride]);
  } else {
    const auto& value = std::get<ValueCells>(column.cells)[row];
    const auto* number = std::get_if<double>(&value);
    fault = number ? encode(*number) : encode_text(trimmed(std::get<std::string>(value)));
  }
  if (fault) throw_error<DataError>("row {}, column {}: {}", row, shown(column.name), *fault);
}

}  // namespace

void require_cells(std::span<const TableColumn> columns, std::size_t rows) {
  for (const TableColumn& column : columns) {
    if (const auto* numbers = std::get_if<NumberCells>(&column.cells)) {
      if (rows > 0 && numbers->first == nullptr)
        throw_error<DataError>("the column {} has no cells, expected {}", shown(column.name), rows);
    } else if (const std::size_t cells = std::get<ValueCells>(column.cells).size(); cells != rows) {
      throw_error<DataError>("the column {} has {} cells, expected {}", shown(column.name), cells, rows);
    }
  }
}

ReadResult encode_table(std::span<const TableColumn> columns, std::size_t count, const Schema& schema) {
  const CsvPlan plan = plan_table(columns, schema);
  require_cells(columns, count);
  CsvRows rows(plan, count);
  RowWriter writer(plan, rows);
  for (std::size_t i = 0; i < count; ++i) {
    writer.begin(i);
    for (std::size_t j = 0; j < columns.size(); ++j)
      if (plan.columns[j].role == Role::encoded)
        encode_cell(columns[j], i, plan.columns[j].column, plan, schema.decimal.value_or('.'), writer);
    writer.end();
  }
  ReadResult result;
  result.data.names = plan.names;
  result.data.features = features_of(plan, rows);
  result.drafted_schema = schema.drafted_from_data;
  result.blocks = plan.encoder->blocks();
  result.row_norm_bound = row_norm_bound(result.blocks);
  return result;
}

}  // namespace tacit::inline v1
