#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace tacit::inline v1::service {

enum class JobEnd {
  returned,  // `text` is what the job returned
  overdue,   // it was ended
  died,      // of a signal, or it could not be started; `text` says which
};

struct JobOutcome {
  std::size_t job = 0;
  JobEnd end = JobEnd::returned;
  std::string text;
  double seconds = 0;  // by the clock
};

// Jobs as child processes: memory is shared until someone writes, one that takes too long can be ended, and
// one that crashes takes no other along.
struct Jobs {
  std::function<std::optional<std::size_t>()> next;  // the next job to start; nothing: none is left
  std::function<std::string(std::size_t)> work;      // in the child; must not throw; at most 64 KB of text
  std::function<bool(std::size_t, double)> overdue;  // asked of a running job and its seconds so far
  std::function<void(const JobOutcome&)> finished;
  std::function<void()> waiting;  // called every few milliseconds; may be empty
};

// Returns when all jobs have ended. No child outlives the call, nor the process.
void run_jobs(const Jobs& jobs, unsigned workers);

}  // namespace tacit::inline v1::service
