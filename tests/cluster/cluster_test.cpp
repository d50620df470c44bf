#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include "tool.hpp"

// Four processes on this machine, started by mpirun, against one process with four shards.

namespace tacit::testing {
namespace {

using Arguments = std::vector<std::string>;

Outcome run_processes(int processes, const Arguments& command) {
  Arguments arguments{"--allow-run-as-root",    "--oversubscribe", "--bind-to", "none", "-n",
                      std::to_string(processes)};
  arguments.insert(arguments.end(), command.begin(), command.end());
  return run_tool(arguments, false, TACIT_MPIRUN);
}

class ClusterTest : public CliTest {
 protected:
  static constexpr int shards = 4;

  // Four files of unequal length with the header x1,x2,who,y; nobody is in two of them.
  void SetUp() override {
    for (int file = 0; file < shards; ++file) {
      std::ostringstream text;
      text << "x1,x2,who,y,amount\n";
      for (int i = 0; i < 60 + 40 * file; ++i) {
        const int k = 1000 * file + i;
        const double a = (k * 37 % 100) / 100.0, b = (k * 61 % 100) / 100.0;
        text << a << ',' << b << ",u" << file << '_' << i % 17 << ',' << (a + b > 1 ? "yes" : "no") << ','
             << 3 * a - b << '\n';
      }
      files_.push_back(write("part-" + std::to_string(file) + ".csv", text.str()));
    }
    schema_ = write_part_schema("schema.json", R"({"column": "y", "classes": ["no", "yes"]})");
    numbers_ = write_part_schema("numbers.json", R"({"column": "amount", "min": -1, "max": 3})");
  }

  std::string write_part_schema(const std::string& name, const std::string& target) const {
    return write(name, R"({"columns": {"x1": {"type": "numeric", "min": 0, "max": 1},
                                       "x2": {"type": "numeric", "min": 0, "max": 1}},
                           "others": "ignore", "target": )" +
                           target + "}");
  }

  // Arguments of seeded_fit up to the files, and those after them.
  void expect_same_model(const std::string& schema, const Arguments& terms, const Arguments& more = {}) {
    const auto command = [&](const std::string& model, const std::string& where) {
      Arguments arguments{path(model), where, schema};
      arguments.insert(arguments.end(), terms.begin(), terms.end());
      arguments.insert(arguments.end(), files_.begin(), files_.end());
      arguments.insert(arguments.end(), more.begin(), more.end());
      return arguments;
    };
    const Outcome one = run_tool(command("one.json", std::to_string(shards)), false, TACIT_SEEDED_FIT);
    ASSERT_EQ(one.code, 0) << one.err;
    Arguments tool = command("many.json", "mpi");
    tool.insert(tool.begin(), TACIT_SEEDED_FIT);
    const Outcome many = run_processes(shards, tool);
    ASSERT_EQ(many.code, 0) << many.err;
    EXPECT_EQ(read("one.json"), read("many.json"));
    EXPECT_EQ(nlohmann::json::parse(read("one.json"))["certificate"]["assumed_public"]["shards"], shards);
    const Outcome verified = run_tool({"verify", path("many.json")});
    EXPECT_NE(verified.err.find("seeded"), std::string::npos) << verified.out << verified.err;
    std::filesystem::remove(path("one.json"));
    std::filesystem::remove(path("many.json"));
  }

  Arguments fit_command(const Arguments& more = {}) const {
    Arguments command{TACIT_TOOL, "fit",       "--cluster", "mpi",     "--schema",
                      schema_,    "--epsilon", "3",         "--model", path("model.json")};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }

  std::vector<std::string> files_;
  std::string schema_, numbers_;
};

TEST_F(ClusterTest, GivesTheModelOfOneProcessWithAsManyShards) {
  expect_same_model(schema_, {"limited-objective", "2", "-", "-"});
  expect_same_model(schema_, {"dp-sgd", "2", "1e-5", "-"}, {"epochs=5"});
  expect_same_model(schema_, {"user-sgd", "2", "1e-5", "who"}, {"epochs=5", "records-per-user=4"});
}

class LongClusterTest : public ClusterTest {};

TEST_F(LongClusterTest, DoesSoWithEveryMethodThatTakesShards) {
  const std::string one_column =
      write("narrow.json", R"({"columns": {"x1": {"type": "numeric", "min": 0, "max": 1}}, "others": "ignore",
                            "target": {"column": "y", "classes": ["no", "yes"]}})");
  expect_same_model(numbers_, {"limited-output", "2", "-", "-"});
  expect_same_model(numbers_, {"dp-gd", "2", "1e-5", "-"}, {"steps=20"});
  expect_same_model(schema_, {"double-output", "2", "-", "-"});
  expect_same_model(schema_, {"net-exponential", "2", "-", "-"}, {"net-points=1000"});
  expect_same_model(one_column, {"localized-exponential", "2", "-", "-"});
  expect_same_model(schema_, {"asap-mala", "2", "-", "-"}, {"mala-steps=100"});
  expect_same_model(schema_, {"user-group", "4", "1e-5", "who"}, {"epochs=3", "records-per-user=2"});
  expect_same_model(numbers_, {"dp-sgd", "2", "1e-5", "-"}, {"epochs=3", "loss=tanh-network"});
  expect_same_model(schema_, {"localized", "2", "-", "-"});
  expect_same_model(schema_, {"localized", "2", "-", "-"}, {"failure=0.4", "solver=limited-objective"});
  expect_same_model(schema_, {"tuned", "2", "-", "-"});
  expect_same_model(schema_, {"tuned", "2", "-", "-"}, {"settings=localized; limited-output"});
  for (const char* method : {"o2nc-single", "o2nc-multi", "o2nc-sampled", "o2nc-first"})
    expect_same_model(schema_, {method, "2", "1e-5", "-"}, {"steps=20"});
  expect_same_model(schema_, {"plain", "inf", "-", "-"});
  expect_same_model(numbers_, {"plain", "inf", "-", "-"}, {"loss=absolute"});
}

// The tool itself, whose bits are secret.
TEST_F(ClusterTest, FitsAndVerifiesWithTheTool) {
  const Outcome fit = run_processes(shards, fit_command({path("part-*.csv")}));
  ASSERT_EQ(fit.code, 0) << fit.err;
  const Outcome verified = run_tool({"verify", path("model.json")});
  EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
  EXPECT_EQ(nlohmann::json::parse(read("model.json"))["certificate"]["assumed_public"]["records"], 480);
}

// One CSV file is cut among the processes, one that was encoded too, and the certificate is the same.
TEST_F(ClusterTest, CutsOneFile) {
  for (const bool encode : {false, true}) {
    std::string file = files_[3];
    if (encode) {
      file = path("part.tacit");
      ASSERT_EQ(run_tool({"encode", files_[3], "--schema", schema_, "--output", file}).code, 0);
    }
    const Outcome fit = run_processes(3, fit_command({file}));
    ASSERT_EQ(fit.code, 0) << fit.err;
    const auto facts = nlohmann::json::parse(read("model.json"))["certificate"]["assumed_public"];
    EXPECT_EQ(facts["records"], 180);
    EXPECT_EQ(facts["shards"], 3);
    EXPECT_EQ(run_tool({"verify", path("model.json")}).code, 0);
  }
}

// Lines that are ours, beside those of mpirun.
std::vector<std::string> own_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with("tacit: ")) lines.push_back(line);
  return lines;
}

TEST_F(ClusterTest, AnErrorNamesRankAndFileInOneLine) {
  std::string rows = read("part-2.csv");
  rows[rows.find('\n') + 1] = 'x';
  write("part-2.csv", rows);
  const Outcome fit = run_processes(shards, fit_command({path("part-*.csv")}));
  EXPECT_EQ(fit.code, 65) << fit.err;
  const auto lines = own_lines(fit.err);
  ASSERT_EQ(lines.size(), 1u) << fit.err;
  EXPECT_NE(lines[0].find("rank 2"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("part-2.csv:2"), std::string::npos) << lines[0];
  EXPECT_FALSE(exists("model.json"));
}

TEST_F(ClusterTest, RefusesAUserOnTwoShards) {
  write("part-3.csv", read("part-3.csv") + "0.5,0.5,u1_3,no,1\n");
  const Outcome fit = run_processes(
      shards, fit_command({path("part-*.csv"), "--user", "who", "--delta", "1e-5", "--method", "user-sgd"}));
  EXPECT_EQ(fit.code, 65) << fit.err;
  EXPECT_NE(fit.err.find("shards 1 and 3 hold records of the same user"), std::string::npos) << fit.err;
  EXPECT_FALSE(exists("model.json"));
}

// What needs all records in one place says so before anything is read or charged.
TEST_F(ClusterTest, RefusesWhatCannotBeSharded) {
  ASSERT_EQ(
      run_tool({"ledger", "create", path("l.ledger"), "--neighbours", "replace_one", "--limit", "people=9"})
          .code,
      0);
  const auto refused = [&](const Arguments& more, const std::string& why) {
    Arguments arguments{"fit", path("part-*.csv"), "--shards",       "4",       "--epsilon",
                        "1",   "--ledger",         path("l.ledger"), "--model", path("model.json")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome fit = run_tool(arguments);
    EXPECT_EQ(fit.code, 64) << fit.err;
    EXPECT_NE(fit.err.find(why), std::string::npos) << fit.err;
  };
  refused({"--schema", schema_, "--method", "posterior-exact"}, "needs all records in one place");
  refused({"--schema", schema_, "--method", "tuned", "--settings", "posterior-exact"},
          "needs all records in one place");
  for (const char* method : {"double-output", "localized"}) {
    Arguments terms{"--schema", schema_, "--method", method, "--oracle", "extension"};
    if (std::string(method) == "localized") terms.insert(terms.end(), {"--solver", "double-output"});
    refused(terms, "needs all records in one place");
  }
  refused({"--target", "y"}, "shards need a schema");
  refused({"--schema", schema_, "--cluster", "mpi"}, "contradict each other");
  const auto ledger = parsed(run_tool({"ledger", "show", path("l.ledger"), "--json"}));
  EXPECT_EQ(ledger["budgets"][0]["charges"].size(), 0u) << ledger;
}

std::string rank_variable(int rank) {
  std::string text = "OMPI_COMM_WORLD_RANK=";
  text += std::to_string(rank);
  return text;
}

// Starts the processes, and ends one of them in the middle of its work.
class KillTest : public ClusterTest {
 protected:
  Outcome run_and_kill(const Arguments& command, int victim_rank, const std::function<bool()>& when) {
    Outcome outcome;
    std::thread runner([&] { outcome = run_processes(shards, command); });
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    pid_t victim = 0;
    while (std::chrono::steady_clock::now() < deadline && (victim == 0 || !when())) {
      victim = process_of_rank(victim_rank);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_NE(victim, 0);
    if (victim != 0) {
      EXPECT_EQ(::kill(victim, SIGKILL), 0);
    }
    runner.join();
    return outcome;
  }

  // The process of this test's own model file that has the rank in its environment.
  pid_t process_of_rank(int rank) const {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      const auto content = [&](const char* file) {
        std::ifstream stream(entry.path() / file, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(stream), {});
      };
      if (content("cmdline").find(path("model.json")) == std::string::npos) continue;
      const std::string environment = content("environ");
      std::istringstream variables(environment);
      for (std::string variable; std::getline(variables, variable, '\0');)
        if (variable == rank_variable(rank)) return std::stoi(name);
    }
    return 0;
  }

  Arguments long_fit(const std::string& epochs) const {
    return fit_command({path("part-*.csv"), "--delta", "1e-5", "--method", "dp-sgd", "--epochs", epochs,
                        "--ledger", path("l.ledger"), "--checkpoint", path("saved"), "--checkpoint-every",
                        "20", "--threads", "1"});
  }
};

// No release, no hang, an exit code, at most one line of ours; and when it is taken up, one charge.
TEST_F(KillTest, ALostProcessEndsTheFitWhichGoesOnFromItsCheckpointWithOneCharge) {
  ASSERT_EQ(run_tool({"ledger", "create", path("l.ledger"), "--neighbours", "zero_out", "--limit",
                      "people=9,1e-4", "--accountant", "approx"})
                .code,
            0);
  const Outcome killed = run_and_kill(long_fit("60"), 2, [&] { return exists("saved"); });
  EXPECT_NE(killed.code, 0);
  EXPECT_LE(own_lines(killed.err).size(), 1u) << killed.err;
  EXPECT_FALSE(exists("model.json"));
  ASSERT_TRUE(exists("saved")) << killed.err;
  const Outcome resumed = run_processes(shards, long_fit("60"));
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(exists("model.json"));
  const auto ledger = parsed(run_tool({"ledger", "show", path("l.ledger"), "--json"}));
  EXPECT_EQ(ledger["budgets"][0]["charges"].size(), 1u) << ledger;
  EXPECT_EQ(run_tool({"verify", path("model.json")}).code, 0);
}

}  // namespace
}  // namespace tacit::testing
