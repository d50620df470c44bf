#pragma once

// Pairs of CSV files: every separator, quotes, headers or none, line ends, encodings, gzip members, with a
// schema or with everything stated.

#include <algorithm>

#include "data/text.hpp"
#include "neutrality_cells.hpp"

namespace tacit::neutrality {

class CsvWriter {
 public:
  explicit CsvWriter(Random& random, bool with_schema) : random_(random), with_schema_(with_schema) {
    separator_ = ",;\t| :"[below(random, 6)];
    header_ = !with_schema || !one_in(random, 3);  // else the first record counts the columns, as is told
    classes_ = one_in(random, 2);
    ignore_others_ = with_schema && one_in(random, 4);
    states_separator_ = !with_schema || one_in(random, 3);
    decimal_ = one_in(random, 4) ? ',' : '.';
    if (!header_ && !states_separator_) separator_ = one_in(random, 2) ? '\t' : decimal_ == ',' ? ';' : ',';
    if (separator_ != ' ' && one_in(random, 2))
      padding_ = separator_ != '\t' && one_in(random, 2) ? "\t" : " ";
    line_ends_ = below(random, 3);
    for (const char* name : {"age", "net gain", "job; title", "no\"te, x", "y", "id"})
      names_.emplace_back(name);
    if (!header_)
      for (std::size_t i = 0; i < names_.size(); ++i) names_[i] = std::to_string(i);
  }

  Pair pair() {
    Pair pair;
    pair.options = options();
    const std::string head = top();
    const std::size_t count = 2 + below(random_, 25);
    pair.record = one_in(random_, 4) ? 0 : below(random_, count);
    std::vector<std::string> records;
    for (std::size_t i = 0; i < count; ++i) records.push_back(line(marked(ordinary_cells()), padding_, true));
    const std::string hostile = hostile_record(pair.record == 0 && !header_);
    pair.legal = legal_;
    std::string before = head;
    for (std::size_t i = 0; i < pair.record; ++i) before += records[i] + line_end();
    std::string after = last_ = line_end();
    for (std::size_t i = pair.record + 1; i < count; ++i) after += records[i] + line_end();
    if (one_in(random_, 4)) after.pop_back();
    const auto lines = static_cast<std::size_t>(std::ranges::count(before, '\n'));
    const auto lines_of_head = static_cast<std::size_t>(std::ranges::count(head, '\n'));
    pair.place = pair.alone_place = fmt::format("t{}:{}:", extension(), lines + 1);
    pair.swallows = std::ranges::count(hostile, '"') % 2 == 1;
    pair.ordinary.data = packed(before + records[pair.record] + after);
    pair.hostile.data = packed(before + hostile + after);
    pair.alone.data = packed(head + std::string(lines - lines_of_head, '\n') + hostile + last_);
    return pair;
  }

  ReadOptions options() {
    ReadOptions options;
    gzip_ = one_in(random_, 4);
    options.path = "t" + extension();
    options.skip_lines = skip_ = one_in(random_, 4) ? 2 : 0;
    if (states_separator_) options.separator = separator_;
    options.decimal = decimal_;
    if (!with_schema_ || one_in(random_, 3)) options.header = header_;
    if (with_schema_) {
      options.schema = schema_ = schema();
    } else {
      options.target = names_[4];
      options.user = names_[5];
      options.wish = classes_ ? TargetWish::classes : TargetWish::numeric;
      if (classes_) options.classes = {"no", "yes"};
    }
    return options;
  }

 private:
  Schema schema() {
    const auto missing = [&]() -> std::optional<double> {
      return one_in(random_, 2) ? std::optional(20.0) : std::nullopt;
    };
    Schema schema;
    schema.columns = {{names_[0], NumericColumn{.min = 0, .max = 100, .missing = missing()}},
                      {names_[1], NumericColumn{.min = 1, .max = 1e6, .log1p = true, .missing = missing()}},
                      {names_[2], CategoricalColumn{.categories = {"Sales", "Tech"}}}};
    if (one_in(random_, 2)) std::get<CategoricalColumn>(schema.columns[2].kind).missing = "other";
    if (!ignore_others_ || one_in(random_, 2)) schema.columns.push_back({names_[3], IgnoredColumn{}});
    schema.target = SchemaTarget{.column = names_[4]};
    const std::size_t kind = below(random_, 3);
    if (classes_) schema.target->classes = {"no", "yes"};
    if (!classes_ && kind > 0) schema.target->min = -5, schema.target->max = 5;
    schema.user = names_[5];
    schema.ignore_others = ignore_others_;
    return schema;
  }

  std::string extension() const {
    return std::string(separator_ == '\t' && !header_ ? ".tsv" : ".csv") + (gzip_ ? ".gz" : "");
  }

  std::string top() {
    std::string head = one_in(random_, 4) ? "\xef\xbb\xbf" : "";
    for (std::size_t i = 0; i < skip_; ++i) head += "# made, by; \"us\n";
    if (header_) head += line(names_, padding_, true) + line_end();
    return head;
  }

  std::string line_end() {
    return line_ends_ == 0 || (line_ends_ == 2 && one_in(random_, 2)) ? "\n" : "\r\n";
  }

  std::string quoted(const std::string& text) const {
    std::string result = "\"";
    for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
    return result + "\"";
  }

  std::string line(const std::vector<std::string>& cells, const std::string& padding, bool careful) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string& cell = cells[i];
      const bool line_end_inside = cell.find_first_of("\r\n") != cell.npos;
      const bool special = line_end_inside || cell.find_first_of("\" \t:") != cell.npos || cell.empty() ||
                           cell.find(separator_) != cell.npos;
      if (i > 0) text += separator_ + padding;
      text += (careful && special) || line_end_inside || one_in(random_, 6) ? quoted(cell) : cell;
    }
    return text;
  }

  std::vector<std::string> ordinary_cells() {
    const auto number = [&] { return fmt::format("{}", static_cast<double>(below(random_, 2000)) / 8); };
    if (!with_schema_)
      return {number(), number(), number(), number(), label(), fmt::format("p{}", below(random_, 5))};
    std::string note = one_in(random_, 3) ? hostile_text(random_) : "n";
    return {number(), number(), one_in(random_, 3) ? "Baker, \"x\"" : "Sales",
            note,     label(),  fmt::format("p{}", below(random_, 5))};
  }

  // Numbers as the file has them. Where the comma is the mark, the point is none: they change places.
  std::vector<std::string> marked(std::vector<std::string> cells) const {
    for (std::size_t i = 0; i < std::min<std::size_t>(cells.size(), 5); ++i) {
      const bool numeric = i < 2 || (i == 4 && !classes_) || (i < 4 && !with_schema_);
      if (!numeric || decimal_ == '.') continue;
      for (char& c : cells[i]) c = c == '.' ? ',' : c == ',' ? '.' : c;
    }
    return cells;
  }

  std::string label() {
    if (classes_) return one_in(random_, 2) ? "yes" : "no";
    return std::to_string(below(random_, 9));
  }

  // One record that is unlike the others, on what a scanner takes for one line.
  std::string hostile_record(bool first_in_file) {
    static const std::vector<std::string> paddings{"", " ", "\t", "  "};
    for (;;) {
      std::vector<std::string> cells = ordinary_cells();
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (!one_in(random_, 4)) continue;
        const bool numeric = i < 2 || (i == 4 && !classes_) || !with_schema_;
        cells[i] = numeric && !one_in(random_, 8) ? hostile_number(random_) : hostile_text(random_);
      }
      legal_ = legal(cells);
      if (cells[0].find(byte_order_mark) != std::string::npos)
        legal_.reset();  // dropped where it comes first
      if (one_in(random_, 20)) cells.push_back(hostile_text(random_)), legal_.reset();
      if (one_in(random_, 20)) cells.pop_back(), legal_.reset();
      const std::string padding = separator_ == '\t' ? "" : one_of(random_, paddings);
      std::string text = line(marked(cells), padding, !one_in(random_, 4) || (legal_.reset(), false));
      const auto insert = [&](char c) {
        legal_.reset();
        text.insert(text.begin() + static_cast<std::ptrdiff_t>(below(random_, text.size() + 1)), c);
      };
      if (one_in(random_, 15)) insert('"');
      if (one_in(random_, 30)) insert("\t ;,|:"[below(random_, 6)]);
      // A blank line is no record, two are not one, and what begins as gzip data is no text.
      const bool blank = text.find_first_not_of(" \t\r\n\"") == text.npos;
      if (!blank && one_record(text) && !(first_in_file && text.starts_with("\x1f\x8b"))) return text;
    }
  }

  // Whether the documentation says that a record with these cells, carefully written, is read.
  bool legal(const std::vector<std::string>& cells) const {
    const auto column = [&](std::size_t i) { return schema_.columns[i].kind; };
    for (std::size_t i = 0; i < 5; ++i) {
      const CellKind kind = kind_of(cells[i]);
      const bool target = i == 4, plain = !with_schema_ || (target && !schema_.target->max);
      if (target && classes_) {
        if (const std::string label = without_blanks(cells[i]); label != "yes" && label != "no") return false;
      } else if (target || !with_schema_ || i < 2) {
        const bool missing = with_schema_ && !target && std::get<NumericColumn>(column(i)).missing;
        if (kind == CellKind::text || (kind == CellKind::empty && !missing)) return false;
        if (kind == CellKind::beyond_doubles && plain) return false;
      } else if (i == 2 && without_blanks(cells[i]).empty() &&
                 !std::get<CategoricalColumn>(column(i)).missing) {
        return false;
      }
    }
    return !without_blanks(cells[5]).empty();
  }

  // No line end outside quotes, as a scanner counts them.
  static bool one_record(const std::string& text) {
    bool in_quotes = false;
    for (const char c : text) {
      if (c == '"') in_quotes = !in_quotes;
      if (c == '\n' && !in_quotes) return false;
    }
    return true;
  }

  // One or more gzip members, cut anywhere.
  std::string packed(const std::string& text) {
    if (!gzip_) return text;
    const std::size_t cut = below(random_, text.size() + 1);
    if (one_in(random_, 2)) return testing_data::gzip(text);
    return testing_data::gzip(text.substr(0, cut)) + testing_data::gzip(text.substr(cut));
  }

  Random& random_;
  bool with_schema_, header_, classes_, ignore_others_, states_separator_, gzip_ = false;
  char separator_, decimal_;
  std::size_t line_ends_, skip_ = 0;
  std::string padding_, last_;
  std::vector<std::string> names_;
  Schema schema_;
  std::optional<bool> legal_;  // the hostile record; unset where it is not carefully written
};

inline Pair csv_pair_with_schema(Random& random) { return CsvWriter(random, true).pair(); }
inline Pair csv_pair_without_schema(Random& random) { return CsvWriter(random, false).pair(); }

}  // namespace tacit::neutrality
