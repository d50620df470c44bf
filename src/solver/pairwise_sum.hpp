#pragma once

#include <utility>
#include <vector>

#include "tacit/core/linalg.hpp"

namespace tacit::inline v1 {

// Adds equally long vectors pairwise, as a binary counter does: after 2^k of them each has been through k
// additions, and joining what is left adds at most k more.
class PairwiseSum {
 public:
  void add(const Vector& term) {
    carry_ = term;
    std::size_t level = 0;
    for (; level < full_.size() && full_[level]; ++level) {
      carry_ += levels_[level];
      full_[level] = false;
    }
    if (level == full_.size()) {
      full_.push_back(false);
      levels_.emplace_back();
    }
    std::swap(levels_[level], carry_);
    full_[level] = true;
  }

  // Puts the total, of vectors of this size, into `sum`, and begins anew. Memory is kept for the next sum.
  void take_total(Eigen::Index size, Vector& sum) {
    sum.setZero(size);
    for (std::size_t level = 0; level < full_.size(); ++level) {
      if (full_[level]) sum += levels_[level];
      full_[level] = false;
    }
  }

 private:
  std::vector<Vector> levels_;
  std::vector<bool> full_;
  Vector carry_;
};

}  // namespace tacit::inline v1
