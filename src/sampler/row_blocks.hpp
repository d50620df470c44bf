#pragma once

#include "tacit/core.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::sampler {

// The rows of a problem, intercept included, a block at a time as a dense matrix. A softmax record stands for
// a group of them, one for each pair of classes: (V_k − V_l) ⊗ a, entries to two roundings.
class RowBlocks {
 public:
  explicit RowBlocks(const Problem& problem);
  std::size_t records() const { return problem_->data->size(); }
  std::size_t group() const { return group_; }  // rows of one record
  std::size_t rows() const { return records() * group_; }
  std::size_t block() const { return block_; }  // whole groups
  // Rows [begin, min(begin + block, rows)), one column each. Only where the records are here.
  Matrix operator()(std::size_t begin) const;

 private:
  const Problem* problem_;
  std::size_t features_, group_ = 1, block_ = 512;
  Matrix differences_;  // V_k − V_l, one column for each pair
};

}  // namespace tacit::inline v1::sampler
