#include "service/compare/processes.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>
#include <vector>

namespace tacit::inline v1::service {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds pause(20);

struct Child {
  std::size_t job = 0;
  pid_t pid = -1;
  int pipe = -1;  // its end for reading
  Clock::time_point start;
  bool ended = false;  // by us

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start).count(); }
};

[[noreturn]] void run_child(const Jobs& jobs, std::size_t job, int pipe, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before the line above
  const std::string text = jobs.work(job);
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t now = ::write(pipe, text.data() + written, text.size() - written);
    if (now < 0 && errno != EINTR) ::_exit(1);
    written += now > 0 ? static_cast<std::size_t>(now) : 0;
  }
  ::_exit(0);  // without the parent's buffers and handlers
}

std::optional<Child> start(const Jobs& jobs, std::size_t job) {
  int ends[2];
  if (::pipe(ends) != 0) return std::nullopt;
  const pid_t parent = ::getpid(), pid = ::fork();
  if (pid == 0) {
    ::close(ends[0]);
    run_child(jobs, job, ends[1], parent);
  }
  ::close(ends[1]);
  if (pid < 0) {
    ::close(ends[0]);
    return std::nullopt;
  }
  return Child{job, pid, ends[0], Clock::now()};
}

std::string read_all(int pipe) {
  std::string text;
  char part[4096];
  for (ssize_t now = 1; now != 0;) {
    now = ::read(pipe, part, sizeof part);
    if (now < 0 && errno != EINTR) break;
    if (now > 0) text.append(part, static_cast<std::size_t>(now));
  }
  return text;
}

JobOutcome outcome_of(const Child& child, int status) {
  JobOutcome outcome{.job = child.job, .end = JobEnd::returned, .text = "", .seconds = child.seconds()};
  if (child.ended) {
    outcome.end = JobEnd::overdue;
  } else if (WIFSIGNALED(status)) {
    outcome.end = JobEnd::died;
    outcome.text = fmt::format("it was ended by the signal {}", WTERMSIG(status));
  } else {
    outcome.text = read_all(child.pipe);
  }
  return outcome;
}

// Ends and collects what is still running when the caller's functions throw.
struct Children {
  std::vector<Child> running;
  ~Children() {
    for (const Child& child : running) {
      ::kill(child.pid, SIGKILL);
      ::waitpid(child.pid, nullptr, 0);
      ::close(child.pipe);
    }
  }
};

}  // namespace

void run_jobs(const Jobs& jobs, unsigned workers) {
  Children children;
  auto& running = children.running;
  for (bool more = true; more || !running.empty();) {
    while (more && running.size() < workers) {
      const std::optional<std::size_t> job = jobs.next();
      if (!job) {
        more = false;
      } else if (std::optional<Child> child = start(jobs, *job)) {
        running.push_back(*child);
      } else {
        jobs.finished({*job, JobEnd::died, fmt::format("no process: {}", std::strerror(errno)), 0});
      }
    }
    for (std::size_t k = 0; k < running.size();) {
      Child& child = running[k];
      int status = 0;
      if (::waitpid(child.pid, &status, WNOHANG) == child.pid) {
        const JobOutcome outcome = outcome_of(child, status);
        ::close(child.pipe);
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(k));
        jobs.finished(outcome);
        more = true;  // what is left may have changed
        continue;
      }
      if (!child.ended && jobs.overdue(child.job, child.seconds())) {
        ::kill(child.pid, SIGKILL);
        child.ended = true;
      }
      ++k;
    }
    if (jobs.waiting) jobs.waiting();
    if (!running.empty()) std::this_thread::sleep_for(pause);
  }
}

}  // namespace tacit::inline v1::service
