#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

thread_local WorkListener* listener_of_this_thread = nullptr;

}  // namespace

ListenScope::ListenScope(WorkListener* listener) : outer_(listener_of_this_thread) {
  listener_of_this_thread = listener;
}
ListenScope::~ListenScope() { listener_of_this_thread = outer_; }

void announce(const std::string& what) {
  if (listener_of_this_thread != nullptr) listener_of_this_thread->announced(what);
}
void tell_progress(std::uint64_t done, std::uint64_t planned) {
  if (listener_of_this_thread != nullptr) listener_of_this_thread->advanced(done, planned);
}

}  // namespace tacit::inline v1
