#pragma once

#include <string>
#include <vector>

#include "data/bytes.hpp"
#include "data/table_text.hpp"
#include "tacit/data.hpp"

namespace tacit::inline v1 {

// A table as text, and how the text is to be read.
struct OpenTable {
  ByteSource source;
  ReadOptions options;
};

// The table that the options name: a CSV file as it is, the answer of a database as CSV text in memory.
// UsageError for a format without columns, and for options that do not go with the format.
OpenTable open_table(const ReadOptions& options);

// The records of each kind as text. Whatever does not depend on records (no such table, a server that is
// away) is a UsageError or NotFoundError, and anything wrong once they are read a DataError.
std::string answer_of_sqlite(const ReadOptions& options);
std::string answer_of_postgresql(const ReadOptions& options);
std::string rows_of_parquet(const ReadOptions& options);

// UsageError when the schema describes a column as a number whose type has none.
void check_types(const std::vector<AnswerColumn>& columns, const ReadOptions& options);

}  // namespace tacit::inline v1
