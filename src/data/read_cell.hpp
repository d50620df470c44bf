#pragma once

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "data/encoder_parts.hpp"
#include "data/text.hpp"

namespace tacit::inline v1 {

using Fault = std::optional<std::string>;  // what is wrong with a cell, if anything

// What a cell says in its column of the schema, told to `sink`, which makes features of it or stores it.
template <class Sink>
struct CellReader {
  std::string_view text;
  const Sink& sink;
  bool unreadable_missing = false;

  Fault operator()(const IgnoredColumn&) const { return std::nullopt; }

  Fault operator()(const NumberBlock& block) const {
    const NumericColumn& column = block.column;
    const auto number = number_in(text);
    if (!number && !text.empty() && !unreadable_missing)
      return fmt::format("{} is not a number, expected one{}", shown(text), or_missing);
    if (number && !std::isnan(*number)) {
      sink.number(block, *number);
    } else if (column.missing_indicator) {
      sink.no_number(block);
    } else if (column.missing) {
      sink.number(block, *column.missing);
    } else {
      return no_missing();
    }
    return std::nullopt;
  }

  Fault operator()(const CategoryCell& cell) const {
    if (text.empty() && !cell.missing) return no_missing();
    const auto other = static_cast<std::uint32_t>(cell.categories.size());
    sink.choice(cell.block, text.empty() ? *cell.missing : cell.categories.find(text).value_or(other));
    return std::nullopt;
  }

  Fault operator()(const HashedCell& cell) const {
    const HashedColumn& column = cell.column;
    if (!text.empty()) {
      sink.choice(cell.block, cell.bucket_of(text));
    } else if (column.missing_indicator) {
      sink.choice(cell.block, column.buckets);
    } else if (column.missing) {
      sink.choice(cell.block, cell.bucket_of(*column.missing));
    } else {
      return no_missing();
    }
    return std::nullopt;
  }

  Fault operator()(const DateCell& cell) const {
    const NumericColumn& column = cell.number.column;
    const auto date = date_in(text);
    if (!date && !text.empty() && !unreadable_missing)
      return fmt::format("{} is not an ISO date or time, such as 2024-05-31 or 2024-05-31T08:15Z{}",
                         shown(text), or_missing);
    if (date) {
      sink.date(cell, *date);
    } else if (column.missing_indicator) {
      sink.no_date(cell);
    } else if (column.missing) {
      sink.date(cell, date_at(*column.missing));
    } else {
      return no_missing();
    }
    return std::nullopt;
  }

  static constexpr std::string_view or_missing =
      " (\"unreadable\": \"missing\" in the schema takes it for an empty cell)";
  static Fault no_missing() { return "the cell is empty and the schema gives no \"missing\" value"; }
};

template <class Sink>
Fault read_cell(const Encoder::Parts& parts, std::size_t column, std::string_view text, const Sink& sink) {
  return std::visit(CellReader<Sink>{text, sink, parts.unreadable_missing}, parts.cells[column]);
}

// A number in a column of numbers is itself, elsewhere its text, or the category that is another text of it;
// NaN is an empty cell.
template <class Sink>
Fault read_cell(const Encoder::Parts& parts, std::size_t column, double value, const Sink& sink) {
  const auto* block = std::get_if<NumberBlock>(&parts.cells[column]);
  if (const auto* cell = std::get_if<CategoryCell>(&parts.cells[column]); cell && !std::isnan(value))
    if (const auto found = cell->numbers.find(value);
        found != cell->numbers.end() && !cell->categories.find(number_text(value))) {
      sink.choice(cell->block, found->second);
      return std::nullopt;
    }
  if (block == nullptr || std::isnan(value)) return read_cell(parts, column, number_text(value), sink);
  sink.number(*block, value);
  return std::nullopt;
}

}  // namespace tacit::inline v1
