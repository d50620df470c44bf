#include "stopping.hpp"

#include <csignal>
#include <initializer_list>

namespace tacit::cli {

namespace {

volatile std::sig_atomic_t stopped = 0;

extern "C" void remember(int) { stopped = 1; }

}  // namespace

void stop_on_signals() {
  struct sigaction action {};
  action.sa_handler = remember;
  // One-shot, so that a second signal has its usual effect; calls that it interrupts go on.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

bool stop_requested() { return stopped != 0; }

}  // namespace tacit::cli
