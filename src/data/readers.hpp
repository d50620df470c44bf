#pragma once

#include <filesystem>
#include <string>

#include "data/bytes.hpp"
#include "tacit/data.hpp"

namespace tacit::inline v1 {

// How a file's name ends, in small letters and without .gz: ".csv".
std::string unpacked_extension(const std::filesystem::path& path);

// The mark before the fraction of a number that is text: as the options say, else the schema, else a point. A
// database and a Parquet file have numbers, whose texts have points. UsageError where options and schema
// differ.
char decimal_mark(const ReadOptions& options);

// One reader per format. The options have been checked.
ReadResult read_csv(const ByteSource& source, const ReadOptions& options);
ReadResult read_libsvm(const ByteSource& source, const ReadOptions& options);
ReadResult read_idx(const ByteSource& source, const ReadOptions& options);
ReadResult read_encoded(const ReadOptions& options);

// How many records the options stand for, without keeping any. Reads a database's or a Parquet file's whole.
TACIT_API std::size_t count_records(const ReadOptions& options);
std::size_t rows_of_encoded(const ReadOptions& options);

// options.schema with knots, now that the records are counted.
Schema settled_schema(const ReadOptions& options, std::size_t records);

}  // namespace tacit::inline v1
