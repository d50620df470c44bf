#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "pairwise_sum.hpp"
#include "tacit/core/parallel.hpp"
#include "tacit/solver/row_products.hpp"

namespace tacit::inline v1 {

// Adds up a batch in blocks of block_rows members, the blocks pairwise. Which members make a block and in
// which order blocks are added does not depend on the number of threads, so neither does the sum.
class BatchBlocks {
 public:
  BatchBlocks(std::size_t parameters, unsigned threads)
      : threads_(threads == 0 ? default_threads() : threads),
        partial_(threads_, Vector(static_cast<Eigen::Index>(parameters))) {}

  unsigned threads() const { return threads_; }

  // add(members, worker, partial): adds the members' contributions, in their order, to `partial`, which is
  // zero at first.
  template <class Add>
  void sum(std::span<const std::uint32_t> batch, Vector& sum, Add&& add) {
    const std::size_t blocks = (batch.size() + block_rows - 1) / block_rows;
    PairwiseSum total;
    for (std::size_t done = 0; done < blocks; done += threads_) {
      const std::size_t now = std::min<std::size_t>(threads_, blocks - done);
      parallel_parts(now, static_cast<unsigned>(now), [&](std::size_t begin, std::size_t end, unsigned) {
        for (std::size_t k = begin; k < end; ++k) {
          const std::size_t first = (done + k) * block_rows;
          partial_[k].setZero();
          add(batch.subspan(first, std::min(block_rows, batch.size() - first)), k, partial_[k].data());
        }
      });
      for (std::size_t k = 0; k < now; ++k) total.add(partial_[k]);
    }
    sum = total.total(partial_[0].size());
  }

 private:
  unsigned threads_;
  std::vector<Vector> partial_;
};

}  // namespace tacit::inline v1
