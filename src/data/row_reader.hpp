#pragma once

#include <cstddef>

#include "tacit/data.hpp"

namespace tacit::inline v1 {

// The rows of features, for passes over all of them: a dense row in memory is found without a call. The
// features must outlive it, at the same address.
class RowReader {
 public:
  explicit RowReader(const Features& features) : features_(&features), columns_(features.columns()) {
    if (features.in_memory() && !features.sparse() && features.rows() > 0) dense_ = features.row(0).values;
  }

  // As Features::row.
  RowView row(std::size_t i, RowRoom& room) const {
    if (dense_ == nullptr) return features_->row(i, room);
    return {dense_ + i * columns_, nullptr, columns_};
  }

 private:
  const Features* features_;
  std::size_t columns_;
  const double* dense_ = nullptr;
};

}  // namespace tacit::inline v1
