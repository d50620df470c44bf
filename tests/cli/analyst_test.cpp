#include <gtest/gtest.h>

#include "tool.hpp"

// The analyst's day: describe, evaluate, check a schema; and what newcomers met.

namespace tacit::testing {
namespace {

class Analyst : public CliTest {};

TEST_F(Analyst, DescribesATableAndItsStatementIsVerified) {
  const std::string data = write_classes("data.csv"), schema = write_schema();
  const Outcome found = run_tool(
      {"describe", data, "--schema", schema, "--epsilon", "1", "--json", "--output", path("page.html")});
  ASSERT_EQ(found.code, 0) << found.err;
  const nlohmann::json json = parsed(found);
  EXPECT_EQ(json["private"], true);
  EXPECT_EQ(json["count"]["value"], 400);
  EXPECT_TRUE(json["columns"]["x1"].contains("quantiles"));
  EXPECT_NE(read("page.html").find("<svg"), std::string::npos);
  EXPECT_EQ(run_tool({"verify", write("d.json", found.out)}).code, 0);
  std::string edited = found.out;
  edited.replace(edited.find("\"confidence\": 0.95"), 18, "\"confidence\": 0.99");
  EXPECT_NE(run_tool({"verify", write("e.json", edited)}).code, 0);
}

TEST_F(Analyst, ADescriptionNeedsASchemaAndAFiniteEpsilon) {
  const std::string data = write_classes("data.csv");
  EXPECT_NE(run_tool({"describe", data, "--epsilon", "1"}).err.find("--schema"), std::string::npos);
  EXPECT_EQ(run_tool({"describe", data, "--schema", write_schema(), "--epsilon", "inf"}).code, 64);
}

TEST_F(Analyst, AnEvaluationTakesLabelsAsTheyAre) {
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

TEST_F(Analyst, AnEvaluationHasAucConstantAndPrivateIntervals) {
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

TEST_F(Analyst, ASchemaIsNotOverwrittenUnlessForced) {
  const std::string data = write_classes("data.csv"), mine = write("mine.json", "edited by hand");
  EXPECT_EQ(run_tool({"schema", data, "--output", mine}).code, 64);
  EXPECT_EQ(read("mine.json"), "edited by hand");
  EXPECT_EQ(run_tool({"schema", data, "--output", mine, "--force"}).code, 0);
}

TEST_F(Analyst, ASchemaIsComparedWithData) {
  const std::string data = write("d.csv", "age,job,y\n10,a,0\n200,b,1\n,c,1\nx,a,0\n");
  const std::string schema = write("s.json", R"({"columns": {"age": {"type": "numeric", "min": 0, "max": 100},
      "job": {"type": "categorical", "categories": ["a", "d"]}}, "target": {"column": "y", "classes": ["0", "1"]}})");
  const nlohmann::json json = parsed(run_tool({"schema", data, "--check", schema, "--json"}));
  EXPECT_EQ(json["private"], false);
  EXPECT_NEAR(json["columns"]["age"]["outside_share"].get<double>(), 2.0 / 3, 1e-12);
  EXPECT_EQ(json["columns"]["age"]["missing_share"], 0.25);
  EXPECT_EQ(json["columns"]["job"]["unmatched_categories"], (nlohmann::json{"b", "c"}));
  EXPECT_EQ(json["columns"]["job"]["unseen_categories"], (nlohmann::json{"d"}));
  EXPECT_EQ(json["columns"]["y"]["outside_share"], 0);
}

TEST_F(Analyst, StatementsSayWhichPrivacyTheyTake) {
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

TEST_F(Analyst, OneRecordIsOneRecord) {
  const Outcome outcome = run_tool({"evaluate", fit_model(), write_classes("one.csv", 1)});
  EXPECT_NE(outcome.out.find("Measured on 1 record as it is"), std::string::npos) << outcome.out;
}

// There is no AUC of one class, and the release must not tell: the interval is that of any other noise.
TEST_F(Analyst, AnEvaluationOfOneClassKeepsItToItself) {
  std::string rows = "x1,x2,y\n";
  for (int k = 0; k < 50; ++k) rows += "0.9,0.8,yes\n";
  const nlohmann::json json =
      parsed(run_tool({"evaluate", fit_model(), write("ones.csv", rows), "--epsilon", "0.5", "--json"}));
  EXPECT_EQ(json["intervals"]["auc"], (nlohmann::json{0.0, 1.0}));
}

TEST_F(Analyst, AReportSaysWhatACoefficientOfACurveIs) {
  const std::string data = write_classes("data.csv");
  const auto report = [&](const char* encoder) {
    EXPECT_EQ(run_tool({"fit", data, "--schema", write_schema(), "--epsilon", "5", "--encoder", encoder,
                        "--model", path("m.json")})
                  .code,
              0);
    EXPECT_EQ(run_tool({"report", path("m.json"), "--output", path("r.html")}).code, 0);
    return read("r.html");
  };
  const std::string curves = report("hats"), lines = report("linear");
  EXPECT_NE(curves.find("is the height of that column's curve at the point"), std::string::npos);
  EXPECT_EQ(curves.find("its whole range in the schema"), std::string::npos);
  EXPECT_EQ(lines.find("is the height of that column's curve"), std::string::npos);
  EXPECT_NE(lines.find("its whole range in the schema"), std::string::npos);
}

TEST_F(Analyst, ErrorsNameTheRemedy) {
  const std::string data = write_classes("data.csv");
  const auto says = [&](std::vector<std::string> arguments, const char* what) {
    const Outcome outcome = run_tool(arguments);
    EXPECT_NE(outcome.code, 0);
    EXPECT_NE(outcome.err.find(what), std::string::npos) << outcome.err;
  };
  says({"fit", data, "--target", "y", "--user", "x1", "--epsilon", "1"}, "give a delta too");
  says({"fit", data, "--target", "y", "--method", "dp-sgd", "--epsilon", "1"}, "give a delta too");
  says({"fit", write("data.foo", "x"), "--target", "y", "--epsilon", "1"}, "state it: csv");
  says({"fit", path("nowhere.csv"), "--epsilon", "1"}, "no such file");
}

TEST_F(Analyst, OptionsOfUsersAreKnownWhereTheSchemaNamesTheirColumn) {
  std::string rows = "x,who,y\n";
  for (int k = 0; k < 100; ++k)
    rows += std::to_string(k % 10) + "," + std::to_string(k % 20) + (k % 10 < 5 ? ",a\n" : ",b\n");
  const std::string schema = write("s.json", R"({"columns": {"x": {"type": "numeric", "min": 0, "max": 10}},
      "target": {"column": "y", "classes": ["a", "b"]}, "user": {"column": "who"}})");
  const Outcome outcome = run_tool({"fit", write("d.csv", rows), "--schema", schema, "--epsilon", "3",
                                    "--delta", "1e-3", "--records-per-user", "3", "--model", path("m.json")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(Analyst, AWeakPromiseIsCalledOne) {
  const std::string data = write_classes("data.csv"), schema = write_schema();
  const Outcome much =
      run_tool({"fit", data, "--schema", schema, "--epsilon", "1000", "--model", path("m.json")});
  EXPECT_NE(much.out.find("next to nothing"), std::string::npos) << much.out;
  const Outcome large = run_tool(
      {"fit", data, "--schema", schema, "--epsilon", "1", "--delta", "0.1", "--model", path("m.json")});
  EXPECT_NE(large.out.find("delta = 0.1 is more than"), std::string::npos) << large.out;
  const Outcome usual =
      run_tool({"fit", data, "--schema", schema, "--epsilon", "1", "--model", path("m.json")});
  EXPECT_EQ(usual.out.find("next to nothing"), std::string::npos);
}

}  // namespace
}  // namespace tacit::testing
