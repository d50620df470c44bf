#include "watched_cluster.hpp"

#include <fmt/format.h>

namespace tacit::cli {

// Answers are taken in the order of the ranks: all before this one have come.
std::string WatchedCluster::receive_from(std::size_t rank) {
  since_ = Clock::now();
  awaited_ = rank;
  std::string answer = cluster_->receive_from(rank);
  awaited_ = 0;
  return answer;
}

std::string WatchedCluster::state() const {
  using namespace std::chrono_literals;
  std::string text = fmt::format("{} process{}", size(), size() == 1 ? "" : "es");
  const std::size_t rank = awaited_;
  const auto waited = Clock::now() - since_.load();
  if (rank != 0 && waited > 1s)
    text += fmt::format(", waiting for rank {} for {:.0f} s", rank,
                        std::chrono::duration<double>(waited).count());
  return text;
}

}  // namespace tacit::cli
