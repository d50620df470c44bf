#include "data/encoded/cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tacit::inline v1 {

RowLayout::RowLayout(const Schema& schema, const Encoder& encoder) {
  const auto& cells = encoder.parts().cells;
  places_.resize(cells.size());
  const auto take = [this](std::size_t size) {
    bytes_ += size;
    return bytes_ - size;
  };
  if (schema.target) label = take(sizeof(double));
  for (std::size_t k = 0; k < cells.size(); ++k)
    if (std::holds_alternative<NumberBlock>(cells[k]) || std::holds_alternative<DateCell>(cells[k]))
      places_[k].number = take(sizeof(double));
  const auto take_code = [&] { return take(sizeof(std::uint32_t)); };
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (std::holds_alternative<CategoryCell>(cells[k]) || std::holds_alternative<HashedCell>(cells[k]))
      places_[k].code = take_code();
    if (const auto* date = std::get_if<DateCell>(&cells[k])) {
      if (date->month) places_[k].month = take_code();
      if (date->weekday) places_[k].weekday = take_code();
      if (date->hour) places_[k].hour = take_code();
    }
  }
  if (!schema.user.empty()) user = take_code();
  bytes_ = std::max<std::size_t>((bytes_ + 7) / 8 * 8, 8);  // a record of no cells is one all the same
}

namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

double cut(const NumericColumn& column, double value) { return std::clamp(value, column.min, column.max); }

void store_code(std::byte* to, std::size_t code) { store(to, static_cast<std::uint32_t>(code)); }

}  // namespace

void CellSink::number(const NumberBlock& block, double value) const {
  store(row + place.number, cut(block.column, value));
}

void CellSink::no_number(const NumberBlock&) const { store(row + place.number, no_value); }

void CellSink::choice(const OneHotBlock&, std::size_t which) const { store_code(row + place.code, which); }

void CellSink::date(const DateCell& cell, const IsoDate& date) const {
  number(cell.number, date.seconds);
  if (cell.month) store_code(row + place.month, static_cast<std::size_t>(date.month) - 1);
  if (cell.weekday) store_code(row + place.weekday, static_cast<std::size_t>(date.weekday) - 1);
  if (cell.hour) store_code(row + place.hour, static_cast<std::size_t>(date.hour));
}

// The feature of missing cells is the last of each part.
void CellSink::no_date(const DateCell& cell) const {
  no_number(cell.number);
  if (cell.month) store_code(row + place.month, cell.month->place.size - 1);
  if (cell.weekday) store_code(row + place.weekday, cell.weekday->place.size - 1);
  if (cell.hour) store_code(row + place.hour, cell.hour->place.size - 1);
}

namespace {

// Calls on_number(block, value) and on_code(block, code) for the stored cells of one column.
template <class OnNumber, class OnCode>
void visit_cells(const CellPlan& column, const std::byte* row, const CellPlace& place, OnNumber on_number,
                 OnCode on_code) {
  const auto code = [&](const OneHotBlock& block, std::size_t at) {
    on_code(block, load<std::uint32_t>(row + at));
  };
  if (const auto* block = std::get_if<NumberBlock>(&column)) {
    on_number(*block, load<double>(row + place.number));
  } else if (const auto* category = std::get_if<CategoryCell>(&column)) {
    code(category->block, place.code);
  } else if (const auto* hashed = std::get_if<HashedCell>(&column)) {
    code(hashed->block, place.code);
  } else if (const auto* date = std::get_if<DateCell>(&column)) {
    on_number(date->number, load<double>(row + place.number));
    if (date->month) code(*date->month, place.month);
    if (date->weekday) code(*date->weekday, place.weekday);
    if (date->hour) code(*date->hour, place.hour);
  }
}

}  // namespace

void expand_cells(const CellPlan& column, const std::byte* row, const CellPlace& place, EncodedRow to) {
  visit_cells(
      column, row, place,
      [&](const NumberBlock& block, double value) {
        if (std::isnan(value) && block.column.missing_indicator)
          block.put_missing(to);
        else
          block.put(std::isnan(value) ? block.column.min : value, to);  // which cuts it to its range
      },
      [&](const OneHotBlock& block, std::size_t code) {
        block.put(std::min(code, block.place.size - 1), to);
      });
}

Fault fault_in_cells(const CellPlan& column, const std::byte* row, const CellPlace& place) {
  Fault fault;
  visit_cells(
      column, row, place,
      [&](const NumberBlock& block, double value) {
        const NumericColumn& number = block.column;
        const bool missing = std::isnan(value) && number.missing_indicator;
        if (!missing && !(value >= number.min && value <= number.max))
          fault = fmt::format("{} is not between {} and {}", value, number.min, number.max);
      },
      [&](const OneHotBlock& block, std::size_t code) {
        if (code >= block.place.size) fault = fmt::format("{} is not below {}", code, block.place.size);
      });
  return fault;
}

namespace {

struct SameCells {
  bool operator()(const NumericColumn& a, const NumericColumn& b) const {
    return a.min == b.min && a.max == b.max && a.missing == b.missing &&
           a.missing_indicator == b.missing_indicator;
  }
  bool operator()(const CategoricalColumn& a, const CategoricalColumn& b) const {
    return a.categories == b.categories && a.missing == b.missing &&
           a.missing_indicator == b.missing_indicator;
  }
  bool operator()(const HashedColumn& a, const HashedColumn& b) const {
    return a.buckets == b.buckets && a.key == b.key && a.missing == b.missing &&
           a.missing_indicator == b.missing_indicator;
  }
  bool operator()(const DateColumn& stored, const DateColumn& wanted) const {
    return (*this)(stored.number, wanted.number) && (stored.month || !wanted.month) &&
           (stored.weekday || !wanted.weekday) && (stored.hour || !wanted.hour);
  }
  template <class Stored, class Wanted>
  bool operator()(const Stored&, const Wanted&) const {
    return false;
  }
};

}  // namespace

bool same_cells(const SchemaColumn& stored, const SchemaColumn& wanted) {
  return stored.name == wanted.name && std::visit(SameCells{}, stored.kind, wanted.kind);
}

}  // namespace tacit::inline v1
