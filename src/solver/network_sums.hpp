#pragma once

#include <vector>

#include "loss/limited.hpp"
#include "solver/batch_blocks.hpp"
#include "solver/clipped_sums.hpp"
#include "solver/row_products.hpp"

namespace tacit::inline v1 {

// Clipped sums of a two-layer network.
BatchSums network_sums(const Problem& problem, const Clip& clip, unsigned threads);

// What the models share.
RowBlock gather(const Problem& problem, const Portion& portion, BlockRoom& room);

// row_norm() of every record: 0 for one that contributes nothing. Kept for rows in memory, and computed again
// with rows that are made.
class RowNorms {
 public:
  RowNorms(const Problem& problem, unsigned threads);
  double of(std::uint32_t record, const RowView& row) const {
    return kept_.empty() ? row_norm(row, intercept_) : kept_[record];
  }
  void prefetch(std::uint32_t record) const {
    if (!kept_.empty()) __builtin_prefetch(&kept_[record]);
  }

 private:
  double intercept_;
  std::vector<double> kept_;
};
// x·factor; a factor of 0 makes zeros of anything.
void scale(std::span<double> x, double factor);

}  // namespace tacit::inline v1
