#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <future>
#include <mutex>
#include <optional>
#include <string>

#include "tacit/core.hpp"

namespace tacit::python {

// What the work says of itself before it goes on, handed to the thread that waits for it. The work goes on
// when that thread has told it; where telling it raised (warnings can be errors), the work stops.
class Announcements : public WorkListener {
 public:
  void announced(const std::string& what) override {
    std::unique_lock lock(mutex_);
    text_ = what;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !text_ || refused_; });
    if (refused_) throw_error<Interrupted>("stopped; nothing was released");
  }
  void advanced(std::uint64_t, std::uint64_t) override {}

  template <class Tell>
  void pass_on(const Tell& tell) {
    const std::lock_guard lock(mutex_);
    if (text_) tell(*text_);
    text_.reset();
    changed_.notify_all();
  }
  void refuse() {
    const std::lock_guard lock(mutex_);
    refused_ = true;
    changed_.notify_all();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  // Waits for an announcement or the end, but not longer than this; whether it was the end.
  bool ended_within(std::chrono::milliseconds most) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, most, [&] { return ended_ || (text_ && !refused_); });
    return ended_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::string> text_;
  bool refused_ = false;
  bool ended_ = false;
};

struct EndScope {
  Announcements& of;
  ~EndScope() { of.end(); }
};

// Runs `work`, which touches no Python object, on a thread of its own and without the interpreter's lock, so
// that other Python threads go on and Ctrl-C is seen. A signal whose handler raises stops the work, and what
// the handler raised is thrown; so does `tell`, which hears of what is announced, with the lock.
template <class Work, class Tell>
auto interruptible(const Work& work, const Tell& tell) {
  namespace py = pybind11;
  std::atomic<bool> stop = false;
  Announcements announcements;
  auto result = std::async(std::launch::async, [&] {
    const EndScope ending{announcements};
    const StopScope scope(&stop);
    const ListenScope listening(&announcements);
    return work();
  });
  std::exception_ptr raised;
  const auto stop_for = [&](std::exception_ptr why) {
    raised = std::move(why);
    stop = true;
    announcements.refuse();
  };
  {
    const py::gil_scoped_release release;
    while (!announcements.ended_within(std::chrono::milliseconds(50))) {
      if (stop) continue;
      const py::gil_scoped_acquire acquire;
      try {
        announcements.pass_on(tell);
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      } catch (const py::error_already_set&) {
        stop_for(std::current_exception());
      }
    }
  }
  if (!raised) return result.get();
  try {
    result.get();
  } catch (const std::exception&) {  // usually Interrupted
  }
  std::rethrow_exception(raised);
}

template <class Work>
auto interruptible(const Work& work) {
  return interruptible(work, [](const std::string&) {});
}

// An interrupt says what it costs, where it would say nothing.
inline void tell_what_stays_charged(const pybind11::error_already_set& interrupt) {
  if (interrupt.matches(PyExc_KeyboardInterrupt) && pybind11::len(interrupt.value().attr("args")) == 0)
    interrupt.value().attr("args") =
        pybind11::make_tuple("nothing was released, but what the ledger was charged stays charged");
}

}  // namespace tacit::python
