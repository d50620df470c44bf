#include "tool.hpp"

// Evaluations, of records as they are and under a guarantee of their own.

namespace tacit::testing {
namespace {

class EvaluateCommand : public CliTest {};

TEST_F(EvaluateCommand, AnEvaluationTakesLabelsAsTheyAre) {
  // The schema ends at 10; every label is 110, so that cut ones would look 100 better.
  std::string rows = "x,y\n", test = rows;
  for (int k = 0; k < 200; ++k) rows += std::to_string(k % 10) + "," + std::to_string(k % 10) + "\n";
  for (int k = 0; k < 50; ++k) test += std::to_string(k % 10) + ",110\n";
  const std::string schema = write("s.json", R"({"columns": {"x": {"type": "numeric", "min": 0, "max": 10}},
                                                 "target": {"column": "y", "min": 0, "max": 10}})");
  ASSERT_EQ(run_tool({"fit", write("d.csv", rows), "--schema", schema, "--epsilon", "50", "--model",
                      path("m.json")})
                .code,
            0);
  const nlohmann::json json = parsed(run_tool({"evaluate", path("m.json"), write("t.csv", test), "--json"}));
  EXPECT_GT(json["mae"].get<double>(), 95);
  EXPECT_EQ(json["constant"]["mae"], 0);
  const Outcome privately = run_tool({"evaluate", path("m.json"), path("t.csv"), "--epsilon", "5", "--json"});
  ASSERT_EQ(privately.code, 0) << privately.err;
  EXPECT_LE(parsed(privately)["mae"].get<double>(), 10) << "labels are cut to the range there";
  EXPECT_EQ(run_tool({"verify", write("ev.json", privately.out)}).code, 0);
}

TEST_F(EvaluateCommand, AnEvaluationHasAucConstantAndPrivateIntervals) {
  const std::string model = fit_model(), test = write_classes("test.csv");
  const nlohmann::json open = parsed(run_tool({"evaluate", model, test, "--json"}));
  EXPECT_EQ(open["private"], false);
  EXPECT_GT(open["auc"].get<double>(), 0.5);
  EXPECT_EQ(open["calibration"].size(), 10u);
  EXPECT_TRUE(open["constant"].contains("accuracy"));
  const Outcome outcome = run_tool({"evaluate", model, test, "--epsilon", "5", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json json = parsed(outcome);
  EXPECT_EQ(json["private"], true);
  for (const char* metric : {"accuracy", "log_loss", "auc"}) {
    ASSERT_TRUE(json["intervals"].contains(metric)) << metric;
    EXPECT_LE(json["intervals"][metric][0], json[metric]);
    EXPECT_GE(json["intervals"][metric][1], json[metric]);
  }
  EXPECT_NEAR(json["accuracy"].get<double>(), open["accuracy"].get<double>(), 0.02);
  EXPECT_NEAR(json["auc"].get<double>(), open["auc"].get<double>(), 0.1);
  for (const char* metric : {"accuracy", "log_loss", "auc"}) {
    EXPECT_LE(json["constant_intervals"][metric][0], open["constant"][metric]) << metric;
    EXPECT_GE(json["constant_intervals"][metric][1], open["constant"][metric]) << metric;
  }
  EXPECT_EQ(run_tool({"verify", write("ev.json", outcome.out)}).code, 0);
  EXPECT_NE(run_tool({"evaluate", model, test, "--ledger", "x"}).err.find("--epsilon"), std::string::npos);
}

TEST_F(EvaluateCommand, StatementsSayWhichPrivacyTheyTake) {
  const std::string data = write_classes("data.csv"), schema = write_schema(), model = fit_model();
  for (const char* epsilon : {"0", "-1", "inf", "nan"})
    for (std::vector<std::string> arguments :
         {std::vector<std::string>{"describe", data, "--schema", schema}, {"evaluate", model, data}}) {
      arguments.insert(arguments.end(), {"--epsilon", epsilon});
      const Outcome outcome = run_tool(arguments);
      EXPECT_EQ(outcome.code, 64);
      EXPECT_EQ(outcome.err.find("or inf"), std::string::npos) << outcome.err;
      EXPECT_NE(outcome.err.find("--epsilon"), std::string::npos) << outcome.err;
    }
  const Outcome none = run_tool({"describe", data, "--schema", schema});
  EXPECT_EQ(none.err.find("mu"), std::string::npos) << none.err;
  EXPECT_NE(none.err.find("--epsilon"), std::string::npos) << none.err;
  const Outcome nobody = run_tool({"evaluate", model, data, "--epsilon", "1", "--user", "zz"});
  EXPECT_EQ(nobody.code, 65);
  EXPECT_NE(nobody.err.find("no user column \"zz\""), std::string::npos) << nobody.err;
}

// What a record costs that is left out, and one that is replaced: in the words of `verify`.
TEST_F(EvaluateCommand, StatementsPromiseInTheWordsOfVerify) {
  const std::string data = write_classes("data.csv"), schema = write_schema(), model = fit_model();
  const auto first_line = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  const auto says_both = [&](std::vector<std::string> arguments, const std::string& file) {
    arguments.insert(arguments.end(), {"--epsilon", "1"});
    const Outcome made = run_tool(arguments);
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_NE(first_line(made.out).find("replaced by any other"), std::string::npos) << made.out;
    EXPECT_EQ("private: " + first_line(made.out), first_line(run_tool({"verify", file}).out));
  };
  says_both({"evaluate", model, data, "--output", path("e.json")}, path("e.json"));
  says_both({"describe", data, "--schema", schema, "--output", path("d.html")}, path("d.json"));
  says_both({"schema", data, "--target", "y", "--classes", "no,yes", "--output", path("s.json")},
            path("s.json"));
}

TEST_F(EvaluateCommand, AFeatureDoesNotSayWhoseRecordItIs) {
  const Outcome outcome =
      run_tool({"evaluate", fit_model(), write_classes("data.csv"), "--epsilon", "1", "--user", "x1"});
  EXPECT_EQ(outcome.code, 64);
  for (const char* told : {"the model has column \"x1\" among its features",
                           "leave it out to judge the model on single records", "fit a model with it"})
    EXPECT_NE(outcome.err.find(told), std::string::npos) << outcome.err;
}

TEST_F(EvaluateCommand, OneRecordIsOneRecord) {
  const Outcome outcome = run_tool({"evaluate", fit_model(), write_classes("one.csv", 1)});
  EXPECT_NE(outcome.out.find("Measured on 1 record as it is"), std::string::npos) << outcome.out;
}

// There is no AUC of one class, and the release must not tell: the interval is that of any other noise.
TEST_F(EvaluateCommand, AnEvaluationOfOneClassKeepsItToItself) {
  std::string rows = "x1,x2,y\n";
  for (int k = 0; k < 50; ++k) rows += "0.9,0.8,yes\n";
  const nlohmann::json json =
      parsed(run_tool({"evaluate", fit_model(), write("ones.csv", rows), "--epsilon", "0.5", "--json"}));
  EXPECT_EQ(json["intervals"]["auc"], (nlohmann::json{0.0, 1.0}));
}

}  // namespace
}  // namespace tacit::testing
