#include <algorithm>

#include "tool.hpp"

namespace tacit::testing {
namespace {

class Tune : public CliTest {};

TEST_F(Tune, ChoosesAmongTheSettingsOfAFileAndVerifies) {
  const std::string settings =
      write("settings.json", R"({"settings": [{"method": "limited-objective", "radius": 3},
      {"method": "limited-output", "radius": 5}], "validation": 0.25, "mean_runs": 4})");
  const Outcome outcome =
      run_tool({"fit", write_classes("train.csv"), "--schema", write_schema(), "--epsilon", "4", "--tune",
                settings, "--model", path("model.json"), "--json"});
  const auto json = parsed(outcome);
  EXPECT_EQ(json["method"], "tuned");
  EXPECT_LE(json["guarantee"]["epsilon"], 4.0);
  EXPECT_EQ(run_tool({"verify", path("model.json")}).code, 0);
}

TEST_F(Tune, ANewLedgerPaysForAChoice) {
  const std::string settings =
      write("settings.json", R"({"settings": [{"method": "limited-objective", "radius": 3},
      {"method": "limited-output", "radius": 5}], "validation": 0.25, "mean_runs": 4})");
  ASSERT_EQ(run_tool({"ledger", "create", path("people.ledger"), "--limit", "people=5"}).code, 0);
  const auto fit = [&] {
    return run_tool({"fit", write_classes("train.csv"), "--schema", write_schema(), "--epsilon", "4",
                     "--tune", settings, "--ledger", path("people.ledger"), "--model", path("model.json")});
  };
  EXPECT_EQ(fit().code, 0);
  const auto json = parsed(run_tool({"ledger", "show", path("people.ledger"), "--json"}));
  EXPECT_EQ(json["budgets"][0]["charges"].size(), 1U) << json;
  EXPECT_EQ(fit().code, 77) << "1 is left";
}

TEST_F(Tune, RefusesBadSettingsInOneLine) {
  const std::string data = write_classes("train.csv"), schema = write_schema();
  for (const char* text : {"", "[]", R"({"settings": []})", R"({"settings": [{"radius": 3}]})",
                           R"({"settings": [{"method": "plain"}]})",
                           R"({"settings": [{"method": "limited-output", "depth": 3}]})",
                           R"({"settings": [{"method": "limited-output", "radius": -3}]})",
                           R"({"settings": [{"method": "limited-output"}], "validation": 2})"}) {
    const Outcome outcome = run_tool({"fit", data, "--schema", schema, "--epsilon", "1", "--tune",
                                      write("bad.json", text), "--model", path("model.json")});
    EXPECT_NE(outcome.code, 0) << text;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_FALSE(exists("model.json")) << text;
  }
}

TEST_F(Tune, NamesTheSettingThatCannotRun) {
  const std::string settings = write("settings.json", R"({"settings": [{"method": "limited-objective"},
      {"method": "limited-output", "regularisation": -3}]})");
  const Outcome outcome = run_tool({"fit", write_classes("train.csv"), "--schema", write_schema(),
                                    "--epsilon", "1", "--tune", settings, "--model", path("model.json")});
  EXPECT_NE(outcome.err.find("setting 2, limited-output: regularisation is -3"), std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace tacit::testing
