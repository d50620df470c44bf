#include <algorithm>

#include "tool.hpp"

// What must never be lost or switched off by a slip of the keyboard.

namespace tacit::testing {
namespace {

class Safety : public CliTest {
 protected:
  void expect_refused(const std::vector<std::string>& arguments) const {
    const Outcome outcome = run_tool(arguments);
    EXPECT_EQ(outcome.code, 64) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
};

TEST_F(Safety, OutputsNeverReplaceInputs) {
  const std::string data = write_classes("train.csv"), schema = write_schema(), model = fit_model();
  const std::string tune = write("tune.json", R"({"settings": [{"method": "limited-output"}]})");
  const std::string before[] = {read("train.csv"), read("schema.json"), read("model.json"),
                                read("tune.json")};
  expect_refused({"fit", data, "--schema", schema, "--epsilon", "1", "--model", data});
  expect_refused({"fit", data, "--schema", schema, "--epsilon", "1", "--model", schema});
  expect_refused({"fit", data, "--schema", schema, "--epsilon", "1", "--tune", tune, "--model", tune});
  expect_refused({"predict", model, data, "--output", data});
  expect_refused({"predict", model, data, "--output", model});
  expect_refused({"schema", data, "--target", "y", "--output", data});
  EXPECT_EQ(before[0], read("train.csv"));
  EXPECT_EQ(before[1], read("schema.json"));
  EXPECT_EQ(before[2], read("model.json"));
  EXPECT_EQ(before[3], read("tune.json"));
}

TEST_F(Safety, AnEmptyValueIsNotTheSameAsNone) {
  const std::string data = write_classes("train.csv"), schema = write_schema(), model = fit_model();
  expect_refused({"fit", data, "--schema", schema, "--epsilon", "1", "--ledger", ""});
  expect_refused({"fit", data, "--schema", "", "--epsilon", "1"});
  expect_refused({"fit", data, "--schema", schema, "--epsilon", "1", "--sign="});
  expect_refused({"verify", model, "--key", ""});
}

TEST_F(Safety, WithASchemaTheFirstRecordDoesNotDecideWhetherThereIsAHeader) {
  const std::string schema =
      write("numbered.json", R"({"columns": {"0": {"type": "numeric", "min": 0, "max": 9},
      "1": {"type": "numeric", "min": 0, "max": 9}}, "target": {"column": "2", "min": 0, "max": 9}})");
  std::string rest;
  for (int k = 0; k < 30; ++k) rest += "3,4,5\n";
  std::vector<std::string> records;
  for (const char* first : {"4,4,4\n", "1,0,2\n", "0,1,2\n"}) {
    const Outcome outcome = run_tool({"fit", write("data.csv", first + rest), "--schema", schema, "--epsilon",
                                      "1", "--model", path("model.json"), "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto model = nlohmann::json::parse(read("model.json"));
    EXPECT_EQ(model["certificate"]["assumed_public"]["records"], 31);
  }
}

TEST_F(Safety, AnEditedModelIsNotUsed) {
  const std::string data = write_classes("train.csv");
  fit_model();
  std::string text = read("model.json");
  char& digit = text[text.find_first_of("123456789", text.find("\"parameters\""))];
  digit = digit == '7' ? '6' : '7';
  const Outcome outcome = run_tool({"predict", write("edited.json", text), data});
  EXPECT_NE(outcome.code, 0);
  EXPECT_NE(outcome.err.find("digest"), std::string::npos) << outcome.err;
}

TEST_F(Safety, SettingsToTuneAreCheckedByName) {
  const std::string data = write_classes("train.csv"), schema = write_schema();
  for (const char* settings :
       {"limited-objective:foo=1", "limited-objective:epsilon=100", "limited-output:radius=1,radius=2"})
    expect_refused(
        {"fit", data, "--schema", schema, "--epsilon", "1", "--method", "tuned", "--settings", settings});
  EXPECT_EQ(run_tool({"fit", data, "--schema", schema, "--epsilon", "1", "--method", "tuned", "--settings",
                      "limited-objective:slope-limit=0.5", "--model", path("m.json")})
                .code,
            0);
}

}  // namespace
}  // namespace tacit::testing
