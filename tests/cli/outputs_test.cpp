#include <sysexits.h>

#include "tool.hpp"

// What a command writes replaces what it wrote before, and nothing else.

namespace tacit::testing {
namespace {

class CliOutputs : public CliTest {
 protected:
  // The command with its output at `name`: written twice, and refused where something else lies.
  void expect_only_its_kind(std::vector<std::string> command, const std::string& flag,
                            const std::string& kind) {
    command.insert(command.end(), {flag, path("output")});
    EXPECT_EQ(run_tool(command).code, 0) << command[0];
    const std::string written = read("output");
    EXPECT_EQ(run_tool(command).code, 0) << command[0] << " replaces its own";
    for (const std::string other : {"age,income\n1,2\n", "{\"columns\": {}}", "<html>"}) {
      write("output", other);
      const Outcome refused = run_tool(command);
      EXPECT_EQ(refused.code, EX_USAGE) << command[0] << " over " << other;
      EXPECT_NE(refused.err.find("exists and is not a"), std::string::npos) << refused.err;
      EXPECT_NE(refused.err.find(" " + kind + "; remove it"), std::string::npos) << refused.err;
      EXPECT_EQ(read("output"), other);
    }
    write("output", "");
    EXPECT_EQ(run_tool(command).code, 0) << command[0] << " over an empty file";
    EXPECT_EQ(read("output").substr(0, 5), written.substr(0, 5));
    std::filesystem::remove(path("output"));
  }
};

// A statement may be what a charge paid for, and begins as a model does.
TEST_F(CliOutputs, AModelReplacesModelsAndNoStatement) {
  const std::string model = fit_model(), data = write_classes("train.csv"), schema = write_schema();
  const std::vector<std::string> fit{"fit", data, "--schema", schema, "--epsilon", "5", "--model"};
  const auto to = [&](const std::string& file) {
    std::vector<std::string> command = fit;
    command.push_back(file);
    return run_tool(command);
  };
  EXPECT_EQ(to(model).code, 0);
  const std::string paid = path("paid.json");
  ASSERT_EQ(run_tool({"evaluate", model, data, "--epsilon", "1", "--output", paid}).code, 0);
  const std::string before = read("paid.json");
  const Outcome refused = to(paid);
  EXPECT_EQ(refused.code, EX_USAGE);
  EXPECT_NE(refused.err.find("exists and is not a model"), std::string::npos) << refused.err;
  EXPECT_EQ(read("paid.json"), before);
}

// The report is no model.
TEST_F(CliOutputs, AChargedFitThatPrintsItsReportNamesTheModelsFile) {
  const std::string data = write_classes("train.csv"), schema = write_schema(),
                    ledger = path("people.ledger");
  ASSERT_EQ(run_tool({"ledger", "create", ledger, "--limit", "people=3"}).code, 0);
  const Outcome refused =
      run_tool({"fit", data, "--schema", schema, "--epsilon", "1", "--ledger", ledger, "--json"});
  EXPECT_EQ(refused.code, EX_USAGE);
  EXPECT_NE(refused.err.find("--model"), std::string::npos) << refused.err;
  const auto left = parsed(run_tool({"ledger", "export", ledger}));
  EXPECT_TRUE(left["budgets"][0]["charges"].empty());
  const auto told = parsed(run_tool({"fit", data, "--schema", schema, "--epsilon", "1", "--ledger", ledger,
                                     "--json", "--model", path("m.json")}));
  EXPECT_EQ(told["ledger_release"],
            parsed(run_tool({"ledger", "export", ledger}))["budgets"][0]["charges"][0]["release"]);
}

TEST_F(CliOutputs, ReplaceTheirOwnKindAlone) {
  const std::string model = fit_model(), data = write_classes("new.csv");
  expect_only_its_kind({"predict", model, data}, "--output", "list of predictions");
  expect_only_its_kind({"predict", model, data, "--json"}, "--output", "list of predictions");
  expect_only_its_kind(
      {"account", "--noise-multiplier", "1", "--rate", "0.1", "--steps", "10", "--delta", "1e-5"}, "--plot",
      "figure");
  ASSERT_EQ(run_tool({"ledger", "create", path("people.ledger"), "--limit", "people=1"}).code, 0);
  expect_only_its_kind({"ledger", "export", path("people.ledger")}, "--output", "export of a ledger");
}

TEST_F(CliOutputs, AComparisonIsRefusedBeforeItRuns) {
  const std::string other = write("kept.svg", "age,income\n1,2\n");
  const Outcome refused =
      run_tool({"compare", write_classes("data.csv"), "--schema", write_schema(), "--plot", other});
  EXPECT_EQ(refused.code, EX_USAGE);
  EXPECT_NE(refused.err.find("exists and is not a figure"), std::string::npos) << refused.err;
  EXPECT_EQ(read("kept.svg"), "age,income\n1,2\n");
}

}  // namespace
}  // namespace tacit::testing
