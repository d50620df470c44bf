#include "working.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>

namespace tacit::cli {

Working::Working(std::string what, Plans plans)
    : what_(std::move(what)), listening_(plans == Plans::told ? this : nullptr) {
  if (line_.on_terminal()) thread_ = std::thread([this] { show(); });
}

Working::~Working() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  ended_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Working::announced(const std::string& what) {
  const std::lock_guard lock(mutex_);
  std::fprintf(stderr, "%s%s\n", thread_.joinable() ? "\r\033[K" : "", what.c_str());
}

void Working::advanced(std::uint64_t done, std::uint64_t planned) {
  const std::lock_guard lock(mutex_);
  done_steps_ = done;
  planned_steps_ = planned;
}

// A block that moves with the clock; or, where work is planned, how much of it is done and how long the rest
// will take at the pace so far.
std::string Working::picture(int frame, double seconds) const {
  constexpr int width = 24, block = 6, span = width - block;
  if (planned_steps_ == 0 || done_steps_ == 0) {
    const int at = frame % (2 * span) < span ? frame % (2 * span) : 2 * span - frame % (2 * span);
    return fmt::format("[{:{}}======{:{}}] {}, {:.0f} s", "", at, "", span - at, what_, seconds);
  }
  const double share = static_cast<double>(done_steps_) / static_cast<double>(planned_steps_);
  const int full = static_cast<int>(width * std::fmin(share, 1.0));
  return fmt::format("[{:=<{}}{:{}}] {}, step {} of {}, {:.0f} s, about {:.0f} s left", "", full, "",
                     width - full, what_, done_steps_, planned_steps_, seconds, seconds / share - seconds);
}

void Working::show() {
  using namespace std::chrono_literals;
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  if (ended_.wait_for(lock, 1s, [this] { return done_; })) return;
  for (int frame = 0; !done_; ++frame) {
    const auto elapsed = std::chrono::steady_clock::now() - start;
    line_.show(picture(frame, std::chrono::duration<double>(elapsed).count()));
    ended_.wait_for(lock, 100ms, [this] { return done_; });
  }
}

}  // namespace tacit::cli
