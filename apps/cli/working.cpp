#include "working.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tacit::cli {

namespace {

constexpr int bar_width = 24;

std::string moving_block(int frame) {
  constexpr int block = 6, span = bar_width - block;
  const int at = frame % (2 * span) < span ? frame % (2 * span) : 2 * span - frame % (2 * span);
  return fmt::format("[{:{}}======{:{}}] ", "", at, "", span - at);
}

}  // namespace

Working::Working(std::string what, Plans plans, Telling telling)
    : what_(std::move(what)),
      telling_(std::move(telling)),
      listening_(plans == Plans::told ? this : nullptr) {
  if (line_.on_terminal() || telling_.every.count() > 0) thread_ = std::thread([this] { show(); });
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
  line_.say(what);
}

void Working::advanced(std::uint64_t done, std::uint64_t planned) {
  const std::lock_guard lock(mutex_);
  if (planned_steps_ != planned || done < done_steps_) {
    first_step_ = std::chrono::steady_clock::now();
    first_done_ = done;
  }
  done_steps_ = done;
  planned_steps_ = planned;
}

// What is done, by whom, and for how long; where work is planned, how much of it is done and how long the
// rest will take at the pace since its first step, with a bar before it.
std::string Working::words() const {
  const auto now = std::chrono::steady_clock::now();
  const auto since = [&](auto then) { return std::chrono::duration<double>(now - then).count(); };
  const double seconds = since(start_);
  const std::string who = telling_.state ? fmt::format("{}, {}", what_, telling_.state()) : what_;
  if (planned_steps_ == 0 || done_steps_ == 0) return fmt::format("{}, {:.0f} s", who, seconds);
  const double share = static_cast<double>(done_steps_) / static_cast<double>(planned_steps_);
  const int full = static_cast<int>(bar_width * std::fmin(share, 1.0));
  const std::string told = fmt::format("[{:=<{}}{:{}}] {}, step {} of {}, {:.0f} s", "", full, "",
                                       bar_width - full, who, done_steps_, planned_steps_, seconds);
  // What came before the first step, such as an audit's replay, says nothing about the pace.
  if (done_steps_ <= first_done_) return told;
  const double paced = static_cast<double>(done_steps_ - first_done_);
  const double left = static_cast<double>(planned_steps_ - std::min(done_steps_, planned_steps_));
  return fmt::format("{}, about {:.0f} s left", told, since(first_step_) * left / paced);
}

void Working::show_bar(std::unique_lock<std::mutex>& lock) {
  using namespace std::chrono_literals;
  if (ended_.wait_for(lock, 1s, [this] { return done_; })) return;
  for (int frame = 0; !done_; ++frame) {
    line_.show((done_steps_ == 0 ? moving_block(frame) : std::string()) + words());
    ended_.wait_for(lock, 100ms, [this] { return done_; });
  }
}

void Working::show_lines(std::unique_lock<std::mutex>& lock) {
  for (auto next = start_ + telling_.every; !ended_.wait_until(lock, next, [this] { return done_; });
       next += telling_.every)
    line_.say(words());
}

void Working::show() {
  std::unique_lock lock(mutex_);
  if (line_.on_terminal())
    show_bar(lock);
  else
    show_lines(lock);
}

}  // namespace tacit::cli
