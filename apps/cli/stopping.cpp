#include "stopping.hpp"

#include <csignal>
#include <initializer_list>

namespace tacit::cli {

namespace {

std::atomic<bool> stopped = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // so that a signal may set it

extern "C" void remember(int) { stopped = true; }

}  // namespace

void stop_on_signals() {
  struct sigaction action {};
  action.sa_handler = remember;
  // One-shot, so that a second signal has its usual effect; calls that it interrupts go on.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

bool stop_requested() { return stopped; }

const std::atomic<bool>* stop_request() { return &stopped; }

}  // namespace tacit::cli
