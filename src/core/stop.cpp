#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

thread_local const std::atomic<bool>* current = nullptr;

}  // namespace

StopScope::StopScope(const std::atomic<bool>* stop) : outer_(current) { current = stop; }
StopScope::~StopScope() { current = outer_; }

const std::atomic<bool>* stop_flag() { return current; }

void throw_if_stopped() {
  if (current != nullptr && current->load(std::memory_order_relaxed))
    throw_error<Interrupted>("stopped; nothing was released");
}

}  // namespace tacit::inline v1
