#include "service/compare/processes.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <map>
#include <stdexcept>
#include <thread>

namespace tacit::service {
namespace {

using namespace std::chrono_literals;

// Runs `count` jobs, two at a time; a job may take a second.
std::map<std::size_t, JobOutcome> outcomes(std::size_t count,
                                           const std::function<std::string(std::size_t)>& work) {
  std::map<std::size_t, JobOutcome> found;
  std::size_t started = 0;
  run_jobs({.next = [&]() -> std::optional<std::size_t> {
              return started < count ? std::optional(started++) : std::nullopt;
            },
            .work = work,
            .overdue = [](std::size_t, double seconds) { return seconds > 1; },
            .finished = [&](const JobOutcome& outcome) { found[outcome.job] = outcome; },
            .waiting = {}},
           2);
  return found;
}

TEST(Processes, GiveBackWhatEachJobReturns) {
  const auto found = outcomes(20, [](std::size_t job) { return std::string(job * 100, 'x'); });
  ASSERT_EQ(found.size(), 20u);
  for (const auto& [job, outcome] : found) {
    EXPECT_EQ(outcome.end, JobEnd::returned);
    EXPECT_EQ(outcome.text.size(), job * 100);
  }
}

TEST(Processes, OneThatHangsOrCrashesLeavesTheOthersAlone) {
  const auto found = outcomes(4, [](std::size_t job) -> std::string {
    if (job == 1) std::this_thread::sleep_for(1h);
    if (job == 2) ::raise(SIGKILL);
    return "fine";
  });
  EXPECT_EQ(found.at(0).text, "fine");
  EXPECT_EQ(found.at(1).end, JobEnd::overdue);
  EXPECT_EQ(found.at(2).end, JobEnd::died);
  EXPECT_EQ(found.at(3).text, "fine");
}

TEST(Processes, NoneIsLeftWhenTheCallerThrows) {
  EXPECT_THROW(run_jobs({.next = []() -> std::optional<std::size_t> { return 0; },
                         .work = [](std::size_t) -> std::string {
                           std::this_thread::sleep_for(1h);
                           return "";
                         },
                         .overdue = [](std::size_t, double) -> bool { throw std::runtime_error("enough"); },
                         .finished = [](const JobOutcome&) {},
                         .waiting = {}},
                        2),
               std::runtime_error);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace tacit::service
