#include <algorithm>
#include <chrono>
#include <thread>

#include "tool.hpp"

namespace tacit::testing {
namespace {

class CompareCommand : public CliTest {
 protected:
  std::vector<std::string> arguments(std::vector<std::string> more) const {
    more.insert(more.begin(), {"compare", write_classes("train.csv"), "--schema", write_schema(), "--methods",
                               "limited-objective,limited-output", "--epsilon", "1,10", "--repeats", "2"});
    return more;
  }
};

TEST_F(CompareCommand, PrintsATableThatSaysItIsNotPrivate) {
  const Outcome outcome = run_tool(arguments({"--plot", path("plot.svg")}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(outcome.out.starts_with("NOT PRIVATE"));
  for (const char* part :
       {"limited-objective  pure", "limited-output", "without privacy", "best constant", " ± "})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << "\n" << outcome.out;
  EXPECT_NE(read("plot.svg").find("limited-output"), std::string::npos);
}

TEST_F(CompareCommand, TakesASchemaThatWasFoundPrivately) {
  const std::string data = write_classes("train.csv");
  ASSERT_EQ(run_tool({"schema", data, "--target", "y", "--classes", "no,yes", "--epsilon", "20", "--output",
                      path("found.json")})
                .code,
            0);
  const Outcome outcome = run_tool({"compare", data, "--schema", path("found.json"), "--methods",
                                    "limited-objective", "--epsilon", "1", "--repeats", "1", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err << outcome.out;
  const auto json = parsed(outcome);
  ASSERT_EQ(json["results"].size(), 1u);
  EXPECT_EQ(json["results"][0]["runs"], 1);
  EXPECT_EQ(outcome.out.find("schema_release"), std::string::npos);
}

TEST_F(CompareCommand, GivesItsResultsAsJson) {
  const auto json = parsed(run_tool(arguments({"--json"})));
  EXPECT_EQ(json["private"], false);
  EXPECT_EQ(json["neighbours"], "zero_out");
  ASSERT_EQ(json["results"].size(), 4u);
  for (const auto& result : json["results"]) {
    EXPECT_EQ(result["runs"], 2);
    EXPECT_GT(result["mean"], 0.3);
  }
}

TEST_F(CompareCommand, ShowsABarOnATerminalAndRemovesIt) {
  const Outcome outcome = run_tool(arguments({}), true);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find(" of 10 fits, about "), std::string::npos) << outcome.err;
  EXPECT_TRUE(outcome.err.ends_with("\r\033[K")) << outcome.err;
}

TEST_F(CompareCommand, TakesListsWithBlanksAndAllBesideNames) {
  std::vector<std::string> words = arguments({"--json"});
  words[5] = "all, limited-output";
  words[7] = "1, 10";
  words.insert(words.end(), {"--minutes", "0.0001"});  // what is compared does not matter here
  EXPECT_EQ(run_tool(words).err.find("expected"), std::string::npos);
  words = arguments({"--json"});
  words[7] = "1, 10";
  EXPECT_EQ(parsed(run_tool(words))["results"].size(), 4u);
}

TEST_F(CompareCommand, FailsWhereNothingWasComparedAndWritesNoPlot) {
  std::vector<std::string> words = arguments({"--plot", path("plot.svg")});
  words[5] = "dp-sgd";  // needs a delta
  const Outcome outcome = run_tool(words);
  EXPECT_NE(outcome.code, 0);
  EXPECT_NE(outcome.out.find("dp-sgd (approx or gaussian): it needs a delta"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.err.find("no method could be compared"), std::string::npos);
  EXPECT_FALSE(exists("plot.svg"));
}

// A folder that goes away while the fits run stands for a disk that is full.
TEST_F(CompareCommand, PrintsTheTableEvenIfThePlotCannotBeWritten) {
  std::filesystem::create_directory(path("gone"));
  std::vector<std::string> words =
      arguments({"--plot", path("gone/plot.svg"), "--threads", "1", "--minutes", "0.05"});
  words[9] = "1000";  // repeats: more than fit into these three seconds
  std::thread remover([&] {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    std::filesystem::remove_all(path("gone"));
  });
  const Outcome outcome = run_tool(words);
  remover.join();
  EXPECT_NE(outcome.code, 0);
  EXPECT_NE(outcome.out.find("limited-output"), std::string::npos) << outcome.err;
}

TEST_F(CompareCommand, RefusesBadInputInOneLine) {
  const std::string data = write_classes("train.csv");
  for (const std::vector<std::string>& flags :
       std::vector<std::vector<std::string>>{{"--epsilon", "1,x"},
                                             {"--epsilon", "1,,2"},
                                             {"--epsilon", "1,1"},
                                             {"--epsilon", "1e10"},
                                             {"--plot", "x.png"},
                                             {"--methods", "all,magic"},
                                             {"--epsilon", "0"},
                                             {"--delta", "2"},
                                             {"--methods", "magic"},
                                             {"--repeats", "0"},
                                             {"--repeats", "-1"},
                                             {"--minutes", "0"},
                                             {"--held-out", "2"},
                                             {"--plot", data}}) {
    std::vector<std::string> all{"compare", data, "--target", "y"};
    all.insert(all.end(), flags.begin(), flags.end());
    const Outcome outcome = run_tool(all);
    EXPECT_EQ(outcome.code, 64) << flags[0] << " " << flags[1];
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
  EXPECT_EQ(run_tool({"compare", path("missing.csv"), "--target", "y"}).code, 66);
}

}  // namespace
}  // namespace tacit::testing
