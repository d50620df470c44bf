#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "status_line.hpp"
#include "tacit/core.hpp"

namespace tacit::cli {

// While it lives, a bar on standard error says that work goes on: only on a terminal, only after a second,
// and gone when the work is done. It moves with the clock: how much work is left depends on the data, unless
// the work says that it is planned; then it says how much is done, and about how long the rest takes.
class Working : private WorkListener {
 public:
  enum class Plans { ignored, told };  // told: long plans are printed, terminal or not

  explicit Working(std::string what, Plans plans = Plans::ignored);
  ~Working() override;
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;

 private:
  void announced(const std::string& what) override;
  void advanced(std::uint64_t done, std::uint64_t planned) override;
  void show();
  std::string picture(int frame, double seconds) const;

  std::string what_;
  std::uint64_t done_steps_ = 0, planned_steps_ = 0;
  StatusLine line_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread thread_;
  ListenScope listening_;
};

}  // namespace tacit::cli
