#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tacit/core/api.hpp"

namespace tacit::inline v1 {

// Row-major: value of row i, column j at values[i * columns + j].
struct DenseRows {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;
};

// The same in memory of someone else's, which stays as it is for as long as `owner` is held.
struct DenseView {
  std::size_t rows = 0, columns = 0;
  const double* values = nullptr;
  std::shared_ptr<const void> owner;
};

// Compressed sparse rows: row i holds entries [start[i], start[i+1]) with strictly ascending column numbers.
struct SparseRows {
  std::size_t rows = 0, columns = 0;
  std::vector<std::uint64_t> start{0};
  std::vector<std::uint32_t> column;
  std::vector<double> value;
};

// One row: `size` values, and their column numbers unless the row is dense (columns == nullptr).
struct RowView {
  const double* values = nullptr;
  const std::uint32_t* columns = nullptr;
  std::size_t size = 0;
};

// The feature matrix, dense or sparse. Every stored value is finite: readers and `from_*` refuse others.
class TACIT_API Features {
 public:
  Features() = default;
  explicit Features(DenseRows dense);
  explicit Features(DenseView dense);
  explicit Features(SparseRows sparse);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  bool sparse() const { return std::holds_alternative<SparseRows>(data_); }
  const DenseRows& dense_rows() const { return std::get<DenseRows>(data_); }  // not of a view
  const SparseRows& sparse_rows() const { return std::get<SparseRows>(data_); }
  RowView row(std::size_t i) const;

 private:
  std::size_t rows_ = 0, columns_ = 0;
  std::variant<DenseRows, DenseView, SparseRows> data_;
};

// What a label means.
enum class TargetKind {
  none,     // no labels
  classes,  // labels are class numbers 0 … K−1; `classes` has their public names
  numeric,  // labels are numbers
};

// Records, as the methods see them: features after the public transforms, labels, and the person each record
// belongs to. Immutable by convention once made.
struct Dataset {
  Features features;
  TargetKind target_kind = TargetKind::none;
  std::vector<double> labels;        // one per row unless target_kind is none
  std::vector<std::string> classes;  // names of the classes, in label order
  std::vector<std::uint32_t> users;  // empty, or the user number of each row
  std::size_t user_count = 0;        // distinct users; 0 without a user column
  std::vector<std::string> names;    // feature names; empty when the file has none

  std::size_t size() const { return features.rows(); }
};

}  // namespace tacit::inline v1
