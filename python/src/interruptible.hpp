#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <future>

#include "tacit/core.hpp"

namespace tacit::python {

// Runs `work`, which touches no Python object, on a thread of its own and without the interpreter's lock, so
// that other Python threads go on and Ctrl-C is seen. A signal whose handler raises stops the work, and what
// the handler raised is thrown.
template <class Work>
auto interruptible(const Work& work) {
  namespace py = pybind11;
  std::atomic<bool> stop = false;
  auto result = std::async(std::launch::async, [&] {
    const StopScope scope(&stop);
    return work();
  });
  {
    const py::gil_scoped_release release;
    while (result.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
      if (stop) continue;
      const py::gil_scoped_acquire acquire;
      if (PyErr_CheckSignals() != 0) stop = true;  // the error stays with this thread
    }
  }
  if (!stop) return result.get();
  try {
    result.get();
  } catch (const std::exception&) {  // usually Interrupted
  }
  throw py::error_already_set();
}

}  // namespace tacit::python
