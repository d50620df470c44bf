#include "data/raw_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/csv_header.hpp"
#include "data/csv_layout.hpp"
#include "data/csv_plan.hpp"
#include "data/dictionary.hpp"
#include "data/iso_date.hpp"
#include "data/readers.hpp"
#include "data/records.hpp"
#include "data/table_cells.hpp"
#include "data/tables.hpp"
#include "data/text.hpp"
#include "data/users.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

bool digits_alone(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return false;
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Fills a column cell by cell.
class Column {
 public:
  Column(std::string name, char decimal) : column_{.name = std::move(name)}, decimal_(decimal) {}

  void add(std::string_view text) {
    double value = 0;
    const CellKind kind = kind_of(text, decimal_, value);
    if (kind == CellKind::text || kind == CellKind::comma) value = texts_.add(text);
    column_.kinds.push_back(kind);
    column_.values.push_back(value);
  }

  RawColumn take() {
    column_.texts = texts_.texts();
    return std::move(column_);
  }

 private:
  RawColumn column_;
  char decimal_;
  Dictionary texts_;
};

// With a header, the separator that stands between its names; without one, what a schema would leave it at.
ReadOptions by_names(const OpenTable& table) {
  ReadOptions options = table.options;
  options.header = options.header.value_or(true);
  if (options.separator) return options;
  if (!*options.header) {
    const bool tabs = options.path.extension() == ".tsv";
    options.separator = tabs ? '\t' : decimal_mark(options) == ',' ? ';' : ',';
    return options;
  }
  const auto stream = table.source.open();
  std::string head;
  for (std::size_t lines = 0; lines <= options.skip_lines;) {
    const std::string block = read_up_to(*stream, std::size_t{1} << 16);
    if (block.empty()) break;
    head += block;
    lines = static_cast<std::size_t>(std::ranges::count(head, '\n'));
  }
  std::string_view line = head;
  for (std::size_t k = 0; k < options.skip_lines; ++k)
    line.remove_prefix(std::min(line.find('\n') + 1, line.size()));
  options.separator = find_separator(line.substr(0, line.find('\n')), decimal_mark(options));
  return options;
}

// A record must not become public by being taken for names.
void require_names(const CsvLayout& layout, const ReadOptions& given) {
  if (given.header || layout.context.has_rows || !layout.header) return;
  const char decimal = decimal_mark(given);
  const auto is_number = [&](const std::string& name) { return number_in(name, decimal).has_value(); };
  if (std::ranges::any_of(layout.context.names, is_number))
    throw_error<UsageError>(
        "{}: a name in the first line is a number; say whether that line is a header, with the names of the "
        "columns, or a record",
        layout.context.file);
}

// Reads into `columns` all cells but the user's, which go to the table itself.
void read_cells_of(const ByteSource& source, const CsvLayout& layout, std::optional<std::size_t> user,
                   std::size_t chunk_bytes, std::vector<Column>& columns, RawTable& table) {
  Dictionary users;
  const auto chunks = scan_records(source, layout.rules(), layout.records, chunk_bytes);
  parse_chunks(source, layout.records, chunks, 1, [&](std::size_t i, std::string_view text) {
    CellCursor cursor(text, chunks[i].first_line, layout.context);
    while (cursor.next_record()) {
      std::size_t next = 0;
      for (std::size_t k = 0; k < layout.columns(); ++k) {
        if (cursor.record_done()) cursor.fail_ragged(layout.columns());
        const std::string_view cell = trimmed(cursor.next());
        if (user != k) {
          columns[next++].add(cell);
          continue;
        }
        if (cell.empty()) cursor.fail("{}", empty_user_id);
        table.users.push_back(users.add(cell));
      }
      if (!cursor.record_done()) cursor.fail_ragged(layout.columns());
      ++table.records;
    }
  });
  table.user_count = users.size();
}

}  // namespace

CellKind kind_of(std::string_view text, char decimal, double& value) {
  value = 0;
  if (text.empty()) return CellKind::empty;
  if (const auto number = number_in(text, decimal)) {
    if (std::isnan(*number)) return CellKind::empty;
    value = *number;
    return digits_alone(text) && std::fabs(value) < 0x1p53 ? CellKind::whole : CellKind::number;
  }
  if (const auto date = date_in(text)) {
    value = date->seconds;
    return CellKind::date;
  }
  return decimal == '.' && number_in(text, ',') ? CellKind::comma : CellKind::text;
}

namespace {

bool is_truth_value(std::string_view text) {
  const auto is = [&](std::string_view word) {
    return std::ranges::equal(text, word, {},
                              [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  };
  return is("true") || is("false");
}

}  // namespace

std::string why_no_group(std::string_view column, std::string_view value) {
  if (column.empty() || column.find('=') != std::string_view::npos)
    return fmt::format("the group's column is \"{}\", expected a name without \"=\"", column);
  if (value.empty() || trimmed(value) != value)
    return fmt::format("the group \"{}\" has blanks around it, or nothing else", value);
  if (is_truth_value(value))
    return fmt::format(
        "the group is \"{}\", but sources write truth values in several ways, and a record could be in "
        "several "
        "groups; give the column texts such as yes and no, in a column of another name: the charges of two "
        "columns add up",
        value);
  // 7, 7.0 and 07 are one number where cells are numbers (a data frame's, a database's), and three texts in a
  // file; so are whole numbers that no double tells apart, and a day's many texts.
  double number = 0;
  const CellKind kind = kind_of(value, '.', number);
  if (kind == CellKind::text || (kind == CellKind::whole && value != "-0")) return "";
  return fmt::format(
      "the group is \"{}\", expected a text or a whole number in digits, below 2^53: other numbers and dates "
      "are written in several ways, and a record could be in several groups; give the column texts, in a "
      "column of another name: the charges of two columns add up",
      value);
}

RawTable read_raw_table(const ReadOptions& given, RawLayout how) {
  const OpenTable open = open_table(given);
  ReadOptions options = how == RawLayout::by_names ? by_names(open) : open.options;
  options.schema.reset();
  const ByteSource source = options.header.value_or(true) ? open.source : open.source.by_name();
  const CsvLayout layout = find_layout(source, options);
  if (how == RawLayout::by_names) require_names(layout, open.options);
  const auto target = find_column("target", options.target, layout);
  const auto user = find_column("user", options.user, layout);
  if (target && user && *target == *user)
    throw_error<UsageError>("column {} cannot be both the target and the user",
                            shown(layout.context.names[*target]));
  RawTable table{.columns = {}, .separator = layout.context.separator, .header = layout.header};
  table.decimal = options.decimal;
  if (target) table.target = layout.context.names[*target];
  if (user) table.user = layout.context.names[*user];
  std::vector<Column> columns;
  for (std::size_t k = 0; k < layout.columns(); ++k)
    if (user != k) columns.emplace_back(layout.context.names[k], layout.context.decimal);
  read_cells_of(source, layout, user, options.chunk_bytes, columns, table);
  for (Column& column : columns) table.columns.push_back(column.take());
  return table;
}

namespace {

std::string text_of(const TableColumn& column, std::size_t row) {
  if (const auto* numbers = std::get_if<NumberCells>(&column.cells))
    return number_text(numbers->first[static_cast<std::ptrdiff_t>(row) * numbers->stride]);
  const auto& value = std::get<ValueCells>(column.cells)[row];
  const auto* number = std::get_if<double>(&value);
  return number ? number_text(*number) : std::string(trimmed(std::get<std::string>(value)));
}

}  // namespace

RawTable raw_table(std::span<const TableColumn> columns, std::size_t rows, const std::string& target,
                   const std::string& user) {
  RawTable table{.columns = {}, .records = rows, .users = {}, .target = target, .user = user};
  for (const std::string* role : {&target, &user})
    if (!role->empty() && std::ranges::find(columns, *role, &TableColumn::name) == columns.end())
      throw_error<UsageError>("there is no column {}", shown(*role));
  require_cells(columns, rows);
  Dictionary users;
  for (const TableColumn& column : columns) {
    if (!user.empty() && column.name == user) {
      for (std::size_t i = 0; i < rows; ++i) {
        const std::string id = text_of(column, i);
        if (id.empty()) throw_error<DataError>("row {}: {}", i, empty_user_id);
        table.users.push_back(users.add(id));
      }
      continue;
    }
    Column filled(column.name, '.');
    for (std::size_t i = 0; i < rows; ++i) filled.add(text_of(column, i));
    table.columns.push_back(filled.take());
  }
  table.user_count = users.size();
  return table;
}

}  // namespace tacit::inline v1
