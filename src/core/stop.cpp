#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

thread_local const std::atomic<bool>* stop_of_this_thread = nullptr;

}  // namespace

StopScope::StopScope(const std::atomic<bool>* stop) : outer_(stop_of_this_thread) {
  stop_of_this_thread = stop;
}
StopScope::~StopScope() { stop_of_this_thread = outer_; }

const std::atomic<bool>* stop_flag() { return stop_of_this_thread; }

void throw_if_stopped() {
  if (stop_of_this_thread != nullptr && stop_of_this_thread->load(std::memory_order_relaxed))
    throw_error<Interrupted>("stopped; nothing was released");
}

}  // namespace tacit::inline v1
