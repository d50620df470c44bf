#pragma once

#include <string>

namespace tacit::cli {

// A line on standard error that changes while work goes on: on a terminal only, and gone when this ends.
// Ctrl-C erases it too, says in one line, terminal or not, what is left of the work, and ends the process as
// the signal does everywhere; a signal that someone else handles or ignores (stopping.hpp, nohup) is left to
// them. One at a time.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  bool on_terminal() const { return terminal_; }
  void show(const std::string& text);
  // A line that stays, terminal or not.
  void say(const std::string& text);

 private:
  bool terminal_;
  std::string last_;
};

// From now on that line says that a ledger stays charged.
void ledger_is_charged();
bool ledger_was_charged();

}  // namespace tacit::cli
