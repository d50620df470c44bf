#include "status_line.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <initializer_list>

namespace tacit::cli {

namespace {

constexpr char erase[] = "\r\033[K";
// While a line is shown nothing has been printed or written; only a ledger may have been charged.
constexpr char farewell[] = "\r\033[Ktacit: interrupted; nothing was released\n";

volatile std::sig_atomic_t owner = 0;  // whose line it is: a child that was forked meanwhile says nothing

// Calls only what POSIX allows in a handler. SA_RESETHAND has set the default back, which then ends us.
extern "C" void end_cleanly(int signal) {
  if (::getpid() == owner && ::write(STDERR_FILENO, farewell, sizeof farewell - 1) < 0) ::_exit(1);
  ::raise(signal);
}

void replace_handler(void (*from)(int), void (*to)(int)) {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action {};
    ::sigaction(signal, nullptr, &action);
    if (action.sa_handler != from) continue;
    action.sa_handler = to;
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace

StatusLine::StatusLine() : terminal_(::isatty(STDERR_FILENO) != 0) {
  if (!terminal_) return;
  owner = ::getpid();
  replace_handler(SIG_DFL, end_cleanly);
}

StatusLine::~StatusLine() {
  if (!terminal_) return;
  if (!last_.empty()) std::fputs(erase, stderr);
  replace_handler(end_cleanly, SIG_DFL);
}

void StatusLine::show(const std::string& text) {
  if (!terminal_ || text == last_) return;
  std::fprintf(stderr, "%s%s", erase, text.c_str());
  last_ = text;
}

}  // namespace tacit::cli
