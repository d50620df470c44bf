#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/csv_layout.hpp"

namespace tacit::inline v1 {

// The first records of a CSV file, from the first line of the table on.
struct CsvHead {
  const std::string& file;
  std::string_view text;  // two records at least, if there are so many
  Start start;            // of the text, in the file
};

std::vector<std::string> read_cells(CellCursor& cursor);

// The names in a header's cells; a column without a name goes by its number.
std::vector<std::string> header_names(const std::vector<std::string>& cells, const std::string& file,
                                      std::size_t line);
std::vector<std::string> numbered_names(std::size_t count);

// Of the schema's columns, its target and its user column.
std::vector<std::string> names_in(const Schema& schema);

// The layout of a file that is read with a schema, up to and with its header. No record decides anything: the
// separator is the one that was given, or under which the header has the schema's names, or in a file without
// a header a fixed one. Only for prediction is the number of columns that of the first record.
CsvLayout layout_by_schema(const CsvHead& head, const ReadOptions& options);

}  // namespace tacit::inline v1
