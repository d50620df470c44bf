#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/csv_plan.hpp"
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

  void begin(std::size_t row);
  // What is wrong with the cell of this column of the schema, if anything.
  template <class Cell>
  std::optional<std::string> encode(std::size_t column, const Cell& cell) {
    return plan_.encoder->encode(column, cell, entries_);
  }
  void plain(std::size_t feature, double value) { rows_.values[row_ * plan_.features + feature] = value; }
  void label(double label, double /*as_written*/) { rows_.labels[row_] = label; }
  void user(std::uint32_t number) { rows_.users[row_] = number; }
  // All its cells are there.
  void end();

 private:
  const CsvPlan& plan_;
  CsvRows& rows_;
  std::size_t row_ = 0;
  EncodedRow entries_;
  std::vector<std::uint32_t> columns_;  // dense: the entries, before they are spread over the row
  std::vector<double> values_;
};

}  // namespace tacit::inline v1
