#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "tacit/fit.hpp"

namespace tacit::cli {

// A cluster as its first process sees it, which can say meanwhile whom it waits for.
class WatchedCluster final : public service::Cluster {
 public:
  explicit WatchedCluster(std::shared_ptr<service::Cluster> cluster) : cluster_(std::move(cluster)) {}

  std::size_t rank() const override { return cluster_->rank(); }
  std::size_t size() const override { return cluster_->size(); }
  void send_to_others(std::string_view question) override { cluster_->send_to_others(question); }
  std::string receive_from(std::size_t rank) override;
  std::optional<std::string> next_question() override { return cluster_->next_question(); }
  void send_answer(std::string_view answer) override { cluster_->send_answer(answer); }

  // "4 processes", and a process that has not answered for more than a second. Of any thread.
  std::string state() const;

 private:
  using Clock = std::chrono::steady_clock;

  std::shared_ptr<service::Cluster> cluster_;
  std::atomic<std::size_t> awaited_ = 0;  // 0: none, or this process itself
  std::atomic<Clock::time_point> since_ = Clock::time_point();
};

}  // namespace tacit::cli
