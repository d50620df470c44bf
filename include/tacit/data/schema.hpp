#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tacit/core/api.hpp"

namespace tacit::inline v1 {

// What is publicly known of a table before anyone looks at it: the columns, their bounds and categories.
// Every record is turned into features by its own cells and the schema alone, so that one record's features
// never depend on another record.

// Where a number's curve may bend. `knots` in the JSON.
struct AutoKnots {  // as the encoder's rule says (knots.hpp); where no rule was asked, the number on [0, 1]
  bool operator==(const AutoKnots&) const = default;
};
using Knots = std::variant<AutoKnots,
                           std::size_t,  // 1: a straight line, centred; K >= 2: K hats, even over the range
                           std::vector<double>>;  // a hat for each, in the column's units, ascending

// Clamped to [min, max] and mapped onto [0, 1]: u = (x - min) / (max - min), or with log1p
// log(1 + x - min) / log(1 + max - min). What becomes of u is said by the knots.
struct NumericColumn {
  double min = 0;  // < max
  double max = 1;
  bool log1p = false;
  std::optional<double> missing{};  // taken for an empty cell; in [min, max]
  Knots knots{};
  bool integer = false;            // only whole numbers occur; min and max are whole
  bool missing_indicator = false;  // an empty cell has a feature of its own instead
};

// One feature per category, and one called `other` for every other value: exactly one of them is 1.
struct CategoricalColumn {
  std::vector<std::string> categories{};  // at least one, distinct, none of them empty or "other"
  std::optional<std::string> missing{};   // taken for an empty cell: a category, or "other"
  bool missing_indicator = false;         // an empty cell has a feature of its own instead
};

using HashKey = std::array<std::uint64_t, 2>;  // the two little-endian words of a SipHash key

// Text with too many values to list: the bucket floor(SipHash-2-4(key, text) * buckets / 2^64) is 1.
struct HashedColumn {
  std::size_t buckets = 2;  // 2 to 2^20
  HashKey key{};
  std::optional<std::string> missing{};  // taken for an empty cell
  bool missing_indicator = false;
};

// ISO 8601 dates and times, as seconds since 1970-01-01T00:00Z; on request also one feature for each month,
// weekday or hour, exactly one of which is 1.
struct DateColumn {
  NumericColumn number;  // in seconds; no log1p, not integer
  bool month = false, weekday = false, hour = false;
};

struct IgnoredColumn {};

struct SchemaColumn {
  std::string name;  // as in the header, or "0", "1", … in a file without one
  std::variant<NumericColumn, CategoricalColumn, IgnoredColumn, HashedColumn, DateColumn> kind;
};

// What is to be predicted. With classes, a label is the number of its class; without, it is a number, clamped
// to the bounds that are given.
struct SchemaTarget {
  std::string column;                  // empty only for files whose labels have no name (LIBSVM, IDX)
  std::vector<std::string> classes{};  // none, or at least 2
  std::optional<double> min{}, max{};  // only without classes
  bool log1p = false;                  // the model is for log(1 + y - min); needs min
};

struct Schema {
  std::vector<SchemaColumn> columns;
  std::vector<std::array<std::string, 2>> pairs{};  // products of two columns, or parts ("when.hour")
  std::optional<SchemaTarget> target;
  std::string user;            // the column that says whose record it is; empty: none
  bool ignore_others = false;  // columns of the file that the schema does not name are dropped, not refused
  bool drafted_from_data =
      false;  // bounds and categories were read off the data and are not public knowledge
};

// Throws DataError with the place in the schema when it contradicts itself. `source` begins the message.
TACIT_API void validate(const Schema& schema, std::string_view source = "schema");

// What becomes a block of features, in their order: the columns, and the parts of dates ("when.month").
TACIT_API std::vector<std::string> block_names(const Schema& schema);

// A schema from its JSON text; `source` begins every message. DataError names the place inside the JSON.
TACIT_API Schema parse_schema(std::string_view text, std::string_view source);
TACIT_API Schema read_schema(const std::filesystem::path& path);

// The same schema as JSON text, one line per column; equal schemas give equal bytes.
TACIT_API std::string schema_to_json(const Schema& schema);

// Public facts of every dataset that is read with the schema (encoder.hpp). Features come in the schema's
// order, whatever the order of the file's columns.
TACIT_API std::size_t encoded_columns(const Schema& schema);
TACIT_API std::vector<std::string> feature_names(const Schema& schema);  // "age", "job=Sales", "job=other"

// A bound on the 2-norm of every encoded row. UsageError for a schema that describes no feature: it bounds
// nothing.
TACIT_API double row_norm_bound(const Schema& schema);

// u of one numeric cell: in [0, 1] for every value but NaN.
TACIT_API double encode_number(const NumericColumn& column, double value);

}  // namespace tacit::inline v1
