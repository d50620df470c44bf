#pragma once

#include <cstddef>

#include "tacit/core.hpp"
#include "tacit/data.hpp"

namespace tacit::inline v1 {

// The shape of rows that other places hold. Whoever asks for one of them has not been told of shards.
class RowsElsewhere final : public RowMaker {
 public:
  RowsElsewhere(std::size_t rows, std::size_t columns, bool sparse)
      : rows_(rows), columns_(columns), sparse_(sparse) {}

  std::size_t rows() const override { return rows_; }
  std::size_t columns() const override { return columns_; }
  bool sparse() const override { return sparse_; }
  RowView make(std::size_t, RowRoom&) const override {
    throw_error<UsageError>("this needs all records in one place; fit them without shards");
  }

 private:
  std::size_t rows_, columns_;
  bool sparse_;
};

}  // namespace tacit::inline v1
