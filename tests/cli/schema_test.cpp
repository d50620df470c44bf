#include <algorithm>
#include <cmath>

#include "tool.hpp"

// Schemas: drafted, compared with data, and what those that were found privately cost.

namespace tacit::testing {
namespace {

class SchemaCommand : public CliTest {};

// What a schema cost comes on top, and is told before the fit and with the description.
TEST_F(SchemaCommand, APlanAndADescriptionTellWhatTheirSchemaCost) {
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

TEST_F(SchemaCommand, ASchemaIsNotOverwrittenUnlessForced) {
  const std::string data = write_classes("data.csv"), mine = write("mine.json", "edited by hand");
  EXPECT_EQ(run_tool({"schema", data, "--output", mine}).code, 64);
  EXPECT_EQ(read("mine.json"), "edited by hand");
  EXPECT_EQ(run_tool({"schema", data, "--output", mine, "--force"}).code, 0);
}

TEST_F(SchemaCommand, ADraftWarnsOfWhatNoSchemaShouldHave) {
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

TEST_F(SchemaCommand, AModelTellsWhatItsPrivateSchemaCostWhereverItsGuaranteeIsTold) {
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
      assumed = "the schema was found privately and is taken to be public: what that cost comes on top",
      names = "the names of the schema's columns are taken to be public";
  EXPECT_TRUE(certificate["assumed_public"]["schema_cost"].get<std::string>().starts_with(cost));
  EXPECT_NEAR(certificate["assumed_public"]["schema_epsilon"].get<double>(), 2, 1e-9);
  EXPECT_EQ(certificate["assumptions"], nlohmann::json::array({assumed, names}));
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
    EXPECT_EQ(json["assumptions"].size(), 2U) << command;
  }
  run_tool({"report", model, "--output", path("page.html")});
  const std::string page = read("page.html"), box = page.substr(0, page.find("<nav"));
  EXPECT_NE(box.find(cost), std::string::npos) << box;
  for (const char* what : {"Nothing is assumed about the data", "Everything on this page is public"})
    EXPECT_EQ(page.find(what), std::string::npos) << what;
  EXPECT_NE(page.find("The schema comes on top"), std::string::npos);
}

// Adding up is not for what protects something else; a relation that implies the other is.
TEST_F(SchemaCommand, WhatASchemaCostIsStatedForTheRelationOfTheFit) {
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

TEST_F(SchemaCommand, ASchemaIsComparedWithData) {
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

}  // namespace
}  // namespace tacit::testing
