#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "data/csv_plan.hpp"
#include "data/dictionary.hpp"
#include "data/records.hpp"
#include "tacit/data.hpp"

namespace tacit::inline v1 {

// The arrays that every thread parses its rows into.
struct CsvRows {
  CsvRows(const CsvPlan& plan, std::size_t count);

  std::size_t count;
  std::vector<double> values;          // plan.slots per row when sparse, else plan.features
  std::vector<std::uint32_t> columns;  // sparse: of the values
  std::vector<double> labels;
  std::vector<std::uint32_t> users;
};

// The features of complete rows, which are moved out of.
Features features_of(const CsvPlan& plan, CsvRows& rows);

// Gathers the entries of one record at a time and puts them where its row is.
class RowWriter {
 public:
  RowWriter(const CsvPlan& plan, CsvRows& rows);

  // Room for the entries of a row that is sparse or goes through a schema's encoder.
  EncodedRow begin(std::size_t row);
  // All its cells are encoded.
  void end();

 private:
  const CsvPlan& plan_;
  CsvRows& rows_;
  std::size_t row_ = 0;
  EncodedRow entries_;
  std::vector<std::uint32_t> columns_;  // dense: the entries, before they are spread over the row
  std::vector<double> values_;
};

// The texts that a chunk's labels and users are numbered by until all chunks are there.
struct ChunkTexts {
  Dictionary classes, users;
};

// Parses a chunk's records into its own rows.
void parse_rows(std::string_view text, const Chunk& chunk, const CsvContext& context, const CsvPlan& plan,
                CsvRows& rows, ChunkTexts& texts);

}  // namespace tacit::inline v1
