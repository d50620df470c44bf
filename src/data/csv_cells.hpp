#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/text.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

// What a message about a cell needs to know.
struct CsvContext {
  std::string file;
  char separator = ',';            // ' ' stands for runs of blanks
  char decimal = '.';              // before the fraction of a number
  bool has_rows = false;           // it is the text of a table's rows, and lines mean nothing
  std::vector<std::string> names;  // of the columns, as far as known

  // Of a table of one column: a record with an empty cell must not vanish. In others such a record has
  // separators.
  bool blank_is_record() const { return names.size() == 1; }
};

// Walks over the cells of records [RFC 4180], a little more tolerant: blanks around cells, a CR at the end of
// a line and a byte order mark before a record are dropped, and blank lines skipped, unless the table has one
// column. Every error is a DataError with file, line, cell and column name.
class CellCursor {
 public:
  // `text` holds whole records, begins on physical line `line`, and `row` records come before it.
  CellCursor(std::string_view text, std::size_t line, const CsvContext& context, std::size_t row = 0)
      : begin_(text.data()),
        at_(text.data()),
        end_(text.data() + text.size()),
        line_(line),
        row_(row),
        separator_(context.separator),
        decimal_(context.decimal),
        context_(&context) {}

  // Moves to the next record; false when there is none. The record before must be done.
  bool next_record();

  // The next cell of the record: trimmed unless quoted. Valid until the next call.
  std::string_view next();

  // Takes the next cell when it is plainly a finite number; otherwise leaves it to next().
  bool next_number(double& value);

  bool record_done() const { return record_done_; }  // the record has no more cells
  std::size_t cells() const { return cells_; }       // taken from this record so far
  std::size_t line() const { return line_; }
  std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }

  // Throws a DataError about the cell taken last, or about the record as a whole.
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    fail_cell(fmt::format(format, std::forward<Args>(args)...));
  }
  // Throws because the record has more or fewer cells than `expected`.
  [[noreturn]] void fail_ragged(std::size_t expected);

 private:
  [[noreturn]] void fail_cell(const std::string& what) const;
  std::string place(std::size_t cell) const;  // "file:line:cell: ", or "file: row 7, "
  bool is_padding(char c) const { return c == ' ' || c == '\r' || (c == '\t' && separator_ != '\t'); }
  bool ends_cell(char c) const {
    return c == '\n' || c == separator_ || (separator_ == ' ' && is_padding(c));
  }
  void skip_padding() {
    while (at_ < end_ && is_padding(*at_)) ++at_;
  }
  bool take_mark();  // a byte order mark
  void begin_cell() { ++cells_; }
  void end_cell();
  std::string_view quoted();
  std::string_view unquoted();

  const char* begin_;
  const char* at_;
  const char* end_;
  std::size_t line_;             // physical line of at_
  std::size_t record_line_ = 0;  // where the record begins, which is what messages name
  std::size_t row_;              // number of the record, from 1
  std::size_t cells_ = 0;
  char separator_;
  char decimal_;
  bool record_done_ = true;
  const CsvContext* context_;
  std::string unescaped_;
};

// at_ is on what ends the cell: a line end, a separator or the end of the text.
inline void CellCursor::end_cell() {
  if (separator_ == ' ') skip_padding();
  if (at_ == end_) {
    record_done_ = true;
  } else if (*at_ == '\n') {
    ++at_, ++line_;
    record_done_ = true;
  } else if (separator_ != ' ') {
    ++at_;
  }
}

// Reads a number as most are written: digits, at most 15 of them, perhaps with a mark in between. They are an
// integer below 2^53, and the power of ten to divide by is a double too, so that the quotient is rounded as
// it should be [Clinger 1990]. Returns where it ends, or null for what is written otherwise.
inline const char* read_plain_number(const char* at, const char* end, char decimal, double& value) {
  static constexpr double powers_of_ten[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                             1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  constexpr std::ptrdiff_t most_digits = 15;
  const bool negative = at < end && *at == '-';
  if (negative) ++at;
  std::uint64_t digits = 0;  // wraps around where there are more, and is not used
  const auto take_digits = [&] {
    const char* const first = at;
    for (unsigned digit = 0; at < end && (digit = static_cast<unsigned>(*at) - unsigned{'0'}) <= 9; ++at)
      digits = 10 * digits + digit;
    return at - first;
  };
  const std::ptrdiff_t whole = take_digits();
  std::ptrdiff_t fraction = 0;
  if (at < end && *at == decimal) {
    ++at;
    if ((fraction = take_digits()) == 0) return nullptr;
  }
  if (whole == 0 || whole + fraction > most_digits || (at < end && (*at == 'e' || *at == 'E')))
    return nullptr;
  const double size = static_cast<double>(digits) / powers_of_ten[fraction];
  value = negative ? -size : size;
  return at;
}

inline bool CellCursor::next_number(double& value) {
  if (separator_ == decimal_) return false;  // the mark may end the cell
  const char* start = at_;
  while (start < end_ && is_padding(*start)) ++start;
  const char* stop = read_plain_number(start, end_, decimal_, value);
  if (stop == nullptr) {
    const auto result = fast_float::from_chars_advanced(start, end_, value, number_format(decimal_));
    if (result.ec != std::errc{} || !std::isfinite(value)) return false;
    stop = result.ptr;
  }
  if (stop < end_ && *stop == '\r') ++stop;
  if (stop < end_ && !ends_cell(*stop)) return false;
  begin_cell();
  at_ = stop;
  end_cell();
  return true;
}

}  // namespace tacit::inline v1
