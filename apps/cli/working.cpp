#include "working.hpp"

#include <fmt/format.h>

#include <chrono>
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
  steps_ = fmt::format(", step {} of {}", done, planned);
}

void Working::show() {
  using namespace std::chrono_literals;
  constexpr int width = 24, block = 6;
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  if (ended_.wait_for(lock, 1s, [this] { return done_; })) return;
  for (int frame = 0; !done_; ++frame) {
    const int span = width - block;
    const int at = frame % (2 * span) < span ? frame % (2 * span) : 2 * span - frame % (2 * span);
    const auto elapsed = std::chrono::steady_clock::now() - start;
    line_.show(fmt::format("[{:{}}======{:{}}] {}{}, {:.0f} s", "", at, "", span - at, what_, steps_,
                           std::chrono::duration<double>(elapsed).count()));
    ended_.wait_for(lock, 100ms, [this] { return done_; });
  }
}

}  // namespace tacit::cli
