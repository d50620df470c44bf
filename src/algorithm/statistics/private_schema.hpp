#pragma once

// A schema for a table that nobody has looked at [docs/private_schema.md].
//
// Asks        of each column, three questions (raw_column.hpp).
// Assumes     that the columns' names are public, and classes that the caller states.
// Guarantees  epsilon-DP, or (epsilon, delta)-DP, for a record or for all records of a user.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithm/statistics/raw_column.hpp"
#include "tacit/data.hpp"
#include "tacit/meter.hpp"
#include "tacit/method.hpp"

namespace tacit::inline v1::statistics {

struct TACIT_API RangeOptions {
  Guarantee target = Pure{1};  // pure or approximate
  Unit unit = Unit::item;
  Neighbours neighbours = Neighbours::zero_out;
  bool classes_stated = false;  // those of the target are public, and it is not asked about
  bool number_target = false;  // within a fit: that it has numbers is known, and a range is found in any case

  static const OptionTable<RangeOptions>& table();
  void validate() const;
};

// What is public of a table that nobody has looked at.
struct RawNames {
  std::vector<std::string> columns;  // without the target's and the user's
  std::string target, user;          // empty: none
  std::vector<std::string> classes;  // of the target, where they are stated
  // All records have this value in this column, which is not asked about; empty: none.
  std::string group_column = {}, group_value = {};
  std::optional<char> decimal = {};  // before fractions, where it is stated
};

struct FoundSchema {
  Schema schema;
  std::vector<std::pair<std::string, std::string>> left_out;  // ignored columns, and why
  std::vector<std::string> notes;                             // on the target, and on ranges
  std::vector<std::string> hints = {};                        // what else a person may look at; in no file
};

// `table` is nullptr where the answers need no records; `units` is the public number of records or users,
// absent under add_remove.
TACIT_API FoundSchema find_schema(const RawNames& names, const RangeOptions& options,
                                  std::optional<std::size_t> units, const RawTable* table, Answers& answers);

// Equal parts of unit_weight for all records of a user; all of it for a record by itself.
TACIT_API std::vector<std::int64_t> weights_of(const RawTable& table, Unit unit);

}  // namespace tacit::inline v1::statistics
