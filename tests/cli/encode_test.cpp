#include <algorithm>

#include "tool.hpp"

namespace tacit::testing {
namespace {

class CliEncode : public CliTest {
 protected:
  std::string encode() const {
    write_classes("points.csv");
    write_schema();
    const Outcome made = run_tool(
        {"encode", path("points.csv"), "--schema", path("schema.json"), "--output", path("points.tacit")});
    EXPECT_EQ(made.code, 0) << made.err;
    return path("points.tacit");
  }
  static void expect_one_line(const Outcome& outcome, int code, const std::string& words) {
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
};

TEST_F(CliEncode, SaysWhatItMade) {
  const std::string data = write_classes("points.csv");
  const nlohmann::json made =
      parsed(run_tool({"encode", data, "--schema", write_schema(), "--output", path("p.tacit"), "--json"}));
  EXPECT_EQ(made["rows"], 400);
  EXPECT_EQ(made["bytes"], std::filesystem::file_size(path("p.tacit")));
  EXPECT_EQ(made["digest"].get<std::string>().substr(0, 7), "sha256:");
}

TEST_F(CliEncode, EveryCommandThatFitsOrScoresTakesIt) {
  const std::string cells = encode();
  const Outcome fitted = run_tool({"fit", cells, "--epsilon", "5", "--model", path("m.json")});
  EXPECT_EQ(fitted.code, 0) << fitted.err;
  EXPECT_EQ(run_tool({"verify", path("m.json")}).code, 0);
  const auto scores = [&](const std::string& data) {
    return parsed(run_tool({"evaluate", path("m.json"), data, "--json"}));
  };
  EXPECT_EQ(scores(cells), scores(path("points.csv")));
  const auto predictions = [&](const std::string& data) {
    return run_tool({"predict", path("m.json"), data}).out;
  };
  EXPECT_EQ(predictions(cells), predictions(path("points.csv")));
  EXPECT_NE(predictions(cells), "");
  const nlohmann::json plan =
      parsed(run_tool({"fit", cells, "--epsilon", "5", "--plan", "--records", "400", "--json"}));
  EXPECT_TRUE(plan.contains("method"));
}

TEST_F(CliEncode, ASchemaThatWasFoundPrivatelyIsStatedByTheFit) {
  const std::string data = write_classes("points.csv"), schema = path("found.json"), cells = path("p.tacit");
  const Outcome found = run_tool(
      {"schema", data, "--target", "y", "--classes", "no,yes", "--epsilon", "20", "--output", schema});
  ASSERT_EQ(found.code, 0) << found.err;
  ASSERT_EQ(run_tool({"encode", data, "--schema", schema, "--output", cells}).code, 0);
  const auto facts_of = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"fit", "--epsilon", "1", "--model", path("m.json")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome fitted = run_tool(arguments);
    EXPECT_EQ(fitted.code, 0) << fitted.err;
    EXPECT_EQ(run_tool({"verify", path("m.json")}).code, 0);
    const auto certificate = nlohmann::json::parse(read("m.json"))["certificate"];
    return std::pair(certificate["assumed_public"], certificate["assumptions"]);
  };
  const auto of_table = facts_of({data, "--schema", schema});
  EXPECT_TRUE(of_table.first.contains("schema_epsilon"));
  EXPECT_EQ(facts_of({cells}), of_table);
  EXPECT_EQ(facts_of({cells, "--schema", schema}), of_table);
}

TEST_F(CliEncode, MistakesAreOneLineAndMakeNothing) {
  const std::string cells = encode();
  expect_one_line(run_tool({"describe", cells, "--schema", path("schema.json"), "--epsilon", "1"}), 64,
                  "describe the table that it was made of");
  expect_one_line(run_tool({"schema", cells}), 64, "give the table that it was made of");
  expect_one_line(
      run_tool({"encode", path("points.csv"), "--schema", path("schema.json"), "--output", path("o")}), 64,
      "the file name must end in .tacit");
  write("bad.csv", "x1,x2,y\n0,0,yes\n1,zero,yes\n");
  expect_one_line(
      run_tool({"encode", path("bad.csv"), "--schema", path("schema.json"), "--output", path("o.tacit")}), 65,
      "bad.csv:3:2: column \"x2\": \"zero\" is not a number");
  EXPECT_FALSE(exists("o"));
  EXPECT_FALSE(exists("o.tacit"));

  std::string bytes = read("points.tacit");
  bytes[bytes.size() - 40] ^= 1;  // the last row
  write("points.tacit", bytes);
  expect_one_line(run_tool({"fit", cells, "--epsilon", "5", "--model", path("m.json")}), 65,
                  "the digest of records 1 to 400 does not hold");
  write("points.tacit", bytes.substr(0, 5000));
  expect_one_line(run_tool({"fit", cells, "--epsilon", "5", "--model", path("m.json")}), 65, "is damaged");
  EXPECT_FALSE(exists("m.json"));
}

}  // namespace
}  // namespace tacit::testing
