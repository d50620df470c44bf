#include <signal.h>

#include <chrono>
#include <future>
#include <regex>
#include <thread>

#include "cluster_fixture.hpp"

// Under mpirun standard error is no terminal: --progress tells there, in lines of rank 0, how the fit goes
// on.

namespace tacit::testing {
namespace {

using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

class ProgressTest : public ClusterTest {
 protected:
  // A fit of some hundred steps, in the middle of which rank 2 pauses.
  Outcome fit_with_a_pause(const Arguments& more) {
    EXPECT_EQ(run_tool({"ledger", "create", path("l.ledger"), "--neighbours", "zero_out", "--limit",
                        "people=9,1e-4", "--accountant", "approx"})
                  .code,
              0);
    Arguments fit = fit_command({path("part-*.csv"), "--delta", "1e-5", "--method", "dp-sgd", "--epochs",
                                 "20", "--ledger", path("l.ledger"), "--checkpoint", path("saved"),
                                 "--checkpoint-every", "1", "--threads", "1"});
    fit.insert(fit.end(), more.begin(), more.end());
    auto running = std::async(std::launch::async, [&] { return run_processes(shards, fit); });
    const auto deadline = Clock::now() + seconds(120);
    while (!exists("saved") && Clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const pid_t slow = process_of_rank(2);
    EXPECT_NE(slow, 0) << "the fit has ended";
    if (slow != 0) {
      ::kill(slow, SIGSTOP);
      std::this_thread::sleep_for(seconds(4));
      ::kill(slow, SIGCONT);
    }
    return running.get();
  }
};

TEST_F(ProgressTest, SaysHowManyProcessesThereAreAndForWhichOneItWaits) {
  const Outcome fit = fit_with_a_pause({"--progress", "1"});
  ASSERT_EQ(fit.code, 0) << fit.err;
  // Of rank 0 alone, each with a later second.
  const std::regex form("fitting, 4 processes(, waiting for rank (\\d) for (\\d+) s)?, (\\d+) s");
  std::istringstream lines(fit.err);
  int before = 0, waits = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Warning: ")) continue;
    std::smatch found;
    ASSERT_TRUE(std::regex_match(line, found, form)) << line;
    EXPECT_GT(std::stoi(found[4]), before) << fit.err;
    before = std::stoi(found[4]);
    if (found[2] == "2") ++waits;
  }
  EXPECT_GE(waits, 2) << fit.err;
}

TEST_F(ProgressTest, SaysNothingUnasked) {
  const Outcome fit = run_processes(shards, fit_command({path("part-*.csv")}));
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_EQ(fit.err.find("fitting"), std::string::npos) << fit.err;
}

}  // namespace
}  // namespace tacit::testing
