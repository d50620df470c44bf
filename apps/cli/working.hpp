#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "status_line.hpp"
#include "tacit/core.hpp"

namespace tacit::cli {

// While it lives, a bar on standard error says that work goes on: on a terminal, after a second, and gone
// when the work is done; elsewhere as lines, and only where they are asked for. It moves with the clock: how
// much work is left depends on the data, unless the work says that it is planned; then it says how much is
// done, and about how long the rest takes.
class Working : private WorkListener {
 public:
  enum class Plans { ignored, told };  // told: long plans are printed, terminal or not
  struct Telling {
    std::chrono::seconds every{0};            // between two lines where there is no terminal; 0: none
    std::function<std::string()> state = {};  // of whoever does the work; asked on a thread of its own
  };

  explicit Working(std::string what, Plans plans = Plans::ignored) : Working(std::move(what), plans, {}) {}
  Working(std::string what, Plans plans, Telling telling);
  ~Working() override;
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;

 private:
  void announced(const std::string& what) override;
  void advanced(std::uint64_t done, std::uint64_t planned) override;
  void show();
  void show_bar(std::unique_lock<std::mutex>& lock);
  void show_lines(std::unique_lock<std::mutex>& lock);
  std::string words() const;

  std::string what_;
  Telling telling_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point first_step_ = start_;  // when the plan's first step was told
  std::uint64_t done_steps_ = 0, planned_steps_ = 0, first_done_ = 0;
  StatusLine line_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread thread_;
  ListenScope listening_;
};

}  // namespace tacit::cli
