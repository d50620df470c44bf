#include "data/csv_rows.hpp"

#include "core/large_array.hpp"
#include "data/text.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

CsvRows::CsvRows(const CsvPlan& plan, std::size_t row_count)
    : count(row_count), values(large_array(count * (plan.sparse ? plan.slots : plan.features))) {
  if (plan.sparse) columns.resize(count * plan.slots);
  if (plan.target.kind != TargetKind::none) labels.resize(count);
  if (plan.has_user) users.resize(count);
}

Features features_of(const CsvPlan& plan, CsvRows& rows) {
  if (!plan.sparse) return Features(DenseRows{rows.count, plan.features, std::move(rows.values)});
  SparseRows sparse{rows.count, plan.features, {}, std::move(rows.columns), std::move(rows.values)};
  sparse.start.resize(rows.count + 1);
  for (std::size_t i = 0; i <= rows.count; ++i) sparse.start[i] = i * plan.slots;
  return Features(std::move(sparse));
}

RowWriter::RowWriter(const CsvPlan& plan, CsvRows& rows) : plan_(plan), rows_(rows) {
  if (plan.sparse) return;
  columns_.resize(plan.slots);
  values_.resize(plan.slots);
}

EncodedRow RowWriter::begin(std::size_t row) {
  row_ = row;
  const std::size_t at = row * plan_.slots;
  entries_ = plan_.sparse ? EncodedRow{rows_.columns.data() + at, rows_.values.data() + at}
                          : EncodedRow{columns_.data(), values_.data()};
  return entries_;
}

void RowWriter::end() {
  plan_.encoder->encode_pairs(entries_);
  if (plan_.sparse) return;
  double* const row = rows_.values.data() + row_ * plan_.features;
  for (std::size_t k = 0; k < plan_.slots; ++k) row[columns_[k]] = values_[k];
}

namespace {

// Turns the cells of one chunk into features, labels and users. What a cell becomes depends on that cell and
// on the plan alone, which comes from the schema: never on other records.
class RowParser {
 public:
  RowParser(CellCursor cursor, char decimal, const CsvPlan& plan, CsvRows& rows, ChunkTexts& texts)
      : cursor_(std::move(cursor)),
        decimal_(decimal),
        plan_(plan),
        rows_(rows),
        writer_(plan, rows),
        texts_(texts) {}

  bool next_record() { return cursor_.next_record(); }

  void parse_into(std::size_t row) {
    row_ = row;
    if (plan_.encoder) entries_ = writer_.begin(row);
    const std::size_t expected = plan_.columns.size();
    for (const PlannedColumn& column : plan_.columns) {
      if (cursor_.record_done()) cursor_.fail_ragged(expected);
      take_cell(column);
    }
    if (!cursor_.record_done() && !plan_.more_cells) cursor_.fail_ragged(expected);
    while (!cursor_.record_done()) cursor_.next();
    if (plan_.encoder) writer_.end();
  }

 private:
  void take_cell(const PlannedColumn& column) {
    switch (column.role) {
      case Role::plain_number:
        rows_.values[row_ * plan_.features + column.column] = plain_number();
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
    const auto fault = numbers && cursor_.next_number(value) ? plan_.encoder->encode(column, value, entries_)
                       : numbers && decimal_ != '.'
                           ? encode_marked(column, trimmed(cursor_.next()))
                           : plan_.encoder->encode(column, trimmed(cursor_.next()), entries_);
    if (fault) cursor_.fail("{}", *fault);
  }

  // The encoder knows numbers with a point.
  std::optional<std::string> encode_marked(std::size_t column, std::string_view text) {
    if (text.empty()) return plan_.encoder->encode(column, text, entries_);
    if (const auto number = number_in(text, decimal_))
      return plan_.encoder->encode(column, *number, entries_);
    if (plan_.encoder->unreadable_is_missing()) return plan_.encoder->encode(column, "", entries_);
    return fmt::format("{} {}, expected one", shown(text), why_not_finite(text, decimal_));
  }

  double plain_number() {
    double value = 0;
    if (cursor_.next_number(value)) return value;
    const auto text = trimmed(cursor_.next());
    const auto number = number_in(text, decimal_);
    const auto why = why_not_finite(text, decimal_);
    if (number && std::isfinite(*number)) return *number;
    if (text.empty() || number) cursor_.fail("{} {}, expected a finite number", shown(text), why);
    cursor_.fail("{} {}; text needs a schema (`tacit schema FILE` drafts one)", shown(text), why);
  }

  void take_target() {
    const auto text = trimmed(cursor_.next());
    const TargetPlan& target = plan_.target;
    if (target.kind == TargetKind::none) return;
    if (text.empty()) cursor_.fail("the target is empty");
    rows_.labels[row_] = target.kind == TargetKind::numeric ? numeric_label(text) : class_label(text);
  }

  double numeric_label(std::string_view text) {
    const auto number = number_in(text, decimal_);
    const auto label = number ? number_label(plan_.target, *number) : std::nullopt;
    if (!label || !std::isfinite(*label))
      cursor_.fail("{} {}, expected a number as the target", shown(text), why_not_finite(text, decimal_));
    return *label;
  }

  double class_label(std::string_view text) {
    if (plan_.target.read_off()) return texts_.classes.add(text);
    const auto number = plan_.target.classes.find(text);
    if (!number)
      cursor_.fail("{} is not a class, expected one of {}", shown(text),
                   shown_list(plan_.target.classes.texts()));
    return *number;
  }

  void take_user() {
    const auto text = trimmed(cursor_.next());
    if (text.empty()) cursor_.fail("the user id is empty; give the record one, or leave it out of the file");
    rows_.users[row_] = texts_.users.add(text);
  }

  CellCursor cursor_;
  char decimal_;
  const CsvPlan& plan_;
  CsvRows& rows_;
  RowWriter writer_;
  ChunkTexts& texts_;
  std::size_t row_ = 0;
  EncodedRow entries_;
};

}  // namespace

void parse_rows(std::string_view text, const Chunk& chunk, const CsvContext& context, const CsvPlan& plan,
                CsvRows& rows, ChunkTexts& texts) {
  RowParser parser(CellCursor(text, chunk.first_line, context, chunk.first_row), context.decimal, plan, rows,
                   texts);
  std::size_t row = chunk.first_row;
  const std::size_t end = chunk.first_row + chunk.rows;
  while (row < end && parser.next_record()) parser.parse_into(row++);
  if (row != end || parser.next_record())
    throw_error<DataError>("{}: the file changed while it was read", context.file);
}

}  // namespace tacit::inline v1
