#pragma once

#include <utility>
#include <vector>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

// Adds equally long vectors pairwise, as a binary counter does: after 2^k of them each has been through k
// additions, and joining what is left adds at most k more.
class PairwiseSum {
 public:
  // Takes the term over; its values and its size mean nothing afterwards.
  void add(Vector& term) {
    std::size_t level = 0;
    for (; level < full_.size() && full_[level]; ++level) {
      term += levels_[level];
      full_[level] = false;
    }
    if (level == full_.size()) {
      full_.push_back(false);
      levels_.emplace_back();
    }
    std::swap(levels_[level], term);
    full_[level] = true;
  }

  // Forgets what was added: a sum that was given up half way must not be part of the next.
  void clear() { full_.assign(full_.size(), false); }

  // Puts the total, of vectors of this size, into `sum`, and begins anew. Memory is kept for the next sum:
  // that of `sum` too.
  void take_total(Eigen::Index size, Vector& sum) {
    bool any = false;
    for (std::size_t level = 0; level < full_.size(); ++level) {
      if (!full_[level]) continue;
      if (any)
        sum += levels_[level];
      else
        sum.swap(levels_[level]);
      any = true;
      full_[level] = false;
    }
    if (!any) sum.setZero(size);
  }

 private:
  std::vector<Vector> levels_;
  std::vector<bool> full_;
};

}  // namespace tacit::inline v1
