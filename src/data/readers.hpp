#pragma once

#include <filesystem>
#include <string>

#include "data/bytes.hpp"
#include "tacit/data.hpp"

namespace tacit::inline v1 {

// How a file's name ends, in small letters and without .gz: ".csv".
std::string unpacked_extension(const std::filesystem::path& path);

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
