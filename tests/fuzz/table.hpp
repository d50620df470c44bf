#pragma once

#include "fuzz.hpp"
#include "tacit/data.hpp"

namespace tacit::fuzz {

inline Schema small_schema() {
  return parse_schema(
      R"({"columns": {"age": {"type": "numeric", "min": 0, "max": 100},
                      "job": {"type": "categorical", "categories": ["a", "b"]},
                      "day": {"type": "date", "min": "2020-01-01", "max": "2024-12-31"}},
          "target": {"column": "y", "classes": ["no", "yes"]}})",
      "schema");
}

// What every table that was read must be like.
inline void check(const ReadResult& read) {
  const std::size_t n = read.data.size();
  if (read.has_target && read.data.labels.size() != n) finding("labels are not as many as records");
  RowRoom room;
  for (std::size_t i = 0; i < n; ++i) {
    const RowView row = read.data.features.row(i, room);
    for (std::size_t k = 0; k < row.size; ++k)
      if (!(row.values[k] - row.values[k] == 0)) finding("a feature that is no number");
  }
}

// The first byte says how: with a schema or without, with which separator, in chunks of which size.
inline void read_as(Format format, const std::uint8_t* data, std::size_t size) {
  if (size == 0) return;
  const unsigned how = data[0];
  const MemoryFile file(data + 1, size - 1);
  ReadOptions options{.path = file.path(), .format = format};
  options.threads = 1;
  options.chunk_bytes = (how & 1u) != 0 ? 16 : std::size_t{1} << 20;
  if (format == Format::sqlite) options.query = "select * from t";
  if (format == Format::csv) {
    if ((how & 2u) != 0) options.schema = small_schema();
    if ((how & 4u) != 0) options.separator = ";,|\t"[(how >> 6) & 3u];
    if ((how & 8u) != 0) options.header = (how & 16u) != 0;
    if ((how & 32u) != 0) options.decimal = ',';
  }
  if (!options.schema && format != Format::encoded && (how & 16u) != 0) options.target = "-1";
  try_it([&] { check(read_dataset(options)); });
}

}  // namespace tacit::fuzz
