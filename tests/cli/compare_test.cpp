#include <algorithm>

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

TEST_F(CompareCommand, GivesItsResultsAsJson) {
  const auto json = parsed(run_tool(arguments({"--json"})));
  EXPECT_EQ(json["private"], false);
  EXPECT_EQ(json["neighbours"], "replace_one");
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

TEST_F(CompareCommand, RefusesBadInputInOneLine) {
  const std::string data = write_classes("train.csv");
  for (const std::vector<std::string>& flags : std::vector<std::vector<std::string>>{{"--epsilon", "1,x"},
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
