#include <signal.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <future>
#include <random>
#include <thread>

#include "cluster_fixture.hpp"

// A process that is killed in the middle of its work: no release, no hang, an exit code, at most one line of
// ours; and when the fit is taken up, one charge.

namespace tacit::testing {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

class KillTest : public ClusterTest {
 protected:
  static constexpr milliseconds no_hang{60000};  // far longer than the fit takes

  // Starts the processes, and ends one of them once it is there and when() is true.
  Outcome run_and_kill(const Arguments& command, int victim_rank, const std::function<bool()>& when) {
    auto running = std::async(std::launch::async, [&] { return run_processes(shards, command); });
    const auto deadline = Clock::now() + std::chrono::seconds(120);
    pid_t victim = 0;
    while (Clock::now() < deadline && victim == 0) {
      victim = process_of_rank(victim_rank);
      if (victim == 0) std::this_thread::sleep_for(milliseconds(2));
    }
    EXPECT_NE(victim, 0);
    while (Clock::now() < deadline && !when()) std::this_thread::sleep_for(milliseconds(2));
    // It may have ended by itself.
    if (victim != 0 && process_of_rank(victim_rank) == victim) ::kill(victim, SIGKILL);
    if (running.wait_for(no_hang) != std::future_status::ready) {
      ADD_FAILURE() << "the fit hangs";
      for (const auto& [process, environment] : own_processes()) ::kill(process, SIGKILL);
    }
    return running.get();
  }

  // Of dp-sgd, or of user-sgd where people are protected.
  Arguments long_fit() const {
    Arguments fit = fit_command({path("part-*.csv"), "--delta", "1e-5", "--ledger", path("l.ledger"),
                                 "--checkpoint", path("saved"), "--threads", "1"});
    const Arguments records{"--method", "dp-sgd", "--epochs", "8", "--checkpoint-every", "5"};
    const Arguments users{"--method", "user-sgd", "--epochs",           "20", "--checkpoint-every", "5",
                          "--user",   "who",      "--records-per-user", "4"};
    fit.insert(fit.end(), (of_users_ ? users : records).begin(), (of_users_ ? users : records).end());
    return fit;
  }

  void create_ledger() const {
    for (const char* old : {"l.ledger", "saved", "model.json"}) std::filesystem::remove(path(old));
    ASSERT_EQ(run_tool({"ledger", "create", path("l.ledger"), "--neighbours", "zero_out", "--limit",
                        "people=9,1e-4", "--accountant", "approx", "--unit", of_users_ ? "user" : "item"})
                  .code,
              0);
  }

  std::size_t charges() const {
    return parsed(run_tool({"ledger", "show", path("l.ledger"), "--json"}))["budgets"][0]["charges"].size();
  }

  void expect_no_process_left() const {
    const auto deadline = Clock::now() + std::chrono::seconds(20);
    for (int rank = 0; rank < shards; ++rank) {
      while (process_of_rank(rank) != 0 && Clock::now() < deadline)
        std::this_thread::sleep_for(milliseconds(20));
      EXPECT_EQ(process_of_rank(rank), 0) << "rank " << rank << " goes on";
    }
  }

  // Of a fit whose rank was killed: it has failed, or had ended before. Taken up, it costs once.
  void expect_failed_and_resumable(const Outcome& killed) {
    EXPECT_LE(own_lines(killed.err).size(), 1u) << killed.err;
    expect_no_process_left();
    if (exists("model.json")) {  // the kill came after the release
      EXPECT_EQ(charges(), 1u);
    } else {
      EXPECT_NE(killed.code, 0) << killed.err;
      EXPECT_LE(charges(), 1u);
      const Outcome resumed = run_processes(shards, long_fit());
      EXPECT_EQ(resumed.code, 0) << resumed.err;
      EXPECT_EQ(charges(), 1u);
    }
    EXPECT_EQ(run_tool({"verify", path("model.json")}).code, 0);
  }

  // A random rank, at random times of a fit.
  void kill_at_random_times(int rounds, unsigned seed) {
    create_ledger();
    const auto began = Clock::now();
    ASSERT_EQ(run_processes(shards, long_fit()).code, 0);
    const auto whole = std::chrono::duration_cast<milliseconds>(Clock::now() - began);
    std::mt19937 random(seed);
    int unfinished = 0;
    for (int round = 0; round < rounds; ++round) {
      const int rank = std::uniform_int_distribution(0, shards - 1)(random);
      const milliseconds pause(std::uniform_int_distribution<long>(0, whole.count() * 9 / 10)(random));
      SCOPED_TRACE(::testing::Message() << "round " << round << ", rank " << rank << " after "
                                        << pause.count() << " ms of " << whole.count());
      create_ledger();
      const auto start = Clock::now();
      const Outcome killed = run_and_kill(long_fit(), rank, [&] { return Clock::now() - start >= pause; });
      if (!exists("model.json")) ++unfinished;
      expect_failed_and_resumable(killed);
    }
    EXPECT_GT(unfinished, rounds / 4) << "too few kills came before the end";
  }

  bool of_users_ = false;
};

TEST_F(KillTest, ALostProcessEndsTheFitWhichGoesOnFromItsCheckpointWithOneCharge) {
  for (const bool users : {false, true}) {
    of_users_ = users;
    create_ledger();
    const Outcome killed = run_and_kill(long_fit(), 2, [&] { return exists("saved"); });
    EXPECT_FALSE(exists("model.json"));
    ASSERT_TRUE(exists("saved")) << killed.err;
    expect_failed_and_resumable(killed);
  }
}

// Exact samples are drawn in one go: what was charged stays charged.
TEST_F(KillTest, ALostProcessEndsAFitThatCannotGoOn) {
  create_ledger();
  const Arguments fit = fit_command({path("part-*.csv"), "--method", "posterior-exact", "--samples", "10000",
                                     "--ledger", path("l.ledger")});
  const Outcome killed = run_and_kill(fit, 1, [&] { return charges() == 1; });
  EXPECT_NE(killed.code, 0);
  EXPECT_FALSE(exists("model.json"));
  EXPECT_LE(own_lines(killed.err).size(), 1u) << killed.err;
  expect_no_process_left();
  EXPECT_EQ(charges(), 1u);
}

// A process that is killed with the lock of PMIx's store in shared memory would leave mpirun waiting.
TEST_F(KillTest, ProcessesKeepOutOfTheSharedStoreOfPmix) {
  create_ledger();
  std::string maps;
  run_and_kill(long_fit(), 1, [&] {
    if (!exists("saved")) return false;
    std::ifstream stream("/proc/" + std::to_string(process_of_rank(1)) + "/maps");
    maps.assign(std::istreambuf_iterator<char>(stream), {});
    return true;
  });
  EXPECT_NE(maps.find("libtacit_mpi.so"), std::string::npos) << "what is looked at is not the fit";
  EXPECT_EQ(maps.find("pmix_dstor"), std::string::npos);
}

TEST_F(KillTest, AtRandomTimes) { kill_at_random_times(2, 5); }

class LongKillTest : public KillTest {};

TEST_F(LongKillTest, AtManyRandomTimes) { kill_at_random_times(40, 2); }

TEST_F(LongKillTest, AtManyRandomTimesOfAFitForUsers) {
  of_users_ = true;
  kill_at_random_times(20, 3);
}

}  // namespace
}  // namespace tacit::testing
