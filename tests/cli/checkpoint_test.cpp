#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "tool.hpp"

// Fits that are stopped and killed, as people and machines do it.

namespace tacit::testing {
namespace {

class CheckpointCli : public CliTest {
 protected:
  CheckpointCli() {
    data_ = write_classes("train.csv");
    schema_ = write_schema();
    EXPECT_EQ(run_tool({"ledger", "create", path("ledger"), "--accountant", "approx", "--neighbours",
                        "zero_out", "--limit", "people=2.5,1e-4"})
                  .code,
              0);
  }

  // About `epochs`/2400 seconds of work; the ledger covers one such fit.
  std::vector<std::string> fit(const std::string& checkpoint, const std::string& epochs,
                               const std::string& every = "300") const {
    return {"fit",
            data_,
            "--schema",
            schema_,
            "--method",
            "dp-sgd",
            "--epsilon",
            "2",
            "--delta",
            "1e-5",
            "--epochs",
            epochs,
            "--ledger",
            path("ledger"),
            "--model",
            path("model.json"),
            "--threads",
            "1",
            "--checkpoint",
            path(checkpoint),
            "--checkpoint-every",
            every};
  }

  // Starts the tool, sends the signal after a while, or as soon as a file exists, and returns how it ended.
  int run_and_signal(const std::vector<std::string>& arguments, int signal, std::chrono::microseconds after,
                     const char* or_file = nullptr) const {
    const pid_t child = ::fork();
    if (child == 0) {
      const int null = ::open("/dev/null", O_RDWR);
      for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(null, stream);
      std::vector<char*> argv{const_cast<char*>(TACIT_TOOL)};
      for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
      argv.push_back(nullptr);
      ::execv(TACIT_TOOL, argv.data());
      ::_exit(127);
    }
    const auto end = std::chrono::steady_clock::now() + after;
    while (std::chrono::steady_clock::now() < end && !(or_file && exists(or_file)))
      std::this_thread::sleep_for(or_file ? std::chrono::microseconds(200) : after);
    ::kill(child, signal);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  // A fit far too long to end by itself, interrupted after its charge.
  void begin_and_interrupt() const {
    for (int wait = 300; !exists("c"); wait *= 2)
      ASSERT_EQ(run_and_signal(fit("c", "100000"), SIGINT, std::chrono::milliseconds(wait)), 75);
  }

  nlohmann::json ledger() const {
    const auto shown = parsed(run_tool({"ledger", "show", path("ledger"), "--json"}));
    return shown["budgets"][0];
  }
  std::uint64_t steps_in(const std::string& checkpoint) const {
    const std::string text = read(checkpoint);
    return nlohmann::json::parse(text.substr(0, text.find('\n')))["steps"];
  }
  void expect_finished() const {
    EXPECT_EQ(run_tool({"verify", path("model.json")}).code, 0);
    EXPECT_EQ(ledger()["charges"].size(), 1U);
    EXPECT_FALSE(ledger()["charges"][0].contains("unfinished"));
    EXPECT_EQ(parsed(run_tool({"evaluate", path("model.json"), data_, "--json"}))["accuracy"] > 0.8, true);
    for (const char* left : {"c", "c.next"}) EXPECT_FALSE(exists(left)) << left;
  }

  bool finished() const { return exists("model.json") && !exists("c"); }

  // Kills the fit once when its checkpoint is there, then at random moments, and starts it again, until it
  // ends.
  void kill_until_done(unsigned seed, int most_kills, const std::string& epochs) {
    constexpr std::chrono::minutes at_most(1);
    ASSERT_EQ(run_and_signal(fit("c", epochs, "100"), SIGKILL, at_most, "c"), 128 + SIGKILL);
    ASSERT_TRUE(exists("c"));
    std::mt19937 random(seed);
    for (int kills = 0; kills < most_kills && !finished(); ++kills) {
      EXPECT_EQ(ledger()["charges"].size(), 1U);
      std::uniform_int_distribution<int> wait(1000, 200'000 * std::min(kills + 1, 8));
      const int code =
          run_and_signal(fit("c", epochs, "100"), SIGKILL, std::chrono::microseconds(wait(random)));
      ASSERT_TRUE(code == 128 + SIGKILL || code == 0) << code;
    }
    if (!finished()) {
      const Outcome last = run_tool(fit("c", epochs, "100"));
      ASSERT_EQ(last.code, 0) << last.err;
    }
    expect_finished();
  }

 private:
  std::string data_, schema_;
};

class LongCheckpointCli : public CheckpointCli {};

TEST_F(CheckpointCli, AFitWithoutInterruptionLeavesNothingBehind) {
  ASSERT_EQ(run_tool(fit("c", "60")).code, 0);
  expect_finished();
  EXPECT_FALSE(exists("c.lock"));
}

TEST_F(CheckpointCli, AnInterruptedFitGoesOnAndIsChargedOnce) {
  begin_and_interrupt();
  EXPECT_TRUE(ledger()["charges"][0].contains("unfinished"));
  EXPECT_FALSE(exists("model.json"));
  const std::uint64_t before = steps_in("c");
  EXPECT_GT(before, 0U);
  EXPECT_EQ(run_and_signal(fit("c", "100000"), SIGTERM, std::chrono::milliseconds(1500)), 75);
  EXPECT_GE(steps_in("c"), before);
  EXPECT_EQ(ledger()["charges"].size(), 1U);
}

TEST_F(CheckpointCli, KillsAtRandomMomentsLeaveAValidModelAndOneCharge) { kill_until_done(1, 8, "4000"); }
TEST_F(LongCheckpointCli, ManyKillsAtRandomMomentsLeaveAValidModelAndOneCharge) {
  kill_until_done(2, 60, "100000");
}

// How many records people have is private, and is not in the file, whose first line anyone can read; nor is
// the number of people where a larger one is stated.
class PeopleCheckpointCli : public CheckpointCli {
 protected:
  void SetUp() override {
    CheckpointCli::SetUp();
    std::string rows = "x1,x2,who,y\n";
    for (int i = 0; i < 400; ++i)
      rows += std::to_string(i % 10) + "," + std::to_string(i % 7) + ",u" + std::to_string(i * i % 89) +
              (i % 10 > 5 ? ",yes\n" : ",no\n");
    write("users.csv", rows);
    write("users.json", R"({"columns": {"x1": {"type": "numeric", "min": 0, "max": 9},
                                        "x2": {"type": "numeric", "min": 0, "max": 6}},
                            "others": "ignore", "target": {"column": "y", "classes": ["no", "yes"]}})");
    ASSERT_EQ(run_tool({"ledger", "create", path("users.ledger"), "--accountant", "approx", "--neighbours",
                        "zero_out", "--unit", "user", "--limit", "people=2.5,1e-4"})
                  .code,
              0);
  }

  std::vector<std::string> fit_people(const std::vector<std::string>& more) const {
    std::vector<std::string> words{"fit",
                                   path("users.csv"),
                                   "--schema",
                                   path("users.json"),
                                   "--method",
                                   "user-sgd",
                                   "--user",
                                   "who",
                                   "--epochs",
                                   "1e5",
                                   "--ledger",
                                   path("users.ledger"),
                                   "--delta",
                                   "1e-5",
                                   "--model",
                                   path("m"),
                                   "--epsilon",
                                   "2",
                                   "--checkpoint",
                                   path("c"),
                                   "--threads",
                                   "1",
                                   "--records-per-user",
                                   "3"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  nlohmann::json begun(const std::vector<std::string>& fit) const {
    for (int wait = 300; !exists("c"); wait *= 2)
      EXPECT_EQ(run_and_signal(fit, SIGINT, std::chrono::milliseconds(wait)), 75);
    const std::string text = read("c");
    return nlohmann::json::parse(text.substr(0, text.find('\n')));
  }
  void goes_on(const std::vector<std::string>& fit) const {
    const std::uint64_t before = steps_in("c");
    for (int wait = 500; steps_in("c") == before; wait *= 2)
      ASSERT_EQ(run_and_signal(fit, SIGINT, std::chrono::milliseconds(wait)), 75);
    EXPECT_GT(steps_in("c"), before);
    EXPECT_EQ(
        parsed(run_tool({"ledger", "show", path("users.ledger"), "--json"}))["budgets"][0]["charges"].size(),
        1U);
  }
};

TEST_F(PeopleCheckpointCli, TellsNoNumberOfRecords) {
  const auto of = begun(fit_people({}))["fit"];
  EXPECT_EQ(of["users"], 45) << of;  // i² modulo the prime 89 takes (89 + 1)/2 values
  EXPECT_FALSE(of.contains("records")) << of;
  goes_on(fit_people({}));
}

TEST_F(PeopleCheckpointCli, TellsNoNumberOfPeopleWhereALargerOneIsStated) {
  const auto of = begun(fit_people({"--user-count", "50"}))["fit"];
  for (const auto& [key, value] : of.items()) EXPECT_NE(value, 45) << key;
  EXPECT_EQ(of["users"], 50) << of;
  EXPECT_FALSE(of.contains("records")) << of;
  goes_on(fit_people({"--user-count", "50"}));
  const Outcome other = run_tool(fit_people({"--user-count", "51"}));
  EXPECT_EQ(other.code, 64);
  EXPECT_EQ(other.err.find("45"), std::string::npos) << other.err;
}

TEST_F(CheckpointCli, ACopyIsRefusedOnceTheFitWentOn) {
  begin_and_interrupt();
  write("copy", read("c"));
  const std::uint64_t before = steps_in("c");
  for (int wait = 500; steps_in("c") == before; wait *= 2)
    run_and_signal(fit("c", "100000"), SIGINT, std::chrono::milliseconds(wait));
  const Outcome second = run_tool(fit("copy", "100000"));
  EXPECT_EQ(second.code, 77);
  EXPECT_EQ(std::count(second.err.begin(), second.err.end(), '\n'), 1);
  EXPECT_NE(second.err.find("continued already"), std::string::npos) << second.err;
  EXPECT_FALSE(exists("model.json"));
  EXPECT_EQ(ledger()["charges"].size(), 1U);
}

TEST_F(CheckpointCli, OtherOptionsAreRefusedByName) {
  begin_and_interrupt();
  const Outcome other = run_tool(fit("c", "100001"));
  EXPECT_EQ(other.code, 64);
  EXPECT_NE(other.err.find("epochs"), std::string::npos) << other.err;
}

TEST_F(CheckpointCli, NeedsALedgerAMethodThatCanAndAFileOfItsOwn) {
  const std::string data = path("train.csv"), schema = path("schema.json");
  const auto refused = [&](const std::vector<std::string>& arguments, int code = 64) {
    const Outcome outcome = run_tool(arguments);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  };
  refused({"fit", data, "--schema", schema, "--method", "dp-sgd", "--epsilon", "2", "--delta", "1e-5",
           "--checkpoint", path("c")});
  refused({"fit", data, "--schema", schema, "--epsilon", "1", "--ledger", path("ledger"), "--checkpoint",
           path("c")});
  std::vector<std::string> over = fit("c", "60");
  over[over.size() - 3] = data;
  refused(over);
  over[over.size() - 3] = path("ledger");
  refused(over, 73);
}

}  // namespace
}  // namespace tacit::testing
