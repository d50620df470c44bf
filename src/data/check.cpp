#include "data/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/utf8.hpp"
#include "data/csv_layout.hpp"
#include "data/csv_plan.hpp"
#include "data/dictionary.hpp"
#include "data/iso_date.hpp"
#include "data/readers.hpp"
#include "data/records.hpp"
#include "data/tables.hpp"
#include "data/text.hpp"

namespace tacit::inline v1 {
namespace {

constexpr std::size_t most_shown = 20;

// What the cells of a column with a range are.
struct Reads {
  bool date = false;      // else numbers,
  char decimal = '.';     // with this mark before their fraction
  bool or_empty = false;  // what is neither counts as empty, as the schema says
};

// What one column of the schema says of cells.
class Checker {
 public:
  Checker(std::string name, std::vector<std::string> listed, double min, double max, Reads reads)
      : name_(std::move(name)),
        listed_(listed),
        seen_(listed.size(), false),
        min_(min),
        max_(max),
        reads_(reads) {
    for (const std::string& text : listed)
      if (const auto number = number_in(text)) numbers_.insert(*number);
  }

  // In a column of numbers itself; elsewhere its text, or the category that is another text of it.
  void add(double value) {
    const bool number = listed_.size() == 0 && !reads_.date;
    if (std::isnan(value)) return add("");
    if (!number && !numbers_.contains(value)) return add(number_text(value));
    ++cells_;
    if (number && !(value >= min_ && value <= max_)) ++outside_;
  }

  void add(std::string_view text) {
    ++cells_;
    if (text.empty()) {
      ++empty_;
      return;
    }
    if (listed_.size() == 0) {
      const auto number = reads_.date ? seconds(text) : number_in(text, reads_.decimal);
      if (number && std::isnan(*number))
        ++empty_;
      else if (!number && reads_.or_empty)
        ++empty_, ++unreadable_;
      else if (!number || !(*number >= min_ && *number <= max_))
        ++outside_;
      return;
    }
    if (const auto found = listed_.find(text)) {
      seen_[*found] = true;
      return;
    }
    ++outside_;
    const std::string value = valid_utf8(text) ? std::string(text) : shown(text);
    if (unmatched_.size() < most_shown && std::ranges::find(unmatched_, value) == unmatched_.end())
      unmatched_.push_back(value);
  }

  CheckedCells result() const {
    const auto share = [](std::size_t part, std::size_t all) {
      return all == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(all);
    };
    CheckedCells found{.name = name_,
                       .outside_share = share(outside_, cells_ - empty_),
                       .missing_share = share(empty_, cells_),
                       .unreadable = unreadable_,
                       .present = cells_ - empty_,
                       .outside = outside_,
                       .covered = covered(),
                       .unmatched = unmatched_,
                       .unseen = {}};
    for (std::size_t k = 0; k < seen_.size(); ++k)
      if (!seen_[k]) found.unseen.push_back(listed_.texts()[k]);
    return found;
  }

 private:
  static std::optional<double> seconds(std::string_view text) {
    const auto date = date_in(text);
    return date ? std::optional(date->seconds) : std::nullopt;
  }

  std::string covered() const {
    if (listed_.size() > 0) return "one of the categories " + shown_list(listed_.texts());
    if (reads_.date) return "within the schema's dates";
    return fmt::format("within {} to {}", number_text(min_), number_text(max_));
  }

  std::string name_;
  Dictionary listed_;
  std::set<double> numbers_;  // that a listed text is
  std::vector<bool> seen_;
  double min_, max_;
  Reads reads_;
  std::size_t cells_ = 0, empty_ = 0, outside_ = 0, unreadable_ = 0;
  std::vector<std::string> unmatched_;
};

constexpr double unbounded = std::numeric_limits<double>::infinity();

std::optional<Checker> checker_for(const SchemaColumn& column, const Schema& schema, char decimal) {
  Reads reads{.decimal = decimal, .or_empty = schema.unreadable_missing};
  if (const auto* number = std::get_if<NumericColumn>(&column.kind))
    return Checker(column.name, {}, number->min, number->max, reads);
  reads.date = true;
  if (const auto* date = std::get_if<DateColumn>(&column.kind))
    return Checker(column.name, {}, date->number.min, date->number.max, reads);
  if (const auto* categories = std::get_if<CategoricalColumn>(&column.kind))
    return Checker(column.name, categories->categories, 0, 0, Reads{});
  return std::nullopt;
}

}  // namespace

std::vector<CheckedCells> check_cells(const ReadOptions& options) {
  if (!options.schema) throw_error<UsageError>("there is no schema to check");
  const OpenTable table = open_table(options);
  const ByteSource& source = table.source;
  const CsvLayout layout = find_layout(source, table.options);
  std::vector<Checker> checkers;
  std::vector<std::optional<std::size_t>> of_cell(layout.columns());
  const auto place = [&](const std::string& name, std::optional<Checker> checker) {
    const auto at = std::ranges::find(layout.context.names, name);
    if (!checker) return;
    if (at == layout.context.names.end()) fail_missing_column(name, *options.schema, layout);
    of_cell[static_cast<std::size_t>(at - layout.context.names.begin())] = checkers.size();
    checkers.push_back(std::move(*checker));
  };
  for (const SchemaColumn& column : options.schema->columns)
    place(column.name, checker_for(column, *options.schema, decimal_mark(options)));
  if (const auto& target = options.schema->target; target && !target->column.empty())
    place(target->column, Checker(target->column, target->classes, target->min.value_or(-unbounded),
                                  target->max.value_or(unbounded), Reads{.decimal = decimal_mark(options)}));
  const auto chunks = scan_records(source, layout.rules(), layout.records, options.chunk_bytes);
  parse_chunks(source, layout.records, chunks, 1, [&](std::size_t i, std::string_view text) {
    CellCursor cursor(text, chunks[i].first_line, layout.context);
    while (cursor.next_record()) {
      for (const auto& checker : of_cell) {
        if (cursor.record_done()) cursor.fail_ragged(of_cell.size());
        const std::string_view cell = trimmed(cursor.next());
        if (checker) checkers[*checker].add(cell);
      }
      while (!cursor.record_done()) {
        if (!layout.more_cells) cursor.fail_ragged(of_cell.size());
        cursor.next();
      }
    }
  });
  std::vector<CheckedCells> result;
  for (const Checker& checker : checkers) result.push_back(checker.result());
  return result;
}

std::vector<CheckedCells> check_cells(std::span<const TableColumn> columns, std::size_t rows,
                                      const Schema& schema) {
  std::vector<CheckedCells> result;
  for (const SchemaColumn& described : schema.columns) {
    const auto column = std::ranges::find(columns, described.name, &TableColumn::name);
    auto checker = checker_for(described, schema, schema.decimal.value_or('.'));
    if (column == columns.end() || !checker) continue;
    for (std::size_t i = 0; i < rows; ++i) {
      if (const auto* numbers = std::get_if<NumberCells>(&column->cells))
        checker->add(numbers->first[static_cast<std::ptrdiff_t>(i) * numbers->stride]);
      else if (const auto& value = std::get<ValueCells>(column->cells)[i];
               const auto* number = std::get_if<double>(&value))
        checker->add(*number);
      else
        checker->add(trimmed(std::get<std::string>(value)));
    }
    result.push_back(checker->result());
  }
  return result;
}

std::vector<std::string> told_of_cells(const std::vector<CheckedCells>& columns) {
  constexpr std::size_t fewest = 10;  // of fewer, more than half may well be rare ones [heuristic]
  std::vector<std::string> told;
  const auto most = std::ranges::max_element(columns, {}, &CheckedCells::unreadable);
  if (most != columns.end() && most->unreadable > 0) {
    std::size_t all = 0;
    for (const CheckedCells& column : columns) all += column.unreadable;
    told.push_back(fmt::format(
        "unreadable cells were taken for missing: {}, of which {} in the column \"{}\"; is the decimal mark "
        "that of the fit?",
        all, most->unreadable, visible(most->name)));
  }
  for (const CheckedCells& column : columns) {
    if (column.present < fewest || 2 * column.outside <= column.present) continue;
    const std::string which =
        column.outside == column.present
            ? fmt::format("none of its {} cells is {}", column.present, column.covered)
            : fmt::format("{} of its {} cells are not {}", column.outside, column.present, column.covered);
    told.push_back(
        fmt::format("column \"{}\": {}; are they written as in the fit?", visible(column.name), which));
  }
  return told;
}

}  // namespace tacit::inline v1
