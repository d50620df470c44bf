#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "data/encoder_parts.hpp"
#include "data/read_cell.hpp"
#include "tacit/data.hpp"

// What a file of encoded cells keeps of a record: numbers as doubles, cut to their range but in the column's
// units; of a category its number, of a hashed text its bucket, of a date its seconds and the parts that the
// schema asks for. Missing cells are settled by the schema, or NaN where they have a feature of their own.
// Knots, logarithms and pairs make features of cells, and may change without encoding anew.

namespace tacit::inline v1 {

// Where the cells of one column are among the bytes of a row, as far as it has them.
struct CellPlace {
  std::size_t number = 0;
  std::size_t code = 0, month = 0, weekday = 0, hour = 0;
};

// A row: the label, the numbers of all columns, their codes, the user; as far as there are any.
class RowLayout {
 public:
  RowLayout(const Schema& schema, const Encoder& encoder);

  std::size_t bytes() const { return bytes_; }  // a multiple of 8
  const CellPlace& place(std::size_t column) const { return places_[column]; }
  std::optional<std::size_t> label, user;  // where they are

 private:
  std::vector<CellPlace> places_;
  std::size_t bytes_ = 0;
};

// Numbers on a mapped page need not be aligned for anybody but us.
template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
void store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

// Stores what a cell says (read_cell.hpp).
struct CellSink {
  std::byte* row;
  CellPlace place;

  void number(const NumberBlock& block, double value) const;
  void no_number(const NumberBlock&) const;
  void choice(const OneHotBlock&, std::size_t which) const;
  void date(const DateCell& cell, const IsoDate& date) const;
  void no_date(const DateCell& cell) const;
};

// Makes the features of a column from its stored cells. Whatever the bytes are, what is made keeps the
// block's bound and stays within its place.
void expand_cells(const CellPlan& column, const std::byte* row, const CellPlace& place, EncodedRow to);

// What no cell of the column can be, if the stored ones are so.
Fault fault_in_cells(const CellPlan& column, const std::byte* row, const CellPlace& place);

// Whether the cells that were stored for a column are those that another description of it asks for; it may
// leave out parts of a date.
bool same_cells(const SchemaColumn& stored, const SchemaColumn& wanted);

}  // namespace tacit::inline v1
