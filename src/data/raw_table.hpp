#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacit/data.hpp"

// A table of which nothing is known but the names of its columns. What a cell is taken for depends on that
// cell alone: never on its column or on other records.

namespace tacit::inline v1 {

enum class CellKind : std::uint8_t {
  empty,   // nothing but blanks, or nan
  number,  // that no other kind is
  whole,   // a whole number below 2^53, written in digits alone
  date,    // ISO 8601
  comma,   // a number if a comma stood before its fraction
  text,
};

struct RawColumn {
  std::string name;
  std::vector<CellKind> kinds;     // by record
  std::vector<double> values;      // the number; the date in seconds; else which of the texts; 0 if empty
  std::vector<std::string> texts;  // distinct, in the order of the file
};

struct RawTable {
  std::vector<RawColumn> columns;  // without the user's
  std::size_t records = 0;
  std::vector<std::uint32_t> users;  // by record; empty: nobody is named
  std::size_t user_count = 0;
  char separator = ',';
  std::optional<char> decimal{};  // as the options state it
  bool header = true;  // else the columns go by their numbers, and how many there are is read off the records
  std::string target, user;  // the names of the columns that the options chose
};

// What a reader calls a cell that is this text, without blanks around it.
CellKind kind_of(std::string_view text, char decimal, double& value);

// Why the cells of this column that are this text are not a group whose charges are counted apart; empty:
// they are. Named so that a cell is in one group at most, however it is read [docs/ledger.md, "Groups"].
std::string why_no_group(std::string_view column, std::string_view value);

// Who says how a file is laid out where the options do not.
enum class RawLayout {
  by_names,  // no record: the first line has the names, and the separator is what stands between them
  guessed,   // the first records, as in a fit without a schema
};

// The table of these options. UsageError for a first line with a number in it, which may be a record, unless
// options.header says what it is. DataError for records that are no cells at all (ragged, a NUL byte) and for
// an empty user id.
TACIT_API RawTable read_raw_table(const ReadOptions& options, RawLayout layout);

// A table in memory. `target` and `user` are names of columns, or empty.
TACIT_API RawTable raw_table(std::span<const TableColumn> columns, std::size_t rows,
                             const std::string& target, const std::string& user);

}  // namespace tacit::inline v1
