#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

thread_local WorkListener* current = nullptr;

}  // namespace

ListenScope::ListenScope(WorkListener* listener) : outer_(current) { current = listener; }
ListenScope::~ListenScope() { current = outer_; }

void announce(const std::string& what) {
  if (current != nullptr) current->announced(what);
}
void tell_progress(std::uint64_t done, std::uint64_t planned) {
  if (current != nullptr) current->advanced(done, planned);
}

}  // namespace tacit::inline v1
