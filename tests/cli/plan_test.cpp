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

  // Records of people: who,x1,y, so many of each; their schema is in people.json.
  std::string write_people(const std::string& name, int people, int each) const {
    write("people.json", R"({"columns": {"x1": {"type": "numeric", "min": -4, "max": 4}},
      "user": {"column": "who"}, "target": {"column": "y", "classes": ["no", "yes"]}})");
    std::string text = "who,x1,y\n";
    for (int k = 0; k < people * each; ++k)
      text += "p" + std::to_string(k % people) + "," + std::to_string(k % 7 - 3) +
              (k % 7 > 3 ? ",yes\n" : ",no\n");
    return write(name, text);
  }

  // The plan, what the fit said and the certificate that it wrote.
  static void expect_same(const nlohmann::json& told, const nlohmann::json& fitted,
                          const nlohmann::json& certificate, const std::string& of) {
    for (const char* key : {"guarantee", "unit", "neighbours", "replaced", "method", "assumptions"})
      EXPECT_EQ(told.value(key, nlohmann::json()), fitted.value(key, nlohmann::json())) << of << ": " << key;
    EXPECT_EQ(told["steps"], certificate["steps"]) << of;
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
    fit.insert(fit.end(), {"--model", path("model.json"), "--json"});
    const Outcome planned = run_tool(plan);  // there is no data yet
    ASSERT_EQ(planned.code, 0) << planned.err;
    write_classes("train.csv", 400);
    const Outcome fitted = run_tool(fit);
    ASSERT_EQ(fitted.code, 0) << fitted.err;
    const auto told = nlohmann::json::parse(planned.out);
    const auto certificate = nlohmann::json::parse(read("model.json"))["certificate"];
    expect_same(told, nlohmann::json::parse(fitted.out), certificate, request.back());
    EXPECT_EQ(told["options"], certificate["options"]) << request.back();
  }
}

// Users are what is counted, and what they hold is theirs.
TEST_F(Plan, OfUsersStatesWhatTheFitWillState) {
  const std::string data = write_people("people.csv", 600, 3);
  for (const std::vector<std::string>& request :
       {std::vector<std::string>{},
        {"--method", "user-sgd", "--weighting", "record", "--epochs", "3"},
        {"--method", "user-group", "--records-per-user", "3"},
        {"--method", "user-phased"},
        {"--method", "user-erm"},
        {"--neighbours", "add_remove"}}) {
    std::vector<std::string> plan{"fit", data,      "--schema", path("people.json"), "--json", "--epsilon",
                                  "8",   "--delta", "1e-5"};
    plan.insert(plan.end(), request.begin(), request.end());
    std::vector<std::string> fit = plan;
    plan.insert(plan.end(), {"--plan", "--user-count", "600"});
    fit.insert(fit.end(), {"--model", path("model.json")});
    if (!request.empty() && request.back() == "add_remove") fit.insert(fit.end(), {"--user-count", "600"});
    const auto told = parsed(run_tool(plan));
    const auto fitted = parsed(run_tool(fit));
    const auto certificate = nlohmann::json::parse(read("model.json"))["certificate"];
    expect_same(told, fitted, certificate, request.empty() ? "" : request.back());
    EXPECT_EQ(told["users"], 600);
    EXPECT_FALSE(told["steps"].empty());
    const std::string method = told["method"];
    const bool finds = method == "user-phased" || method == "user-erm";  // and states what, too
    EXPECT_EQ(told["options"] == certificate["options"], !finds) << method;
  }
}

TEST_F(Plan, OfUsersTakesTheirNumberAlone) {
  const std::string data = write_people("people.csv", 60, 3);
  const auto refused = [&](const std::vector<std::string>& more, const std::string& why) {
    std::vector<std::string> words{"fit",     data,   "--schema", path("people.json"), "--epsilon", "8",
                                   "--delta", "1e-5", "--plan"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run_tool(words);
    EXPECT_EQ(outcome.code, 64);
    EXPECT_NE(outcome.err.find(why), std::string::npos) << outcome.err;
  };
  refused({}, "the number of users, which nothing public says: state it by --user-count N");
  refused({"--records", "180"}, "leave out --records, and state the number of users by --user-count N");
}

TEST_F(Plan, SaysWhatTheFitsSummaryWillSay) {
  write("schema.json", R"({"drafted_from_data": true,
    "columns": {"x1": {"type": "numeric", "min": -4, "max": 4}, "g": {"type": "categorical", "categories": ["a", "b"]}},
    "target": {"column": "y", "classes": ["no", "yes"]}})");
  std::string text = "x1,g,y\n";
  for (int i = 0; i < 400; ++i)
    text += std::to_string(i % 7 - 3) + (i % 2 == 0 ? ",a," : ",b,") + (i % 7 > 3 ? "yes" : "no") + "\n";
  write("train.csv", text);
  const auto lines = [](const Outcome& outcome) {  // the promise and what it assumes
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::string kept;
    for (std::size_t at = 0; at < outcome.out.size();) {
      const std::size_t end = outcome.out.find('\n', at) + 1;
      const std::string line = outcome.out.substr(at, end - at);
      if (line.starts_with("Pure differential") || line.starts_with("Assumed: ")) kept += line;
      at = end;
    }
    return kept;
  };
  const std::string planned =
      lines(run_tool(asked({"--epsilon", "5", "--group", "g=a", "--plan", "--records", "200"})));
  for (const char* told : {"replaced by any other", "the group g=a alone", "Assumed: the schema was drafted",
                           "Assumed: the records are those of one group"})
    EXPECT_NE(planned.find(told), std::string::npos) << told << '\n' << planned;
  EXPECT_EQ(planned, lines(run_tool(asked({"--epsilon", "5", "--group", "g=a", "--model", path("m.json")}))));

  // So does `verify`, of the group by its name.
  const Outcome verified = run_tool({"verify", path("m.json")});
  EXPECT_NE(verified.out.find("the group g=a alone"), std::string::npos) << verified.out;
  const auto json = parsed(run_tool({"verify", path("m.json"), "--json"}));
  EXPECT_EQ(json["group"], (nlohmann::json{{"column", "g"}, {"value", "a"}}));
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
  EXPECT_NE(unknown.err.find("state it by --records N"), std::string::npos) << unknown.err;
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

// The target has no range, so that its size would be chosen privately.
TEST_F(Plan, RefusesTooFewRecordsAsTheFitDoes) {
  write_classes("train.csv", 400);
  write("schema.json", R"({"columns": {"x1": {"type": "numeric", "min": -5, "max": 5},
    "y": {"type": "ignore"}}, "target": {"column": "x2"}})");
  for (const char* method : {"limited-objective", "limited-output"}) {
    std::vector<std::string> fit = asked({"--epsilon", "0.1", "--method", method}), plan = fit;
    fit.insert(fit.end(), {"--model", path("model.json")});
    plan.insert(plan.end(), {"--plan", "--records", "400"});
    const Outcome fitted = run_tool(fit), planned = run_tool(plan);
    EXPECT_EQ(fitted.code, 69) << fitted.err;
    EXPECT_EQ(planned.code, 69) << planned.out;
    EXPECT_EQ(planned.err, fitted.err);
    plan.back() = "40000";
    EXPECT_EQ(run_tool(plan).code, 0) << run_tool(plan).err;
  }
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

// What names and marks alone refuse, the records being elsewhere.
TEST_F(Plan, RefusesAnotherTargetOrDecimalMarkThanTheSchemas) {
  write_classes("train.csv");
  write_schema();
  for (const auto& [flag, value, said] :
       {std::tuple("--target", "nonsense",
                   "the target column is given as \"nonsense\", but the schema says \"y\"")}) {
    for (const bool plan : {true, false}) {
      std::vector<std::string> command = asked({"--epsilon", "1", flag, value});
      if (plan) command.insert(command.end(), {"--plan", "--records", "400"});
      const Outcome refused = run_tool(command);
      EXPECT_EQ(refused.code, 64) << plan;
      EXPECT_NE(refused.err.find(said), std::string::npos) << refused.err;
    }
  }
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
