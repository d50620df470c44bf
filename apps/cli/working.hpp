#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace tacit::cli {

// While it lives, a bar on standard error says that work goes on: only on a terminal, only after a second,
// and gone when the work is done. It moves with the clock alone: how much work is left depends on the data.
class Working {
 public:
  explicit Working(std::string what);
  ~Working();
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;

 private:
  void show();

  std::string what_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace tacit::cli
