#include "status_line.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <initializer_list>

namespace tacit::cli {

namespace {

constexpr char erase[] = "\r\033[K";
// While work goes on nothing has been printed or written; only a ledger may have been charged.
constexpr char nothing_released[] = "tacit: interrupted; nothing was released\n";
constexpr char still_charged[] =
    "tacit: interrupted; nothing was released, but what the ledger was charged stays charged\n";

volatile std::sig_atomic_t owner = 0;  // whose line it is: a child that was forked meanwhile says nothing
volatile std::sig_atomic_t terminal = 0, charged = 0;
// The farewell is the last word: whoever draws on another thread is waited for, and draws no more.
std::atomic<bool> drawing = false, ended = false;
static_assert(std::atomic<bool>::is_always_lock_free, "or a handler could not use it");

// Calls only what POSIX allows in a handler. SA_RESETHAND has set the default back, which then ends us.
extern "C" void end_cleanly(int signal) {
  ended = true;
  while (drawing) {
  }
  if (::getpid() == owner &&
      ((terminal && ::write(STDERR_FILENO, erase, sizeof erase - 1) < 0) ||
       (charged ? ::write(STDERR_FILENO, still_charged, sizeof still_charged - 1)
                : ::write(STDERR_FILENO, nothing_released, sizeof nothing_released - 1)) < 0))
    ::_exit(1);
  ::raise(signal);
}

// The signals wait while a thread draws: a handler on that thread would wait for it forever.
void draw(const char* first, const std::string& text, const char* last) {
  sigset_t signals, before;
  ::sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM}) ::sigaddset(&signals, signal);
  ::pthread_sigmask(SIG_BLOCK, &signals, &before);
  drawing = true;
  if (!ended) std::fprintf(stderr, "%s%s%s", first, text.c_str(), last);
  drawing = false;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
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
  terminal = terminal_;
  owner = ::getpid();
  replace_handler(SIG_DFL, end_cleanly);
}

StatusLine::~StatusLine() {
  if (!last_.empty()) draw(erase, "", "");
  replace_handler(end_cleanly, SIG_DFL);
}

void ledger_is_charged() { charged = 1; }
bool ledger_was_charged() { return charged != 0; }

void StatusLine::show(const std::string& text) {
  if (!terminal_ || text == last_) return;
  draw(erase, text, "");
  last_ = text;
}

void StatusLine::say(const std::string& text) { draw(terminal_ ? erase : "", text, "\n"); }

}  // namespace tacit::cli
