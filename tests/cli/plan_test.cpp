#include "tool.hpp"

namespace tacit::testing {
namespace {

class Plan : public CliTest {
 protected:
  std::vector<std::string> asked(const std::vector<std::string>& more) const {
    std::vector<std::string> all{"fit", path("train.csv"), "--schema", path("schema.json")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_F(Plan, StatesTheStepsAndOptionsThatTheFitWillState) {
  for (const std::vector<std::string>& request :
       {std::vector<std::string>{"--epsilon", "1"},
        {"--epsilon", "0.01"},  // the intercept alone
        {"--epsilon", "1", "--neighbours", "zero_out", "--encoder", "hats"},
        {"--epsilon", "2", "--method", "limited-output"},
        {"--mu", "1", "--method", "limited-output", "--encoder", "auto"},
        {"--epsilon", "1", "--method", "double-output"},
        {"--epsilon", "2", "--delta", "1e-5", "--method", "dp-sgd", "--epochs", "2"},
        {"--epsilon", "2", "--delta", "1e-5", "--method", "dp-gd", "--steps", "5"}}) {
    write_schema();
    std::filesystem::remove(path("train.csv"));
    std::vector<std::string> plan = asked(request), fit = asked(request);
    plan.insert(plan.end(), {"--plan", "--records", "400", "--json"});
    fit.insert(fit.end(), {"--model", path("model.json")});
    const Outcome planned = run_tool(plan);  // there is no data yet
    ASSERT_EQ(planned.code, 0) << planned.err;
    write_classes("train.csv", 400);
    const Outcome fitted = run_tool(fit);
    ASSERT_EQ(fitted.code, 0) << fitted.err;
    const auto told = nlohmann::json::parse(planned.out);
    const auto certificate = nlohmann::json::parse(read("model.json"))["certificate"];
    EXPECT_EQ(told["method"], certificate["method"]);
    EXPECT_EQ(told["neighbours"], certificate["neighbours"]);
    EXPECT_EQ(told["steps"], certificate["steps"]) << request.back();
    EXPECT_EQ(told["options"], certificate["options"]) << request.back();
  }
}

TEST_F(Plan, ChargesNothingAndRefusesWhatTheLedgerWould) {
  write_schema();
  const std::string ledger = path("budget.ledger");
  ASSERT_EQ(run_tool({"ledger", "create", ledger, "--limit", "people=1"}).code, 0);
  const std::string before = run_tool({"ledger", "show", ledger, "--json"}).out;
  EXPECT_EQ(run_tool(asked({"--epsilon", "1", "--ledger", ledger, "--plan", "--records", "400"})).code, 0);
  EXPECT_EQ(run_tool({"ledger", "show", ledger, "--json"}).out, before);
  EXPECT_NE(run_tool(asked({"--epsilon", "2", "--ledger", ledger, "--plan", "--records", "400"})).code, 0);
}

TEST_F(Plan, SaysWhatItNeeds) {
  write_schema();
  const Outcome unknown = run_tool(asked({"--epsilon", "1", "--plan"}));
  EXPECT_EQ(unknown.code, 64);
  EXPECT_NE(unknown.err.find("state it as records"), std::string::npos) << unknown.err;
  const Outcome bare =
      run_tool({"fit", "x.csv", "--target", "y", "--epsilon", "1", "--plan", "--records", "9"});
  EXPECT_EQ(bare.code, 64);
  EXPECT_NE(bare.err.find("a plan needs a schema"), std::string::npos) << bare.err;
  // The command of the fit, and --plan behind it: a rehearsal, which writes nothing.
  EXPECT_EQ(run_tool(asked({"--epsilon", "1", "--plan", "--records", "9", "--model", path("m.json")})).code,
            0);
  EXPECT_FALSE(exists("m.json"));
  const Outcome few = run_tool(asked({"--epsilon", "0.1", "--plan", "--records", "9"}));
  EXPECT_NE(few.out.find("the intercept alone, as records x epsilon / columns = 0.45 is below 3"),
            std::string::npos)
      << few.out;
  const Outcome little = run_tool(asked({"--epsilon", "1", "--plan", "--records", "9"}));
  EXPECT_NE(little.out.find("Warning: records x epsilon / columns = 4.5 is below 15"), std::string::npos)
      << little.out;
}

TEST_F(Plan, ExcludedColumnsAreNoFeatures) {
  write_schema();
  write_classes("train.csv");
  const std::vector<std::string> request{"--epsilon", "1",      "--exclude", "x2",
                                         "--encoder", "linear", "--model",   path("model.json")};
  ASSERT_EQ(run_tool(asked(request)).code, 0);
  const auto model = nlohmann::json::parse(read("model.json"));
  EXPECT_EQ(model["features"]["names"], std::vector<std::string>{"x1"});
  EXPECT_EQ(run_tool({"predict", path("model.json"), path("train.csv"), "--output", path("p.csv")}).code, 0);
  const Outcome none = run_tool(asked({"--epsilon", "1", "--exclude", "x9"}));
  EXPECT_EQ(none.code, 64);
  EXPECT_NE(none.err.find("no column \"x9\" to exclude, expected one of x1, x2"), std::string::npos)
      << none.err;
}

TEST_F(Plan, TunedSaysWhichSettingItChose) {
  write_schema();
  write_classes("train.csv");
  const Outcome outcome = run_tool(asked({"--epsilon", "4", "--method", "tuned", "--settings",
                                          "limited-objective:radius=3", "--model", path("model.json")}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Setting chosen: limited-objective:radius=3."), std::string::npos)
      << outcome.out;
}

}  // namespace
}  // namespace tacit::testing
