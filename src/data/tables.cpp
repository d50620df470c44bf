#include "data/tables.hpp"

#include <algorithm>

#include "data/readers.hpp"
#include "data/text.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

void check_query(const ReadOptions& options, Format format) {
  const bool database = format == Format::sqlite || format == Format::postgresql;
  if (!database && !options.query.empty())
    throw_error<UsageError>("{}: a query goes with a SQLite file or a URL postgresql://…",
                            source_name(options.path));
  if (database && options.query.empty())
    throw_error<UsageError>("{}: which records? Give a query, a select", source_name(options.path));
}

// What the layout of text means to a table that is none.
void check_layout(const ReadOptions& options, Format format) {
  decimal_mark(options);
  if (format == Format::csv) return;
  if (options.separator || options.header || options.skip_lines != 0 || options.decimal.value_or('.') != '.')
    throw_error<UsageError>("{}: separator, header, lines to skip and decimal mark go with CSV only",
                            source_name(options.path));
  if (options.path == "-")
    throw_error<UsageError>("standard input can be CSV, LIBSVM or IDX; give a file by its name");
}

std::string answer(const ReadOptions& options, Format format) {
  if (format == Format::parquet) return rows_of_parquet(options);
  return format == Format::sqlite ? answer_of_sqlite(options) : answer_of_postgresql(options);
}

}  // namespace

OpenTable open_table(const ReadOptions& options) {
  const Format format = format_of(options);
  if (!is_table(format))
    throw_error<UsageError>("{}: only a table, such as a CSV file, has columns that a schema can describe",
                            source_name(options.path));
  if (format == Format::encoded)
    throw_error<UsageError>("{}: holds encoded cells; give the table that it was made of",
                            source_name(options.path));
  check_query(options, format);
  check_layout(options, format);
  if (format == Format::csv) return {ByteSource(options.path), options};
  OpenTable table{ByteSource(source_name(options.path), answer(options, format)), options};
  table.options.header = true;
  table.options.separator = ',';
  return table;
}

void check_types(const std::vector<AnswerColumn>& columns, const ReadOptions& options) {
  if (!options.schema) return;
  const Schema& schema = *options.schema;
  const auto described_as_number = [&](const std::string& name) {
    if (schema.target && schema.target->column == name) return schema.target->classes.empty();
    const auto column = std::ranges::find(schema.columns, name, &SchemaColumn::name);
    return column != schema.columns.end() && std::holds_alternative<NumericColumn>(column->kind);
  };
  for (const AnswerColumn& column : columns)
    if (!column.no_number.empty() && described_as_number(column.name))
      throw_error<UsageError>(
          "{}: column {} has the type {}, which cannot be a number; describe it otherwise in the schema, or "
          "convert it first",
          source_name(options.path), shown(column.name), column.no_number);
}

}  // namespace tacit::inline v1
