#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "solver/pairwise_sum.hpp"
#include "solver/row_products.hpp"

namespace tacit::inline v1 {

// Members of a batch to be worked on together, and those that the same worker gets next.
struct Portion {
  std::span<const std::uint32_t> members, upcoming;
  bool first = false;  // of the worker's in this batch: it was nobody's upcoming
};

// Adds up a batch in stretches of stretch_rows members, the stretches pairwise. Which members make a stretch
// and in which order stretches are added does not depend on the number of threads, so neither does the sum.
class BatchBlocks {
 public:
  static constexpr std::size_t stretch_rows = 4 * block_rows;

  BatchBlocks(std::size_t parameters, unsigned threads)
      : parameters_(static_cast<Eigen::Index>(parameters)),
        threads_(threads == 0 ? default_threads() : threads),
        run_(std::clamp<std::size_t>(numbers_kept / (threads_ * std::max<std::size_t>(parameters, 1)), 1,
                                     longest_run)),
        partial_(threads_ * run_) {}

  unsigned threads() const { return threads_; }

  // add(portion, worker, partial): adds the members' contributions, in their order, to `partial`. A portion
  // has at most block_rows members.
  template <class Add>
  void sum(std::span<const std::uint32_t> batch, Vector& sum, Add&& add) {
    total_.clear();
    const std::size_t stretches = (batch.size() + stretch_rows - 1) / stretch_rows;
    for (std::size_t done = 0; done < stretches; done += partial_.size()) {
      const std::size_t now = std::min(partial_.size(), stretches - done);
      parallel_parts(now, threads_, [&](std::size_t begin, std::size_t end, unsigned worker) {
        for (std::size_t k = begin; k < end; ++k) {
          partial_[k].setZero(parameters_);
          const std::size_t from = (done + k) * stretch_rows;
          for (std::size_t at = from; at < std::min(from + stretch_rows, batch.size()); at += block_rows) {
            const bool last = k + 1 == end && at + block_rows == from + stretch_rows;
            const std::size_t next = last ? (done + partial_.size() + begin) * stretch_rows : at + block_rows;
            add(Portion{portion(batch, at), portion(batch, next), done == 0 && k == begin && at == from},
                worker, partial_[k].data());
          }
        }
      });
      for (std::size_t k = 0; k < now; ++k) total_.add(partial_[k]);
    }
    total_.take_total(parameters_, sum);
  }

 private:
  static std::span<const std::uint32_t> portion(std::span<const std::uint32_t> batch, std::size_t at) {
    return at < batch.size() ? batch.subspan(at, std::min(block_rows, batch.size() - at))
                             : std::span<const std::uint32_t>();
  }

  // A worker adds up several stretches each time it is started, or starting it would take longer than they
  // do: as many as there is room for, so that partial sums stay in the cache.
  static constexpr std::size_t numbers_kept = std::size_t{1} << 17, longest_run = 64;

  Eigen::Index parameters_;
  unsigned threads_;
  std::size_t run_;
  std::vector<Vector> partial_;
  PairwiseSum total_;
};

}  // namespace tacit::inline v1
