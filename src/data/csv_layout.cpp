#include "data/csv_layout.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "data/csv_header.hpp"
#include "data/readers.hpp"
#include "data/text.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

// The text without its first `lines` physical lines.
std::string_view without_lines(std::string_view text, std::size_t lines) {
  for (; lines > 0 && !text.empty(); --lines) {
    const auto end = text.find('\n');
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return text;
}

// The start of the file, as long as it takes to hold two records after the skipped lines: a header and a
// record.
std::string read_head(const ByteSource& source, std::size_t skip_lines) {
  const auto stream = source.open();
  std::string head;
  for (std::size_t more = std::size_t{1} << 16;; more *= 2) {
    const std::string block = read_up_to(*stream, more);
    head += block;
    RecordScanner scanner(source.name(), {.mark_is_blank = true}, skip_lines + 1,
                          std::numeric_limits<std::size_t>::max());
    scanner.feed(without_lines(head, skip_lines));
    if (scanner.complete_rows() >= 2 || block.size() < more) return head;
  }
}

bool is_header(const std::vector<std::string>& cells, const ReadOptions& options) {
  if (options.header) return *options.header;
  return std::ranges::none_of(cells, [&](const std::string& cell) {
    return number_in(trimmed(cell), decimal_mark(options)).has_value();
  });
}

void check_marks(const ReadOptions& options) {
  decimal_mark(options);
  if (!options.separator) return;
  const char separator = *options.separator;
  constexpr std::string_view allowed = ",;|\t :";
  if (allowed.find(separator) == allowed.npos)
    throw_error<UsageError>("separator is {}, expected a comma, semicolon, bar, colon, tab or blank",
                            shown({&separator, 1}));
}

// How often each record has `candidate` outside quotes, for the first records.
std::vector<std::size_t> occurrences(std::string_view text, char candidate) {
  constexpr std::size_t most_records = 20;
  std::vector<std::size_t> counts;
  std::size_t count = 0;
  bool in_quotes = false, blank = true, after_candidate = false;
  for (const char c : text) {
    if (c == '"') in_quotes = !in_quotes;
    if (c == '\n' && !in_quotes) {
      // A blank at the end of a line ends no cell.
      if (!blank) counts.push_back(candidate == ' ' && after_candidate ? count - 1 : count);
      if (counts.size() == most_records) return counts;
      count = 0, blank = true, after_candidate = false;
      continue;
    }
    const bool hit = !in_quotes && (c == candidate || (candidate == ' ' && is_blank(c)));
    const bool counted = hit && (candidate != ' ' || (!blank && !after_candidate));
    count += counted ? 1 : 0;
    after_candidate = hit && !blank;
    blank = blank && (is_blank(c) || byte_order_mark.find(c) != byte_order_mark.npos);
  }
  if (!blank && counts.empty()) counts.push_back(count);  // a file of one line without a line end
  return counts;
}

}  // namespace

char find_separator(std::string_view text, char decimal) {
  constexpr std::array candidates{'\t', ';', '|', ','};
  char best = 0;
  std::pair<bool, std::size_t> best_score{false, 0};  // even over the records, then how many cells
  for (const char candidate : candidates) {
    if (candidate == decimal) continue;
    const auto counts = occurrences(text, candidate);
    if (counts.empty() || counts[0] == 0) continue;
    const std::pair score{std::ranges::count(counts, counts[0]) == std::ssize(counts), counts[0]};
    if (best == 0 || score > best_score) best = candidate, best_score = score;
  }
  if (best != 0) return best;
  const auto blanks = occurrences(text, ' ');
  const bool even =
      !blanks.empty() && blanks[0] > 0 && std::ranges::count(blanks, blanks[0]) == std::ssize(blanks);
  return even ? ' ' : ',';
}

char separator_of(const ReadOptions& options) {
  const ByteSource source(options.path);
  const std::string head = read_head(source, options.skip_lines);
  return find_separator(without_lines(head, options.skip_lines), decimal_mark(options));
}

namespace {

// The layout up to and with the header, as the first records have it where the caller did not say.
CsvLayout guessed_layout(const CsvHead& head, const ReadOptions& options) {
  CsvLayout layout;
  layout.context.file = head.file;
  layout.context.separator =
      options.separator ? *options.separator : find_separator(head.text, decimal_mark(options));
  layout.context.decimal = decimal_mark(options);
  layout.records = head.start;
  CellCursor cursor(head.text, head.start.line, layout.context);
  if (!cursor.next_record()) throw_error<DataError>("{}: the file has no records", head.file);
  const std::size_t first_line = cursor.line();
  const std::vector<std::string> cells = read_cells(cursor);
  layout.header = is_header(cells, options);
  layout.context.names =
      layout.header ? header_names(cells, head.file, first_line) : numbered_names(cells.size());
  if (layout.header) layout.records = {head.start.byte + cursor.offset(), cursor.line()};
  return layout;
}

// The first record, which only a target that nobody described is looked up in.
void require_records(const CsvHead& head, const ReadOptions& options, CsvLayout& layout) {
  const std::string_view text = head.text.substr(layout.records.byte - head.start.byte);
  CellCursor cursor(text, layout.records.line, layout.context);
  if (!cursor.next_record()) {
    if (options.may_be_empty) return;
    throw_error<DataError>("{}: {}no records", head.file,
                           layout.context.has_rows ? "the query has "
                           : layout.header         ? "the file has a header but "
                                                   : "the file has ");
  }
  if (options.schema && options.schema->target) return;
  try {
    layout.first_record = read_cells(cursor);
  } catch (const DataError&) {  // the parser says what is wrong, as in any record
    layout.first_record.clear();
  }
}

}  // namespace

std::vector<std::string> read_cells(CellCursor& cursor) {
  std::vector<std::string> cells;
  while (!cursor.record_done()) cells.emplace_back(cursor.next());
  return cells;
}

std::vector<std::string> header_names(const std::vector<std::string>& cells, const std::string& file,
                                      std::size_t line) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const auto& cell : cells) {
    const std::size_t number = names.size();
    names.emplace_back(trimmed(cell));
    if (names.back().empty()) names.back() = std::to_string(number);
    if (!valid_utf8(names.back()))
      throw_error<DataError>("{}:{}:{}: the column name is not UTF-8 text", file, line, number + 1);
    if (!seen.insert(names.back()).second)
      throw_error<DataError>(
          "{}:{}:{}: the column name {} appears twice in the header; if that line is a record, say that "
          "there "
          "is no header",
          file, line, number + 1, shown(names.back()));
  }
  return names;
}

std::vector<std::string> numbered_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

namespace {

// Old systems ended lines with a carriage return alone; then the whole file is one line. Looks at the first
// line only, and only where that may be a header: names are public. A further one before a line's end, and
// one in quotes, do no harm.
void require_line_feeds(const CsvHead& head, const ReadOptions& options) {
  if (options.schema ? begins_with_a_record(options) : !options.header.value_or(true)) return;
  bool in_quotes = false;
  for (std::size_t k = 0; k + 1 < head.text.size() && (in_quotes || head.text[k] != '\n'); ++k) {
    if (head.text[k] == '"') in_quotes = !in_quotes;
    const char next = head.text[k + 1];
    if (!in_quotes && head.text[k] == '\r' && next != '\r' && next != '\n')
      throw_error<DataError>(
          "{}:{}: a line ends with a carriage return alone, expected a line feed; tr '\\r' '\\n' makes them",
          head.file, head.start.line);
  }
}

}  // namespace

CsvLayout find_layout(const ByteSource& source, const ReadOptions& options) {
  check_marks(options);
  const std::string content = read_head(source, options.skip_lines);
  std::string_view text = content;
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  text = without_lines(text, options.skip_lines);
  const CsvHead head{source.name(), text, {content.size() - text.size(), options.skip_lines + 1}};
  require_line_feeds(head, options);
  CsvLayout layout = options.schema ? layout_by_schema(head, options) : guessed_layout(head, options);
  layout.context.has_rows = source.has_rows();
  require_records(head, options, layout);
  return layout;
}

}  // namespace tacit::inline v1
