#include "tacit/data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/csv_layout.hpp"
#include "data/csv_plan.hpp"
#include "data/dictionary.hpp"
#include "data/iso_date.hpp"
#include "data/readers.hpp"
#include "data/records.hpp"
#include "data/tables.hpp"
#include "data/text.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

// A number, perhaps with a sign of a currency, whose commas stand after every third digit.
bool in_groups(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.starts_with('$')) text.remove_prefix(1);
  const std::string_view whole = text.substr(0, text.find('.'));
  std::string digits;
  for (std::size_t k = 0; k < whole.size(); ++k) {
    const bool comma = (whole.size() - k) % 4 == 0 && k > 0;
    const bool any = whole.find(',') != whole.npos;
    if (any && (whole[k] == ',') != comma) return false;
    if (whole[k] != ',') digits += whole[k];
  }
  return !digits.empty() && number_in(digits + std::string(text.substr(whole.size()))).has_value();
}

// What the cells of one column look like.
class ColumnSummary {
 public:
  explicit ColumnSummary(char decimal) : decimal_(decimal) {}

  void add(std::string_view text, std::size_t most_texts) {
    if (text.empty()) {
      ++empty_;
      return;
    }
    if (distinct_.size() <= most_texts) distinct_.add(text);
    ++filled_;
    const bool date = date_in(text).has_value();
    dated_ += date ? 1 : 0;
    if (!date) undated_.add(text, most_strange);
    commas_ = commas_ && number_in(text, decimal_ == '.' ? ',' : '.').has_value();
    groups_ = groups_ && in_groups(text);
    grouped_ = grouped_ || text.find_first_of("$,") != text.npos;
    const auto value = number_in(text, decimal_);
    if (!value || !std::isfinite(*value)) {
      strange_.add(text, most_strange);
      return;
    }
    ++count_;
    ascending_ = ascending_ && *value > last_;
    last_ = *value;
    const auto n = static_cast<double>(count_);
    mean_ = mean_ * ((n - 1) / n) + *value / n;  // a sum could overflow
    min_ = std::min(min_, *value);
    max_ = std::max(max_, *value);
    integers_ = integers_ && std::nearbyint(*value) == *value;
  }

  bool has_empty() const { return empty_ > 0; }
  bool numbers() const { return count_ == filled_ && count_ > 0; }
  // Numbers but for a few texts, such as NA, that stand for no number.
  bool mostly_numbers() const { return !numbers() && mostly(count_, strange_); }
  std::string strange_texts() const { return strange_.listed(); }
  bool integers() const { return numbers() && integers_; }
  // Every number larger than the one before it.
  bool ascending() const { return integers() && ascending_; }
  // The cells that are not empty, but for such texts.
  bool dates() const { return (dated_ == filled_ && filled_ > 0) || mostly(dated_, undated_); }
  // Numbers such as 47,993 or $1,234.00.
  bool thousands() const { return decimal_ == '.' && groups_ && grouped_ && !numbers(); }
  bool other_decimals() const { return commas_ && !numbers() && filled_ > 0; }
  std::size_t filled() const { return filled_; }
  double min() const { return min_; }
  double max() const { return max_; }
  double mean() const { return std::clamp(mean_, min_, max_); }
  std::size_t distinct() const { return distinct_.size(); }
  std::vector<std::string> sorted_texts() const {
    auto texts = distinct_.texts();
    std::ranges::sort(texts);
    return texts;
  }

 private:
  static constexpr std::size_t most_strange = 3;  // different texts for "there is none"

  // The first few different texts of some cells.
  class Few {
   public:
    void add(std::string_view text, std::size_t most) {
      if (texts_.size() <= most) texts_.add(text);
    }
    std::size_t size() const { return texts_.size(); }
    std::string listed() const {
      std::string list;
      for (const std::string& text : texts_.texts()) list += (list.empty() ? "" : ", ") + shown(text);
      return list;
    }

   private:
    Dictionary texts_;
  };

  bool mostly(std::size_t part, const Few& others) const {
    constexpr std::size_t enough = 20;  // [heuristic: advice and drafts only]
    return part >= enough && 5 * part >= 4 * filled_ && others.size() <= most_strange;
  }

  char decimal_;
  std::size_t empty_ = 0, filled_ = 0, count_ = 0, dated_ = 0;
  bool integers_ = true, ascending_ = true, commas_ = true, groups_ = true, grouped_ = false;
  Few strange_, undated_;
  double last_ = -std::numeric_limits<double>::infinity();
  double min_ = std::numeric_limits<double>::infinity(), max_ = -min_, mean_ = 0;
  Dictionary distinct_;
};

// So skewed that a linear scale would press nearly all records against 0 [heuristic: utility only].
bool wants_log(const ColumnSummary& column) {
  constexpr double skewed = 20, smallest_range = 20;
  const double range = column.max() - column.min();
  return column.min() >= 0 && range > smallest_range && range > skewed * (column.mean() - column.min());
}

decltype(SchemaColumn::kind) draft_column(const ColumnSummary& column, std::size_t most_categories) {
  if (column.numbers() || column.mostly_numbers()) {
    if (!(column.min() < column.max()) || !std::isfinite(column.max() - column.min())) return IgnoredColumn{};
    NumericColumn drafted{.min = column.min(), .max = column.max(), .log1p = wants_log(column)};
    if (column.has_empty() || column.mostly_numbers()) drafted.missing = column.mean();
    return drafted;
  }
  auto categories = column.sorted_texts();
  std::erase(categories, "other");  // is what every unlisted value becomes
  const bool readable = std::ranges::all_of(categories, valid_utf8);
  if (categories.empty() || column.distinct() > most_categories || !readable) return IgnoredColumn{};
  CategoricalColumn drafted{.categories = std::move(categories)};
  if (column.has_empty()) drafted.missing = "other";
  return drafted;
}

// What a person should look at: one line, or none. Few records say nothing.
std::string advice_on(const ColumnSummary& column, const SchemaColumn& drafted, char decimal) {
  constexpr std::size_t few = 20;
  if (column.filled() < few) return "";
  const bool listed = std::holds_alternative<CategoricalColumn>(drafted.kind);
  if (column.ascending())
    return "counts up from record to record: an id is not a feature, make it \"ignore\"";
  if (column.numbers()) return "";
  if (column.mostly_numbers())
    return fmt::format("holds numbers, and {}, which \"unreadable\": \"missing\" takes for empty cells",
                       column.strange_texts());
  if (column.dates())
    return fmt::format("holds dates and is {}: make its type \"date\", with a min and a max",
                       listed ? "drafted as categories" : "ignored");
  if (column.thousands())
    return fmt::format(
        "holds numbers with commas between thousands or a currency's sign: write them as 47993{}",
        column.other_decimals() ? " (or, if it is a decimal comma, read them with the decimal ,)" : "");
  if (column.other_decimals())
    return fmt::format("holds numbers with a decimal {}: read them with the decimal {}",
                       decimal == '.' ? "comma" : "point", decimal == '.' ? ',' : '.');
  if (!listed)
    return fmt::format("has more than {} different texts and is ignored: the type \"hashed\" would use them",
                       column.distinct() - 1);
  if (2 * column.distinct() > column.filled())
    return fmt::format(
        "has {} different texts in {} records: names or ids, which a schema must not list, make it "
        "\"ignore\"",
        column.distinct(), column.filled());
  return "";
}

SchemaTarget draft_target(const std::string& name, const ColumnSummary& column, const DraftOptions& options,
                          const std::string& file) {
  SchemaTarget target{.column = name};
  if (column.numbers() && !(column.integers() && column.distinct() <= options.most_integer_classes)) {
    if (column.min() < column.max()) target.min = column.min(), target.max = column.max();
    return target;
  }
  if (column.distinct() < 2 || column.distinct() > options.largest_category_set)
    throw_error<DataError>("{}: the target column {} has {} distinct texts, expected 2 to {}", file,
                           shown(name), column.distinct() < 2 ? "fewer than 2" : "more",
                           options.largest_category_set);
  target.classes = column.sorted_texts();
  if (column.numbers())
    std::ranges::sort(target.classes, {},
                      [&](const auto& text) { return *number_in(text, decimal_mark(options.file)); });
  return target;
}

std::vector<ColumnSummary> summarise(const ByteSource& source, const CsvLayout& layout,
                                     const DraftOptions& options) {
  const std::size_t most_texts = std::max(options.largest_category_set, options.most_integer_classes);
  std::vector<ColumnSummary> columns(layout.columns(), ColumnSummary(layout.context.decimal));
  const auto chunks = scan_records(source, layout.rules(), layout.records, options.file.chunk_bytes);
  parse_chunks(source, layout.records, chunks, 1, [&](std::size_t i, std::string_view text) {
    CellCursor cursor(text, chunks[i].first_line, layout.context);
    while (cursor.next_record()) {
      for (auto& column : columns) {
        if (cursor.record_done()) cursor.fail_ragged(columns.size());
        column.add(trimmed(cursor.next()), most_texts);
      }
      if (!cursor.record_done()) cursor.fail_ragged(columns.size());
    }
  });
  return columns;
}

}  // namespace

Schema draft_schema(const DraftOptions& options) {
  if (options.largest_category_set < 1)
    throw_error<UsageError>("largest_category_set is 0, expected at least 1");
  if (options.most_integer_classes < 2)
    throw_error<UsageError>("most_integer_classes is {}, expected at least 2", options.most_integer_classes);
  const OpenTable table = open_table(options.file);
  const ByteSource& source = table.source;
  const CsvLayout layout = find_layout(source, table.options);
  const auto target = find_column("target", options.file.target, layout);
  const auto user = find_column("user", options.file.user, layout);
  const auto columns = summarise(source, layout, options);

  Schema schema;
  schema.drafted_from_data = true;
  schema.decimal = table.options.decimal;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& name = layout.context.names[i];
    if (target && *target == i) {
      schema.target = draft_target(name, columns[i], options, source.name());
    } else if (user && *user == i) {
      schema.user = name;
    } else {
      schema.columns.push_back({name, draft_column(columns[i], options.largest_category_set)});
      schema.unreadable_missing = schema.unreadable_missing || columns[i].mostly_numbers();
      if (const std::string advice = advice_on(columns[i], schema.columns.back(), layout.context.decimal);
          !advice.empty())
        announce(fmt::format("Warning: the column {} {}.", shown(name), advice));
    }
  }
  validate(schema, source.name());
  return schema;
}

}  // namespace tacit::inline v1
