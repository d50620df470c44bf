#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "data/csv_layout.hpp"
#include "data/encoder.hpp"
#include "data/target.hpp"
#include "tacit/data.hpp"

namespace tacit::inline v1 {

// What becomes of a column's cells.
enum class Role : std::uint8_t {
  ignored,
  plain_number,  // a feature as it stands, without a schema
  encoded,       // features by the schema
  target,
  user,
};

struct PlannedColumn {
  Role role = Role::ignored;
  std::size_t column = 0;  // encoded: its number in the schema; plain_number: the number of its feature
};

// How records become rows. Every row stores the same number of entries, so that its place in the final arrays
// is known before it is parsed.
struct CsvPlan {
  std::vector<PlannedColumn> columns;  // one per column of the file
  bool more_cells = false;             // a record may have more cells, which are dropped
  std::size_t slots = 0;               // entries stored for a row
  std::size_t features = 0;
  std::shared_ptr<const Encoder> encoder;  // with a schema
  std::vector<std::string> names;          // of the features
  bool sparse = false;
  TargetPlan target;  // of kind none when there is no target or none is wanted
  bool has_user = false;
};

// The column that the caller chose for a role ("target" or "user"), by name or number; none when `column` is
// empty. DataError when the file has no such column.
std::optional<std::size_t> find_column(std::string_view role, const std::string& column,
                                       const CsvLayout& layout);

// For a column of the schema that the file does not have: DataError, with those of the file that the schema
// does not know.
[[noreturn]] void fail_missing_column(const std::string& name, const Schema& schema, const CsvLayout& layout);

CsvPlan plan_columns(const CsvLayout& layout, const ReadOptions& options);

}  // namespace tacit::inline v1
