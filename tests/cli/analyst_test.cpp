#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tool.hpp"

// The analyst's day: describe, evaluate, check a schema; and what newcomers met.

namespace tacit::testing {
namespace {

class Analyst : public CliTest {};
class LongAnalystDay : public CliTest {};

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

TEST_F(Analyst, ADescriptionNeedsAFiniteEpsilon) {
  const std::string data = write_classes("data.csv");
  EXPECT_EQ(run_tool({"describe", data, "--schema", write_schema(), "--epsilon", "inf"}).code, 64);
  EXPECT_EQ(run_tool({"describe", data, "--epsilon", "inf"}).code, 64);
}

// Within the same epsilon, with one charge.
TEST_F(Analyst, ADescriptionWithoutASchemaFindsOne) {
  const std::string data = write_classes("data.csv"), ledger = path("people.ledger");
  ASSERT_EQ(run_tool({"ledger", "create", ledger, "--limit", "people=20"}).code, 0);
  const Outcome found = run_tool({"describe", data, "--epsilon", "20", "--range-share", "0.4", "--ledger",
                                  ledger, "--output", path("page.html")});
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_NE(found.out.find("Of this, epsilon = 8 found the schema and epsilon = 12 the numbers."),
            std::string::npos)
      << found.out;
  EXPECT_EQ(run_tool({"verify", path("page.json")}).code, 0);
  EXPECT_NE(read("page.html").find("found the schema"), std::string::npos);
  EXPECT_EQ(run_tool({"describe", data, "--epsilon", "1", "--ledger", ledger}).code, 77);
  const Outcome both =
      run_tool({"describe", data, "--schema", write_schema(), "--epsilon", "1", "--range-share", "0.4"});
  EXPECT_EQ(both.code, 64);
  EXPECT_NE(both.err.find("the schema states the ranges"), std::string::npos) << both.err;
  // A first line that may be a record is not taken for names.
  EXPECT_NE(run_tool({"describe", write("bare.csv", "1,2\n3,4\n"), "--epsilon", "1"}).code, 0);
}

// What a schema cost comes on top, and is told before the fit and with the description.
TEST_F(Analyst, APlanAndADescriptionTellWhatTheirSchemaCost) {
  const std::string data = write_classes("data.csv"), schema = path("found.json");
  ASSERT_EQ(
      run_tool({"schema", data, "--target", "y", "--epsilon", "30", "--delta", "1e-6", "--output", schema})
          .code,
      0);
  const std::vector<std::string> plan{"fit", data,     "--schema",  schema, "--epsilon",
                                      "2",   "--plan", "--records", "400"};
  const Outcome planned = run_tool(plan);
  ASSERT_EQ(planned.code, 0) << planned.err;
  EXPECT_NE(planned.out.find("The schema was found privately, too: epsilon = "), std::string::npos);
  EXPECT_NE(planned.out.find("together with this model"), std::string::npos) << planned.out;
  std::vector<std::string> as_json = plan;
  as_json.emplace_back("--json");
  const nlohmann::json cost = parsed(run_tool(as_json))["schema_cost"];
  EXPECT_NEAR(cost["schema"]["epsilon"].get<double>(), 30, 0.1);
  EXPECT_NEAR(cost["together"]["epsilon"].get<double>(), 32, 0.1);
  EXPECT_EQ(cost["together"]["delta"], 1e-6);
  const Outcome described = run_tool({"describe", data, "--schema", schema, "--epsilon", "2"});
  EXPECT_NE(described.out.find("together with this description"), std::string::npos) << described.out;
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

TEST_F(Analyst, ADraftWarnsOfWhatNoSchemaShouldHave) {
  std::string rows = "id,name,when,price,job,y\n";
  for (int k = 0; k < 60; ++k) {
    const std::string n = std::to_string(k), digit = std::to_string(k % 10);
    rows += std::to_string(100 + k) + ",person" + n + ",2024-01-1" + digit + ",\"" + digit + ",5\"," +
            (k % 2 == 0 ? "a" : "b") + "," + digit + "\n";
  }
  const Outcome draft = run_tool({"schema", write("d.csv", rows), "--target", "y"});
  ASSERT_EQ(draft.code, 0) << draft.err;
  for (const char* what : {"\"id\" counts up", "\"name\" has 60 different texts in 60 records",
                           "\"when\" holds dates", "\"price\" holds numbers with a decimal comma"})
    EXPECT_NE(draft.err.find(what), std::string::npos) << what << ":\n" << draft.err;
  EXPECT_EQ(draft.err.find("\"job\""), std::string::npos) << draft.err;
  EXPECT_EQ(std::count(draft.err.begin(), draft.err.end(), '\n'), 4) << "one line each";
}

TEST_F(Analyst, AModelTellsWhatItsPrivateSchemaCostWhereverItsGuaranteeIsTold) {
  const std::string data = write_classes("data.csv", 4000), schema = path("found.json"),
                    model = path("model.json");
  ASSERT_EQ(
      run_tool({"schema", data, "--target", "y", "--epsilon", "2", "--classes", "no,yes", "--output", schema})
          .code,
      0);
  const Outcome fit = run_tool({"fit", data, "--schema", schema, "--epsilon", "3", "--model", model});
  ASSERT_EQ(fit.code, 0) << fit.err;
  const auto certificate = nlohmann::json::parse(read("model.json"))["certificate"];
  const std::string
      cost = "epsilon = 2 for the schema, epsilon = 5 together with this model (epsilon = ",
      assumed = "the schema was found privately and is taken to be public: what that cost comes on top";
  EXPECT_TRUE(certificate["assumed_public"]["schema_cost"].get<std::string>().starts_with(cost));
  EXPECT_NEAR(certificate["assumed_public"]["schema_epsilon"].get<double>(), 2, 1e-9);
  EXPECT_EQ(certificate["assumptions"], nlohmann::json::array({assumed}));
  const Outcome verified = run_tool({"verify", model});
  EXPECT_EQ(verified.code, 0) << verified.err;
  for (const std::string& told : {fit.out, verified.out}) {
    EXPECT_NE(told.find(cost), std::string::npos) << told;
    EXPECT_NE(told.find("Assumed: " + assumed), std::string::npos) << told;
  }
  for (const char* command : {"verify", "report"}) {
    const auto json = parsed(run_tool({command, model, "--json"}));
    const auto cost_of = [&](const char* what) { return json["schema_cost"][what]["epsilon"].get<double>(); };
    EXPECT_NEAR(cost_of("schema"), 2, 1e-9) << command;
    EXPECT_NEAR(cost_of("together"), cost_of("schema") + json["guarantee"]["epsilon"].get<double>(), 1e-14)
        << command;
    EXPECT_NEAR(cost_of("replaced"), 2 * cost_of("schema") + json["replaced"]["epsilon"].get<double>(), 1e-14)
        << command;
    EXPECT_EQ(json["assumptions"].size(), 1U) << command;
  }
  run_tool({"report", model, "--output", path("page.html")});
  const std::string page = read("page.html"), box = page.substr(0, page.find("<nav"));
  EXPECT_NE(box.find(cost), std::string::npos) << box;
  for (const char* what : {"Nothing is assumed about the data", "Everything on this page is public"})
    EXPECT_EQ(page.find(what), std::string::npos) << what;
  EXPECT_NE(page.find("The schema comes on top"), std::string::npos);
}

// Adding up is not for what protects something else; a relation that implies the other is.
TEST_F(Analyst, WhatASchemaCostIsStatedForTheRelationOfTheFit) {
  const std::string data = write_classes("data.csv", 4000), schema = path("found.json"),
                    model = path("model.json");
  const auto cost_of = [&](const std::string& relation, const std::string& other,
                           const std::vector<std::string>& budget) {
    run_tool({"schema", data, "--target", "y", "--epsilon", "2", "--classes", "no,yes", "--output", schema,
              "--force", "--neighbours", relation});
    std::vector<std::string> fit{"fit", data,       "--schema",       schema,         "--model",
                                 model, "--method", "limited-output", "--neighbours", other};
    if (other == "add_remove") fit.insert(fit.end(), {"--records", "4000"});
    fit.insert(fit.end(), budget.begin(), budget.end());
    EXPECT_EQ(run_tool(fit).code, 0);
    return parsed(run_tool({"verify", model, "--json"}))["schema_cost"];
  };
  const std::vector<std::string> pure{"--epsilon", "3"};
  EXPECT_NEAR(cost_of("zero_out", "replace_one", pure)["together"]["epsilon"].get<double>(), 7, 1e-9);
  EXPECT_NEAR(cost_of("replace_one", "zero_out", pure)["together"]["epsilon"].get<double>(), 5, 1e-9);
  const auto apart = cost_of("zero_out", "add_remove", pure);
  EXPECT_FALSE(apart.contains("together")) << apart;
  EXPECT_NE(apart["sentence"].get<std::string>().find("zero_out neighbours, which does not add up"),
            std::string::npos)
      << apart;
  // 2·Phi^-1(e²/(1 + e²)) = 2.35796…
  EXPECT_NEAR(cost_of("zero_out", "zero_out", {"--mu", "1"})["together"]["mu"].get<double>(),
              std::hypot(1, 2.35796), 1e-5);
}

TEST_F(Analyst, AProjectHasOnePage) {
  const std::string data = write_classes("data.csv", 2000), schema = write_schema(),
                    ledger = path("l.ledger");
  ASSERT_EQ(run_tool({"ledger", "create", ledger, "--limit", "people=4"}).code, 0);
  const Outcome described =
      run_tool({"describe", data, "--schema", schema, "--epsilon", "1", "--ledger", ledger, "--json"});
  const std::string model = path("model.json");
  ASSERT_EQ(run_tool({"fit", data, "--schema", schema, "--epsilon", "2", "--ledger", ledger, "--intervals",
                      "0.9", "--encoder", "linear", "--model", model})
                .code,
            0);
  const Outcome judged = run_tool({"evaluate", model, data, "--epsilon", "1", "--ledger", ledger, "--json"});
  const std::string description = write("description.json", described.out),
                    evaluation = write("evaluation.json", judged.out);
  const Outcome page = run_tool(
      {"report", description, model, evaluation, "--ledger", ledger, "--output", path("project.html")});
  ASSERT_EQ(page.code, 0) << page.err;
  const std::string html = read("project.html");
  for (const char* what : {"spent epsilon = 4 of epsilon = 4", "What each column adds",
                           "Of the population, 90 %", "accuracy", "quantile 0.5", "Charges to people"})
    EXPECT_NE(html.find(what), std::string::npos) << what;
  EXPECT_LT(html.find(">Evaluation: evaluation.json<"), html.find(">Model: model.json<"))
      << "how good it is comes before its numbers";
  const auto json =
      parsed(run_tool({"report", description, model, evaluation, "--ledger", ledger, "--json"}));
  EXPECT_EQ(json["holds"], true);
  EXPECT_EQ(json["files"].size(), 3U);

  std::string forged = described.out;
  forged.replace(forged.find("\"confidence\": 0.95"), 18, "\"confidence\": 0.99");
  const Outcome broken =
      run_tool({"report", write("forged.json", forged), model, "--output", path("broken.html")});
  EXPECT_EQ(broken.code, 1);
  EXPECT_NE(read("broken.html").find("Nothing is promised about <bdi>forged.json"), std::string::npos);

  std::string edited = read("model.json");
  edited.replace(edited.find("\"x1\""), 4, "\"x9\"");
  const Outcome damaged =
      run_tool({"report", write("edited.json", edited), description, "--output", path("damaged.html")});
  EXPECT_EQ(damaged.code, 1);
  EXPECT_NE(damaged.err.find("edited.json: the digest does not hold"), std::string::npos) << damaged.err;
  EXPECT_EQ(read("damaged.html").find("x9"), std::string::npos) << "nothing of it is shown";
  EXPECT_NE(read("damaged.html").find("quantile 0.5"), std::string::npos) << "the other file is";
  const auto told =
      nlohmann::json::parse(run_tool({"report", path("edited.json"), description, "--json"}).out);
  EXPECT_EQ(told["files"][0]["private"], false);
  EXPECT_EQ(told["files"][1]["private"], true);
}

// The whole day in one script, on Adult: under one ledger, every file verified.
TEST_F(LongAnalystDay, GoesFromARawTableToAPage) {
  const std::string command = "TACIT='" TACIT_TOOL "' sh '" TACIT_SOURCE_DIR
                              "/examples/analyst_day.sh' '" TACIT_SOURCE_DIR
                              "/examples/data/adult.train.csv.gz' income '" +
                              path("day") + "' > '" + path("log") + "' 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0) << read("log");
  const auto judged = nlohmann::json::parse(read("day/evaluation.json"));
  EXPECT_GT(judged["accuracy"], 0.83) << "a constant has 0.76";
  EXPECT_LT(judged["intervals"]["accuracy"][0], judged["accuracy"]);
  for (const char* file : {"schema.json", "description.json", "model.json", "evaluation.json"})
    EXPECT_EQ(run_tool({"verify", path(std::string("day/") + file)}).code, 0) << file;
  EXPECT_NE(read("day/project.html").find("spent epsilon = 2, delta = <span class=\"number\">5e-07</span>"),
            std::string::npos);
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
  says({"fit", write("data.foo", "x"), "--target", "y", "--epsilon", "1"}, "give --format csv");
  says({"fit", path("nowhere.csv"), "--epsilon", "1"}, "no such file");
  const std::string schema = write_schema();
  says({"fit", data, "--schema", schema, "--epsilon", "1", "--plan"}, "--records N");
  says({"fit", data, "--target", "y", "--user", "x1", "--epsilon", "1", "--delta", "1e-5", "--intervals",
        "0.9"},
       "make one record of each user's and fit those as records, or leave them out");
  says({"fit", data, "--target", "y", "--user", "x1", "--epsilon", "1", "--delta", "1e-5", "--method",
        "user-sgd", "--intervals", "0.9"},
       "make one record of each user's");
  run_tool({"ledger", "create", path("l.ledger"), "--limit", "people=4"});
  says({"fit", data, "--schema", schema, "--epsilon", "1", "--delta", "1e-6", "--ledger", path("l.ledger")},
       "the accountant approx");
}

TEST_F(Analyst, AFitSaysThatItReplacesAModel) {
  const std::string data = write_classes("data.csv"), schema = write_schema();
  const std::vector<std::string> fit{"fit",       data, "--schema", schema,
                                     "--epsilon", "1",  "--model",  path("m.json")};
  EXPECT_EQ(run_tool(fit).out.find("in place of what was there"), std::string::npos);
  EXPECT_NE(run_tool(fit).out.find("in place of what was there"), std::string::npos);
}

// Its rows are as they are, one of them far away: a rate may be infinite, and the fit says so.
TEST_F(Analyst, RatesOfNumbersAsTheyAreComeWithAWarning) {
  std::string rows = "x,y\n";
  for (int k = 0; k < 2000; ++k)
    rows += (k == 7 ? "100000" : std::to_string(k % 10)) + "," + std::to_string(k % 5) + "\n";
  const std::string data = write("d.csv", rows);
  const auto said = [&](std::vector<std::string> more) {
    std::vector<std::string> all{"fit",     data,        "--target", "y",       "--loss",
                                 "poisson", "--epsilon", "5",        "--model", path("m.json")};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome fit = run_tool(all);
    EXPECT_EQ(fit.code, 0) << fit.err;
    return fit.out;
  };
  EXPECT_NE(said({"--range-share", "0"}).find("infinite one; give a schema"), std::string::npos);
  EXPECT_EQ(said({}).find("infinite"), std::string::npos) << "ranges are found";
  const auto found = parsed(run_tool({"evaluate", path("m.json"), data, "--json"}));
  EXPECT_LT(found["rmse"], 10);
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
