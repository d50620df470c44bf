#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/bytes.hpp"
#include "data/csv_cells.hpp"
#include "data/records.hpp"
#include "tacit/data.hpp"

namespace tacit::inline v1 {

// How a CSV file is laid out. With a schema that comes from public values alone: what the caller said, the
// schema's names and the header. Without one, what the caller left open is guessed from the first records.
struct CsvLayout {
  CsvContext context;  // its names are those of the header, or "0", "1", …
  bool header = false;
  bool more_cells = false;  // a record may have more cells than there are names, which nobody uses
  Start records{};          // where the first record after the header begins
  std::vector<std::string> first_record{};  // its cells, without a schema's word on the target

  RecordRules rules() const {
    return {.quotes = true,
            .tab_is_blank = context.separator != '\t',
            .blank_is_record = context.blank_is_record(),
            .mark_is_blank = !context.has_rows};
  }
  std::size_t columns() const { return context.names.size(); }
};

// DataError when the file has no records.
CsvLayout find_layout(const ByteSource& source, const ReadOptions& options);

// Whether the file has no header, as flags and the schema, which there must be, say.
bool begins_with_a_record(const ReadOptions& options);

// What most evenly separates the first records of the options' file, which must not be a stream.
char separator_of(const ReadOptions& options);

// The character that most evenly separates the first records; ',' when there is nothing to separate. A mark
// before fractions is none.
char find_separator(std::string_view text, char decimal = '.');

}  // namespace tacit::inline v1
