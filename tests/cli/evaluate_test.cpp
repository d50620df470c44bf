#include <map>

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
  EXPECT_EQ(run_tool({"verify", write("ev.json", outcome.out)}).code, 0);
  EXPECT_NE(run_tool({"evaluate", model, test, "--ledger", "x"}).err.find("--epsilon"), std::string::npos);
}

TEST_F(EvaluateCommand, AnIntervalThatIsEverythingIsToldAsNoise) {
  const std::string model = fit_model(), test = write_classes("test.csv");
  const Outcome noise = run_tool({"evaluate", model, test, "--epsilon", "0.001"});
  ASSERT_EQ(noise.code, 0) << noise.err;
  EXPECT_NE(noise.err.find("Warning: the interval of accuracy is all that there is, 0 to 1"),
            std::string::npos)
      << noise.err << noise.out;
  EXPECT_EQ(run_tool({"evaluate", model, test, "--epsilon", "50"}).err, "");
}

// Each interval holds the true value with probability 0.95: 9 of 20 that miss it have a probability below
// 4e-7.
TEST_F(EvaluateCommand, PrivateIntervalsOfAConstantHoldItsScores) {
  const std::string model = fit_model(), test = write_classes("test.csv");
  const nlohmann::json open = parsed(run_tool({"evaluate", model, test, "--json"}));
  std::map<std::string, int> held;
  for (int k = 0; k < 20; ++k) {
    const auto json = parsed(run_tool({"evaluate", model, test, "--epsilon", "5", "--json"}));
    for (const char* metric : {"accuracy", "log_loss", "auc"}) {
      const auto& interval = json["constant_intervals"][metric];
      held[metric] += interval[0] <= open["constant"][metric] && open["constant"][metric] <= interval[1];
    }
  }
  for (const char* metric : {"accuracy", "log_loss", "auc"}) EXPECT_GT(held[metric], 11) << metric;
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

TEST_F(EvaluateCommand, AStatementIsOverwrittenOnlyByForce) {
  const std::vector<std::string> command{"evaluate", fit_model(), write_classes("test.csv"), "--epsilon",
                                         "1",        "--output",  path("statement.json")};
  ASSERT_EQ(run_tool(command).code, 0);
  const Outcome refused = run_tool(command);
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.err.find("statement.json exists; --force overwrites it"), std::string::npos)
      << refused.err;
  std::vector<std::string> forced = command;
  forced.push_back("--force");
  EXPECT_EQ(run_tool(forced).code, 0);
}

class EvaluateClasses : public EvaluateCommand {
 protected:
  // Records whose class is told by x; those of the classes that are left out are missing.
  static std::string rows(const std::string& left_out = "") {
    std::string text = "x,z,kind\n";
    for (int k = 0; k < 600; ++k) {
      const std::string kind(1, static_cast<char>('a' + k % 3));
      if (kind != left_out) text += fmt::format("{},{},{}\n", k % 3 + 0.01 * (k % 40), k % 11, kind);
    }
    return text;
  }
  // Models without classes in a schema: ranges found privately, a schema without a target, numbers as they
  // are.
  std::vector<std::string> models() const {
    const std::string data = write("kinds.csv", rows());
    const std::string schema = write("x.schema.json", R"({"columns": {
      "x": {"type": "numeric", "min": 0, "max": 3}, "z": {"type": "numeric", "min": 0, "max": 10}}})");
    std::vector<std::string> made;
    for (const std::vector<std::string>& flags :
         {std::vector<std::string>{"--range-share", "0.3"}, {"--schema", schema}, {"--row-bound", "11"}}) {
      made.push_back(path(fmt::format("m{}.json", made.size())));
      std::vector<std::string> command{"fit",     data,        "--target", "kind",    "--loss",
                                       "softmax", "--epsilon", "2000",     "--model", made.back()};
      command.insert(command.end(), flags.begin(), flags.end());
      const Outcome fitted = run_tool(command);
      EXPECT_EQ(fitted.code, 0) << fitted.err;
    }
    return made;
  }
  nlohmann::json evaluated(const std::string& model, const std::string& file, bool privately) const {
    std::vector<std::string> command{"evaluate", model, file, "--json"};
    if (privately) command.insert(command.end(), {"--epsilon", "20", "--neighbours", "add_remove"});
    const Outcome outcome = run_tool(command);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return parsed(outcome);
  }
};

TEST_F(EvaluateClasses, LabelsGoByNameAndOneRecordDoesNotRenameTheOthers) {
  const std::string all = write("all.csv", rows()), two = write("two.csv", rows("a")),
                    one_more = write("more.csv", rows("a") + "0.1,3,a\n"),
                    none = write("none.csv", rows("a") + "0.1,3,!x\n");
  for (const std::string& model : models()) {
    for (const bool privately : {false, true})
      for (const std::string& file : {all, two, one_more})
        EXPECT_GT(evaluated(model, file, privately)["accuracy"].get<double>(), 0.9)
            << model << ", " << file << ", " << privately;
    for (const char* epsilon : {"", "20"}) {
      std::vector<std::string> command{"evaluate", model, none};
      if (*epsilon != 0) command.insert(command.end(), {"--epsilon", epsilon});
      const Outcome refused = run_tool(command);
      EXPECT_EQ(refused.code, 65) << refused.err;
      EXPECT_NE(refused.err.find(
                    R"(none.csv:402:3: column "kind": "!x" is not a class, expected one of "a", "b", "c")"),
                std::string::npos)
          << refused.err;
    }
  }
}

TEST_F(EvaluateClasses, ALabelThatIsNoClassIsAFailedReadOfTheLedger) {
  const std::string none = write("none.csv", rows() + "0.1,3,!x\n"), ledger = path("l.db");
  ASSERT_EQ(run_tool({"ledger", "create", ledger, "--limit", "people=50"}).code, 0);
  const std::string model = models().front();
  EXPECT_EQ(run_tool({"evaluate", model, none, "--epsilon", "1", "--ledger", ledger}).code, 65);
  const nlohmann::json told = parsed(run_tool({"ledger", "show", ledger, "--json"}));
  EXPECT_EQ(told["budgets"][0]["charges"].size(), 0u) << told;
  EXPECT_EQ(told["failed_reads"], 1) << told;
}

TEST_F(EvaluateClasses, ALayoutThatWasGuessedIsAnAssumption) {
  const std::string model = models().back(), data = path("kinds.csv");
  const std::vector<std::string> guessed{"whether the first line is a header was read off the data",
                                         "what separates the cells was read off the data"};
  const Outcome outcome = run_tool({"evaluate", model, data, "--epsilon", "1", "--json"});
  EXPECT_EQ(parsed(outcome)["assumptions"], guessed);
  EXPECT_EQ(run_tool({"verify", write("ev.json", outcome.out)}).code, 0);
  EXPECT_EQ(parsed(run_tool({"evaluate", model, data, "--header", "--separator", ",", "--epsilon", "1",
                             "--json"}))["assumptions"],
            nlohmann::json::array());
  const std::vector<std::string> some_record{
      "that there is at least one record is taken to be public: a table without any is refused"};
  for (const std::string& with_schema : {path("m0.json"), path("m1.json")})
    EXPECT_EQ(evaluated(with_schema, data, true)["assumptions"], some_record);
}

// A header that is read as a record is named as one.
TEST_F(EvaluateClasses, ALabelThatIsNoneIsShownWithItsLine) {
  const std::string model = models()[1];
  const Outcome refused = run_tool({"evaluate", model, write("twice.csv", "x,z,kind\n" + rows())});
  EXPECT_NE(refused.err.find("twice.csv:2:1"), std::string::npos) << refused.err;
  const std::string labels = write("t.csv", "0,1,kind\n0,1,2\n");
  const Outcome number = run_tool({"evaluate", path("m2.json"), labels, "--no-header", "--target", "2"});
  EXPECT_NE(number.err.find(R"(t.csv:1:3: column "2": "kind" is not a class, expected one of "a", "b", "c")"),
            std::string::npos)
      << number.err;
}

class EvaluateHeadless : public EvaluateCommand {
 protected:
  // x, z and the label; `more` is put behind the cells of record `of`.
  static std::string rows(int of = -1, const std::string& more = "", const std::string& before_label = "") {
    std::string text;
    for (int k = 0; k < 400; ++k)
      text += fmt::format("{},{}{},{}{}\n", k % 20, k % 7, before_label, k % 20 < 10 ? "no" : "yes",
                          k == of ? more : "");
    return text;
  }
  std::string model(const std::string& header) const {
    const std::string schema = write("n.schema.json", R"({"columns": {
      "0": {"type": "numeric", "min": 0, "max": 20}, "1": {"type": "numeric", "min": 0, "max": 10}}})");
    const Outcome fitted = run_tool({"fit", write("n.csv", header + rows()), "--schema", schema, "--target",
                                     "-1", header.empty() ? "--no-header" : "--header", "--epsilon", "200",
                                     "--model", path("n.json")});
    EXPECT_EQ(fitted.code, 0) << fitted.err;
    return path("n.json");
  }
  double accuracy(const std::vector<std::string>& command) const {
    const Outcome outcome = run_tool(command);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return parsed(outcome)["accuracy"].get<double>();
  }
};

// However many cells a record has, the others are read as they would be without it.
TEST_F(EvaluateHeadless, TheFirstRecordDoesNotTellHowManyCellsTheOthersHave) {
  const std::string fitted = model("");
  for (const int of : {0, 5, 399}) {
    const std::string file = write("t.csv", rows(of, ",17"));
    EXPECT_GT(accuracy({"evaluate", fitted, file, "--json"}), 0.8) << of;
    EXPECT_GT(accuracy({"evaluate", fitted, file, "--epsilon", "20", "--json"}), 0.8) << of;
  }
}

// A header says where the last column is, whatever stands before it.
TEST_F(EvaluateHeadless, WithAHeaderTheLastColumnIsTheFiles) {
  const std::string fitted = model("0,1,lab\n");
  EXPECT_GT(accuracy({"evaluate", fitted, write("t.csv", "0,1,z,lab\n" + rows(-1, "", ",7")), "--header",
                      "--json"}),
            0.8);
}

}  // namespace
}  // namespace tacit::testing
