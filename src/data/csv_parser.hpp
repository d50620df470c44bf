#pragma once

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "data/csv_cells.hpp"
#include "data/csv_plan.hpp"
#include "data/dictionary.hpp"
#include "data/records.hpp"
#include "data/text.hpp"
#include "data/users.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

// The texts that a chunk's labels and users are numbered by until all chunks are there.
struct ChunkTexts {
  Dictionary classes, users;
};

// A text in a column of numbers, whose fraction has this mark before it. (The encoder knows points.)
template <class Writer>
std::optional<std::string> encode_marked(Writer& writer, const Encoder& encoder, std::size_t column,
                                         std::string_view text, char decimal) {
  if (text.empty()) return writer.encode(column, text);
  if (const auto number = number_in(text, decimal)) return writer.encode(column, *number);
  if (encoder.unreadable_is_missing()) return writer.encode(column, std::string_view());
  return fmt::format("{} {}, expected one", shown(text), why_not_finite(text, decimal));
}

// Turns the cells of one chunk into features, labels and users. What a cell becomes depends on that cell and
// on the plan alone, which comes from the schema: never on other records.
template <class Writer>
class RowParser {
 public:
  RowParser(CellCursor cursor, char decimal, const CsvPlan& plan, Writer writer, ChunkTexts& texts)
      : cursor_(std::move(cursor)),
        decimal_(decimal),
        plan_(plan),
        writer_(std::move(writer)),
        texts_(texts) {}

  bool next_record() { return cursor_.next_record(); }

  void parse_into(std::size_t row) {
    writer_.begin(row);
    const std::size_t expected = plan_.columns.size();
    for (const PlannedColumn& column : plan_.columns) {
      if (cursor_.record_done()) cursor_.fail_ragged(expected);
      take_cell(column);
    }
    if (!cursor_.record_done() && !plan_.more_cells) cursor_.fail_ragged(expected);
    while (!cursor_.record_done()) cursor_.next();
    writer_.end();
  }

 private:
  void take_cell(const PlannedColumn& column) {
    switch (column.role) {
      case Role::plain_number:
        writer_.plain(column.column, plain_number());
        return;
      case Role::encoded:
        return encode(column.column);
      case Role::target:
        return take_target();
      case Role::user:
        return take_user();
      case Role::ignored:
        cursor_.next();
    }
  }

  void encode(std::size_t column) {
    double value = 0;
    const bool numbers = plan_.encoder->takes_numbers(column);
    const auto fault = numbers && cursor_.next_number(value) ? writer_.encode(column, value)
                       : numbers && decimal_ != '.'
                           ? encode_marked(writer_, *plan_.encoder, column, trimmed(cursor_.next()), decimal_)
                           : writer_.encode(column, trimmed(cursor_.next()));
    if (fault) cursor_.fail("{}", *fault);
  }

  double plain_number() {
    double value = 0;
    if (cursor_.next_number(value)) return value;
    const auto text = trimmed(cursor_.next());
    const auto number = number_in(text, decimal_);
    const auto why = why_not_finite(text, decimal_);
    if (number && std::isfinite(*number)) return *number;
    if (text.empty() || number) cursor_.fail("{} {}, expected a finite number", shown(text), why);
    cursor_.fail(
        "{} {}; text needs a schema (`tacit schema FILE --epsilon E` finds one, with --user for people; "
        "without an epsilon it drafts one)",
        shown(text), why);
  }

  void take_target() {
    const auto text = trimmed(cursor_.next());
    const TargetPlan& target = plan_.target;
    if (target.kind == TargetKind::none) return;
    if (text.empty()) cursor_.fail("the target is empty; {}", leave_out);
    if (target.kind == TargetKind::numeric) return take_number(text);
    const double label = class_label(text);
    writer_.label(label, label);
  }

  void take_number(std::string_view text) {
    const auto number = number_in(text, decimal_);
    const auto label = number ? number_label(plan_.target, *number) : std::nullopt;
    if (!label || !std::isfinite(*label))
      cursor_.fail("{} {}, expected a number as the target{}", shown(text), why_not_finite(text, decimal_),
                   stands_for_none(text) ? fmt::format("; {}", leave_out)
                   : number              ? ""
                            : "; if it has classes, list them as \"classes\" of the schema's target");
    writer_.label(*label, *number);
  }

  double class_label(std::string_view text) {
    if (plan_.target.read_off()) return texts_.classes.add(text);
    const auto number = plan_.target.class_of(text, decimal_);
    if (!number)
      cursor_.fail("{} is not a class, expected one of {}{}", shown(text),
                   shown_list(plan_.target.classes.texts()),
                   stands_for_none(text) ? fmt::format("; {}", leave_out) : "");
    return *number;
  }

  void take_user() {
    const auto text = trimmed(cursor_.next());
    if (text.empty()) cursor_.fail("{}", empty_user_id);
    writer_.user(texts_.users.add(text));
  }

  static constexpr std::string_view leave_out = "rows whose target is not known must be left out";

  CellCursor cursor_;
  char decimal_;
  const CsvPlan& plan_;
  Writer writer_;
  ChunkTexts& texts_;
};

// Parses a chunk's records. The writer puts what becomes of them where each one's row is.
template <class Writer>
void parse_rows(std::string_view text, const Chunk& chunk, const CsvContext& context, const CsvPlan& plan,
                Writer writer, ChunkTexts& texts) {
  RowParser parser(CellCursor(text, chunk.first_line, context, chunk.first_row), context.decimal, plan,
                   std::move(writer), texts);
  std::size_t row = chunk.first_row;
  const std::size_t end = chunk.first_row + chunk.rows;
  while (row < end && parser.next_record()) parser.parse_into(row++);
  if (row != end || parser.next_record())
    throw_error<DataError>("{}: the file changed while it was read", context.file);
}

}  // namespace tacit::inline v1
