#include <zlib.h>

#include <algorithm>
#include <map>

#include "cluster_fixture.hpp"

// Four processes on this machine, started by mpirun, against one process with four shards.

namespace tacit::testing {
namespace {

TEST_F(ClusterTest, GivesTheModelOfOneProcessWithAsManyShards) {
  expect_same_model(schema_, {"limited-objective", "2", "-", "-"});
  expect_same_model(schema_, {"dp-sgd", "2", "1e-5", "-"}, {"epochs=5"});
  expect_same_model(schema_, {"user-sgd", "2", "1e-5", "who"}, {"epochs=5", "records-per-user=4"});
  expect_same_model(schema_, {"posterior-exact", "2", "-", "-"}, {"samples=2"});
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
  expect_same_model(schema_, {"localized", "2", "-", "-"}, {"records=5000"});
  expect_same_model(schema_, {"tuned", "2", "-", "-"});
  expect_same_model(schema_, {"tuned", "2", "-", "-"},
                    {"records=5000", "settings=localized; limited-output"});
  expect_same_model(schema_, {"tuned", "2", "-", "-"}, {"settings=localized; limited-output"});
  for (const char* method : {"o2nc-single", "o2nc-multi", "o2nc-sampled", "o2nc-first"})
    expect_same_model(schema_, {method, "2", "1e-5", "-"}, {"steps=20"});
  expect_same_model(schema_, {"posterior-exact", "2", "mu", "-"});
  expect_same_model(numbers_, {"posterior-exact", "2", "-", "-"}, {"loss=huber"});
  expect_same_model(kinds_, {"posterior-exact", "3", "-", "-"});
  expect_same_model(kinds_, {"posterior-exact", "2", "mu", "-"}, {"samples=3"});
  expect_same_model(schema_, {"tuned", "2", "-", "-"}, {"settings=posterior-exact; limited-output"});
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

// Beside the file, with .gz after its name, which is returned.
std::string packed(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string content(std::istreambuf_iterator<char>(stream), {});
  const gzFile out = gzopen((file + ".gz").c_str(), "wb");
  EXPECT_EQ(gzwrite(out, content.data(), static_cast<unsigned>(content.size())),
            static_cast<int>(content.size()));
  EXPECT_EQ(gzclose(out), Z_OK);
  return file + ".gz";
}

// The same bits, the same model, whether the files are packed or not, in one process or in four.
TEST_F(ClusterTest, ReadsPackedFiles) {
  const auto seeded = [&](const std::string& model, const Arguments& files) {
    Arguments arguments{path(model), std::to_string(shards), schema_, "limited-objective", "2", "-", "-"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    EXPECT_EQ(run_tool(arguments, false, TACIT_SEEDED_FIT).code, 0);
    return read(model);
  };
  const std::string plain = seeded("plain.json", files_);
  for (std::string& file : files_) {
    const std::string name = packed(file);
    std::filesystem::remove(file);
    file = name;
  }
  EXPECT_EQ(seeded("packed.json", files_), plain);
  expect_same_model(schema_, {"limited-objective", "2", "-", "-"});
  const Outcome fit = run_processes(shards, fit_command({path("part-*.csv.gz")}));
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_EQ(nlohmann::json::parse(read("model.json"))["certificate"]["assumed_public"]["records"], 480);
}

// One CSV file is cut among the processes, one that is packed or was encoded too, and the certificate is the
// same.
TEST_F(ClusterTest, CutsOneFile) {
  const std::string encoded = path("part.tacit");
  ASSERT_EQ(run_tool({"encode", files_[3], "--schema", schema_, "--output", encoded}).code, 0);
  for (const std::string& file : {files_[3], packed(files_[3]), encoded}) {
    const Outcome fit = run_processes(3, fit_command({file}));
    ASSERT_EQ(fit.code, 0) << fit.err;
    const auto facts = nlohmann::json::parse(read("model.json"))["certificate"]["assumed_public"];
    EXPECT_EQ(facts["records"], 180);
    EXPECT_EQ(facts["shards"], 3);
    EXPECT_EQ(run_tool({"verify", path("model.json")}).code, 0);
  }
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

// Every process has the same command line: one of them says what is wrong with it.
TEST_F(ClusterTest, ABadCommandLineIsToldOnce) {
  for (const Arguments& more : {Arguments{"--epsilom", "1"}, Arguments{"--shards", "3"},
                                Arguments{"--method", "no-such"}, Arguments{"--threads", "many"}}) {
    Arguments command = fit_command({path("part-*.csv")});
    command.insert(command.end(), more.begin(), more.end());
    const Outcome fit = run_processes(shards, command);
    EXPECT_NE(fit.code, 0);
    EXPECT_EQ(own_lines(fit.err).size(), 1u) << more[0] << '\n' << fit.err;
    EXPECT_FALSE(exists("model.json"));
  }
}

// Where only a later process has a bad command line, nobody else can say so.
TEST_F(LongClusterTest, ACommandLineThatIsBadInOneProcessIsToldByIt) {
  Arguments two = fit_command({path("part-*.csv")});
  const Arguments bad = fit_command({path("part-*.csv"), "--epsilom", "1"});
  two.insert(two.end(), {":", "-n", "1"});
  two.insert(two.end(), bad.begin(), bad.end());
  const Outcome fit = run_processes(1, two);
  EXPECT_NE(fit.code, 0);
  const auto lines = own_lines(fit.err);
  ASSERT_EQ(lines.size(), 1u) << fit.err;
  EXPECT_TRUE(lines[0].starts_with("tacit: rank 1: ")) << lines[0];
  EXPECT_FALSE(exists("model.json"));
}

// What is said, is said by rank 0: the report, and no line twice.
TEST_F(ClusterTest, NoLineIsPrintedTwice) {
  const Outcome fit = run_processes(shards, fit_command({path("part-*.csv")}));
  ASSERT_EQ(fit.code, 0) << fit.err;
  std::map<std::string, int> seen;
  std::istringstream lines(fit.out + fit.err);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) ++seen[line];
  EXPECT_GE(seen.size(), 3u);
  for (const auto& [line, times] : seen) EXPECT_EQ(times, 1) << line;
}

// The tool where no library for MPI lies beside it, and where what lies there is none.
TEST_F(ClusterTest, SaysWhatIsMissingWithoutMpi) {
  const std::filesystem::path built = std::filesystem::path(TACIT_TOOL).parent_path();
  std::filesystem::create_directory(path("alone"));
  const std::string tool = path("alone/tacit");
  std::filesystem::copy(TACIT_TOOL, tool);
  for (const auto& entry : std::filesystem::directory_iterator(built))
    if (entry.path().filename().string().starts_with("libtacit.so"))
      std::filesystem::copy(entry.path(), path("alone") / entry.path().filename());
  Arguments arguments{"LD_LIBRARY_PATH=" + path("alone"), tool};
  const Arguments fit = fit_command({path("part-*.csv")});
  arguments.insert(arguments.end(), fit.begin() + 1, fit.end());
  for (const bool broken : {false, true}) {
    if (broken) write("alone/libtacit_mpi.so", "no library");
    const Outcome outcome = run_tool(arguments, false, "/usr/bin/env");
    EXPECT_EQ(outcome.code, 66) << outcome.err;
    EXPECT_EQ(own_lines(outcome.err).size(), 1u) << outcome.err;
    EXPECT_NE(outcome.err.find("libtacit_mpi.so cannot be loaded; MPI needs tacit built with Open MPI"),
              std::string::npos)
        << outcome.err;
    EXPECT_FALSE(exists("model.json"));
  }
  // Without a cluster it needs none.
  arguments.erase(std::ranges::find(arguments, "--cluster"), std::ranges::find(arguments, "mpi") + 1);
  arguments.insert(arguments.end(), {"--shards", "2"});
  EXPECT_EQ(run_tool(arguments, false, "/usr/bin/env").code, 0);
}

TEST_F(ClusterTest, RefusesAUserOnTwoShards) {
  write("part-3.csv", read("part-3.csv") + "0.5,0.5,u1_3,no,1,a\n");
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
  for (const char* method : {"user-phased", "user-erm"})
    refused({"--schema", schema_, "--method", method, "--user", "who", "--delta", "1e-5"},
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

}  // namespace
}  // namespace tacit::testing
