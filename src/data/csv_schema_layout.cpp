#include <algorithm>
#include <exception>
#include <optional>
#include <set>

#include "data/csv_header.hpp"
#include "data/csv_plan.hpp"
#include "data/readers.hpp"
#include "data/text.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

std::vector<std::string> names_in(const Schema& schema) {
  std::vector<std::string> names;
  for (const auto& column : schema.columns) names.push_back(column.name);
  if (schema.target && !schema.target->column.empty()) names.push_back(schema.target->column);
  if (!schema.user.empty()) names.push_back(schema.user);
  return names;
}

namespace {

// The number that a column of a file without a header goes by.
std::optional<std::size_t> column_number(const std::string& name) {
  constexpr long long most = 1'000'000;
  const auto number = integer_in(name);
  if (!number || *number < 0 || *number >= most || std::to_string(*number) != name) return std::nullopt;
  return static_cast<std::size_t>(*number);
}

// What the schema's names and the chosen columns say of a file without a header.
struct NumberedColumns {
  bool all = false;  // they are numbers that leave none out, so that there is no header
  std::size_t count = 0;
};

NumberedColumns numbered_columns(const Schema& schema, const ReadOptions& options) {
  std::set<std::size_t> named;
  std::size_t from_the_end = 0;
  bool all = true;
  const auto add = [&](const std::string& name) {
    const auto number = column_number(name);
    if (number) named.insert(*number);
    all = all && number.has_value();
  };
  for (const std::string& name : names_in(schema)) add(name);
  const bool has_target = schema.target && !schema.target->column.empty();
  for (const auto& [chosen, described] :
       {std::pair(options.target, has_target), {options.user, !schema.user.empty()}}) {
    if (const auto number = integer_in(chosen); number && *number < 0) {
      from_the_end += described ? 0 : 1;
    } else if (!chosen.empty()) {
      add(chosen);
    }
  }
  if (named.empty()) return {};
  if (schema.ignore_others) return {all, *named.rbegin() + 1};
  const std::size_t count = named.size() + from_the_end;
  return {all && *named.rbegin() < count, std::max(count, *named.rbegin() + 1)};
}

// The lines that a header with these names may take. A quote that it does not close must not reach into the
// records.
std::string_view header_lines(std::string_view text, const Schema& schema) {
  std::size_t lines = 1;
  for (const std::string& name : names_in(schema))
    lines += static_cast<std::size_t>(std::ranges::count(name, '\n'));
  std::size_t end = text.find_first_not_of(" \t\r\n");
  for (; lines > 0 && end < text.size(); --lines) end = std::min(text.find('\n', end), text.size() - 1) + 1;
  return text.substr(0, end);
}

// The header under one separator.
struct Trial {
  CsvLayout layout{};
  std::size_t known = 0;  // names of the schema that it has
  std::exception_ptr failure{};
};

Trial try_separator(const CsvHead& head, char separator, const ReadOptions& options) {
  Trial trial;
  CsvLayout& layout = trial.layout;
  layout.context.file = head.file;
  layout.context.separator = separator;
  layout.context.decimal = decimal_mark(options);
  layout.header = true;
  CellCursor cursor(header_lines(head.text, *options.schema), head.start.line, layout.context);
  std::vector<std::string> cells;
  try {
    if (!cursor.next_record()) throw_error<DataError>("{}: the file has no records", head.file);
    const std::size_t line = cursor.line();
    while (!cursor.record_done()) cells.emplace_back(trimmed(cursor.next()));
    layout.context.names = header_names(cells, head.file, line);
    layout.records = {head.start.byte + cursor.offset(), cursor.line()};
    plan_columns(layout, options);
  } catch (const Error&) {
    trial.failure = std::current_exception();
  }
  trial.known =
      static_cast<std::size_t>(std::ranges::count_if(names_in(*options.schema), [&](const std::string& name) {
        return std::ranges::find(cells, name) != cells.end();
      }));
  return trial;
}

char usual_separator(const ReadOptions& options) {
  if (unpacked_extension(options.path) == ".tsv") return '\t';
  return decimal_mark(options) == ',' ? ';' : ',';
}

// The header's names are public, and so is the separator that makes them the schema's.
CsvLayout layout_with_header(const CsvHead& head, const ReadOptions& options) {
  std::vector<char> separators{options.separator.value_or(usual_separator(options))};
  if (!options.separator) separators.insert(separators.end(), {',', '\t', ';', '|', ':', ' '});
  std::optional<Trial> best;
  for (const char separator : separators) {
    Trial trial = try_separator(head, separator, options);
    if (!trial.failure) return std::move(trial.layout);
    if (!best || trial.known > best->known) best = std::move(trial);
  }
  const auto names = names_in(*options.schema);
  if (best->known > 0 || names.empty()) std::rethrow_exception(best->failure);
  if (header_lines(head.text, *options.schema).empty())
    throw_error<DataError>("{}: the file has no records", head.file);
  if (format_of(options) != Format::csv)
    throw_error<DataError>("{}: has none of the schema's columns, expected {}", head.file, shown_list(names));
  throw_error<DataError>(
      "{}: the first line has none of the schema's names, expected a header with {} (or say how the file is "
      "laid out: its separator, that it has no header, how many lines to skip)",
      head.file, shown_list(names));
}

CsvLayout layout_without_header(const CsvHead& head, const ReadOptions& options, std::size_t columns) {
  CsvLayout layout;
  layout.context.file = head.file;
  layout.context.separator = options.separator.value_or(usual_separator(options));
  layout.context.decimal = decimal_mark(options);
  layout.records = head.start;
  layout.more_cells = options.schema->ignore_others;
  // New records may lack the target and the user: where no label is read, the first of them tells.
  if (options.target_optional && options.wish == TargetWish::none) {
    CellCursor cursor(head.text, head.start.line, layout.context);
    columns = cursor.next_record() ? read_cells(cursor).size() : 0;
  }
  layout.context.names = numbered_names(columns);
  return layout;
}

}  // namespace

bool begins_with_a_record(const ReadOptions& options) {
  return !options.header.value_or(!numbered_columns(*options.schema, options).all);
}

CsvLayout layout_by_schema(const CsvHead& head, const ReadOptions& options) {
  if (!begins_with_a_record(options)) return layout_with_header(head, options);
  const NumberedColumns numbered = numbered_columns(*options.schema, options);
  // Where labels are read, no record may say which of its cells they are in, or whose they are.
  if (options.schema->ignore_others && (!options.target_optional || options.wish != TargetWish::none))
    for (const std::string& column : {options.target, options.user})
      if (column.starts_with('-') && integer_in(column))
        throw_error<UsageError>(
            "column {} counts from the end of a record, whose length is not stated; count it from the front",
            shown(column));
  return layout_without_header(head, options, numbered.count);
}

}  // namespace tacit::inline v1
