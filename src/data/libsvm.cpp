#include <charconv>
#include <cmath>
#include <limits>

#include "data/readers.hpp"
#include "data/records.hpp"
#include "data/target.hpp"
#include "data/text.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

struct ParsedChunk {
  std::vector<double> labels;
  std::vector<std::uint64_t> ends;  // of each row's entries
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  std::uint32_t largest_index = 0;
};

// Parses lines "label index:value index:value …", indices from 1 and ascending; # begins a comment.
class LibsvmParser {
 public:
  LibsvmParser(const std::string& file, const TargetPlan& target, std::size_t columns, ParsedChunk& out)
      : file_(file), target_(target), columns_(columns), out_(out) {}

  void parse(std::string_view text, std::size_t first_line) {
    line_ = first_line;
    for (; !text.empty(); ++line_) {
      const auto end = text.find('\n');
      parse_line(text.substr(0, end));
      text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
  }

 private:
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw_error<DataError>("{}:{}:{}: {}", file_, line_, cell_,
                           fmt::format(format, std::forward<Args>(args)...));
  }

  void parse_line(std::string_view line) {
    rest_ = line.substr(0, line.find('#'));
    cell_ = 0;
    const auto label = next_token();
    if (label.empty()) return;
    const auto value = label_in(label);
    if (!value)
      fail("the label {} is not a class, expected one of {}", label, shown_list(target_.classes.texts()));
    out_.labels.push_back(*value);
    std::uint32_t last = 0;
    for (auto token = next_token(); !token.empty(); token = next_token()) last = parse_entry(token, last);
    out_.largest_index = std::max(out_.largest_index, last);
    out_.ends.push_back(out_.values.size());
  }

  std::string_view next_token() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
    std::size_t size = 0;
    while (size < rest_.size() && !is_blank(rest_[size])) ++size;
    const auto token = rest_.substr(0, size);
    rest_.remove_prefix(size);
    ++cell_;
    return token;
  }

  std::uint32_t parse_entry(std::string_view token, std::uint32_t last) {
    const auto colon = token.find(':');
    std::uint32_t index = 0;
    const char* const index_end = token.data() + std::min(colon, token.size());
    const auto parsed = std::from_chars(token.data(), index_end, index);
    if (colon == token.npos || parsed.ec != std::errc{} || parsed.ptr != index_end)
      fail("{}, expected index:value", shown(token));
    if (index == 0) fail("the index is 0, expected 1 or more");
    if (index <= last) fail("the index {} follows {}, expected ascending indices", index, last);
    if (columns_ > 0 && index > columns_) fail("the index is {}, expected at most {}", index, columns_);
    out_.columns.push_back(index - 1);
    out_.values.push_back(finite(token.substr(colon + 1), "the value"));
    return index;
  }

  // A label beyond the target's bounds, however far, is cut to them.
  std::optional<double> label_in(std::string_view text) const {
    const auto number = number_in(text);
    if (number && target_.kind == TargetKind::numeric)
      if (const auto cut = number_label(target_, *number); std::isfinite(*cut)) return cut;
    return number_label(target_, finite(text, "the label"));
  }

  double finite(std::string_view text, std::string_view what) const {
    const auto value = number_in(text);
    if (value && std::isfinite(*value)) return *value;
    fail("{} {} {}, expected a finite number", what, shown(text), why_not_finite(text));
  }

  const std::string& file_;
  const TargetPlan& target_;
  std::size_t columns_;
  ParsedChunk& out_;
  std::size_t line_ = 0, cell_ = 0;
  std::string_view rest_;
};

// The chunks' rows after each other; each chunk is freed as soon as it is copied.
SparseRows join(std::vector<ParsedChunk>& chunks, std::vector<double>& labels) {
  std::size_t entries = 0, rows = 0;
  SparseRows all;
  for (const auto& chunk : chunks) {
    entries += chunk.values.size();
    rows += chunk.labels.size();
    all.columns = std::max<std::size_t>(all.columns, chunk.largest_index);
  }
  all.rows = rows;
  all.start.reserve(rows + 1);
  all.column.reserve(entries);
  all.value.reserve(entries);
  labels.reserve(rows);
  for (auto& chunk : chunks) {
    const std::uint64_t before = all.value.size();
    for (const auto end : chunk.ends) all.start.push_back(before + end);
    all.column.insert(all.column.end(), chunk.columns.begin(), chunk.columns.end());
    all.value.insert(all.value.end(), chunk.values.begin(), chunk.values.end());
    labels.insert(labels.end(), chunk.labels.begin(), chunk.labels.end());
    chunk = {};
  }
  return all;
}

}  // namespace

ReadResult read_libsvm(const ByteSource& given, const ReadOptions& options) {
  const ByteSource source = given.by_name();
  const TargetPlan target = plan_target(options, false);
  const auto chunks = scan_records(source, {.quotes = false, .tab_is_blank = true}, {}, options.chunk_bytes);
  std::vector<ParsedChunk> parsed(chunks.size());
  parse_chunks(source, {}, chunks, options.threads, [&](std::size_t i, std::string_view text) {
    LibsvmParser(source.name(), target, options.columns, parsed[i]).parse(text, chunks[i].first_line);
  });

  ReadResult result;
  std::vector<double> labels;
  SparseRows rows = join(parsed, labels);
  if (rows.rows == 0) throw_error<DataError>("{}: the file has no records", source.name());
  if (options.columns > 0) {
    rows.columns = options.columns;
  } else {
    result.read_off_data.push_back("columns");
  }
  if (rows.columns == 0) throw_error<DataError>("{}: no record has a feature", source.name());
  result.data.features = Features(std::move(rows));
  adopt_number_labels(std::move(labels), target, source.name(), result);
  return result;
}

}  // namespace tacit::inline v1
