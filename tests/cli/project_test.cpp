#include <algorithm>

#include "tool.hpp"

// The page of a project beside its ledger: what was charged there, which model is judged, what is assumed.

namespace tacit::testing {
namespace {

class ProjectPage : public CliTest {
 protected:
  ProjectPage() : data(write_classes("data.csv")), schema(write_schema()), ledger(create("people.ledger")) {}
  std::string create(const std::string& name) const {
    EXPECT_EQ(run_tool({"ledger", "create", path(name), "--limit", "people=20"}).code, 0);
    return path(name);
  }
  // Runs the command, with what is given of a ledger, and keeps what it prints.
  std::string kept(const std::string& name, std::vector<std::string> command,
                   const std::vector<std::string>& charged) const {
    command.insert(command.end(), charged.begin(), charged.end());
    command.emplace_back("--json");
    return write(name, run_tool(command).out);
  }
  std::string described(const std::string& name, const std::vector<std::string>& charged) const {
    return kept(name, {"describe", data, "--schema", schema, "--epsilon", "5"}, charged);
  }
  std::string fitted(const std::string& name, const std::vector<std::string>& charged) const {
    std::vector<std::string> command{"fit",       data, "--schema", schema,
                                     "--epsilon", "1",  "--model",  path(name)};
    command.insert(command.end(), charged.begin(), charged.end());
    EXPECT_EQ(run_tool(command).code, 0);
    return path(name);
  }
  Outcome report(std::vector<std::string> files, const std::string& beside) const {
    files.insert(files.begin(), "report");
    files.insert(files.end(), {"--ledger", beside, "--output", path("page.html")});
    return run_tool(files);
  }
  nlohmann::json reported(std::vector<std::string> files) const {
    files.insert(files.begin(), "report");
    files.insert(files.end(), {"--ledger", ledger, "--json"});
    return nlohmann::json::parse(run_tool(files).out);
  }

  std::string data, schema, ledger;
};

TEST_F(ProjectPage, NamesWhatItsLedgerDoesNotCount) {
  const std::string model = fitted("m.json", {"--ledger", ledger}), free = described("free.json", {});
  const Outcome page = report({free, model}, ledger);
  EXPECT_EQ(page.code, 1);
  EXPECT_NE(page.err.find("free.json: not charged here: it was charged to no ledger"), std::string::npos)
      << page.err;
  const std::string html = read("page.html");
  EXPECT_NE(html.find("Not charged here: <bdi>free.json</bdi>."), std::string::npos);
  EXPECT_NE(html.find("comes on top"), std::string::npos);
  const nlohmann::json json = reported({free, model});
  EXPECT_EQ(json["all_charged"], false);
  EXPECT_TRUE(json["files"][0]["charged_to"].is_null());
  EXPECT_EQ(json["files"][1]["charged_to"], "people");
  EXPECT_EQ(report({model}, ledger).code, 0);
}

// Made once for these tests; they protect nothing.
constexpr const char* private_key =
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEII/VQZPorXTHMhYWPbMJd8gZJFiFjAs8ocvubiXpjbwT\n"
    "-----END PRIVATE KEY-----\n";
constexpr const char* public_key =
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAybDg8eaC7Z9MSJxgmOGcIb6QFDPNJnDjiZ3pi5b5iv0=\n"
    "-----END PUBLIC KEY-----\n";

TEST_F(ProjectPage, AKeyIsForEveryFile) {
  const std::string secret = write("k.pem", private_key), open = write("p.pem", public_key);
  const std::string model = fitted("m.json", {"--ledger", ledger, "--sign", secret});
  const std::string told = described("told.json", {"--ledger", ledger, "--sign", secret});
  const Outcome page = report({told, model, "--key", open}, ledger);
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_EQ(page.out.find("not checked"), std::string::npos) << page.out;
  EXPECT_EQ(read("page.html").find("not checked"), std::string::npos);
  EXPECT_EQ(reported({told, model, "--key", open})["files"][0]["signature"], "valid");
  EXPECT_EQ(run_tool({"report", told, "--key", open, "--output", path("page.html")}).code, 0);
  for (const std::string& bare :
       {fitted("bare.json", {"--ledger", ledger}), described("bare-told.json", {"--ledger", ledger})}) {
    const Outcome refused = report({told, bare, "--key", open}, ledger);
    EXPECT_EQ(refused.code, 1);
    EXPECT_NE(refused.err.find(".json: the file is not signed"), std::string::npos) << refused.err;
    EXPECT_EQ(refused.err.find(" told.json"), std::string::npos) << refused.err;
  }
}

TEST_F(ProjectPage, BeginsWithWhatAllReleasesTellTogether) {
  const std::string found = path("found.schema.json"), model = path("m.json");
  const std::string on_top = "what that cost comes on top";
  ASSERT_EQ(run_tool({"schema", data, "--target", "y", "--classes", "no,yes", "--epsilon", "2", "--ledger",
                      ledger, "--output", found})
                .code,
            0);
  ASSERT_EQ(
      run_tool({"fit", data, "--schema", found, "--epsilon", "1", "--ledger", ledger, "--model", model}).code,
      0);
  const Outcome both = report({found, model}, ledger);
  ASSERT_EQ(both.code, 0) << both.err;
  EXPECT_EQ(both.out.find(on_top), std::string::npos) << both.out;
  // Two searches may find the same, and only one of them be charged: which one it was is assumed.
  EXPECT_NE(both.out.find("m.json was made with the schema in found.schema.json, whose cost the ledger "
                          "counts, and not with an equal one of another search"),
            std::string::npos)
      << both.out;
  const std::string html = read("page.html");
  EXPECT_LT(html.find("for the whole of what was spent: epsilon = 3."), html.find("id=\"budget\""));
  EXPECT_NE(html.find("When one record is replaced by any other: epsilon = 6."), std::string::npos);
  // Without the schema's file nobody can tell that its cost is among the charges.
  EXPECT_NE(report({model}, ledger).out.find(on_top), std::string::npos);
  ASSERT_EQ(run_tool({"report", model, "--output", path("page.html")}).code, 0);
  EXPECT_NE(read("page.html").find("cost together, epsilon = 3, and rounded upwards"), std::string::npos);
}

TEST_F(ProjectPage, SaysThatSignaturesWereNotChecked) {
  const std::string secret = write("k.pem", private_key);
  const std::string model = fitted("m.json", {"--ledger", ledger, "--sign", secret});
  const std::string bare = described("bare.json", {"--ledger", ledger});
  const Outcome page = report({bare, model}, ledger);
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_NE(page.out.find("The signature of m.json was not checked"), std::string::npos) << page.out;
  EXPECT_NE(page.out.find("--key"), std::string::npos) << page.out;
  EXPECT_NE(read("page.html").find("The signature of <bdi>m.json</bdi> was not checked:"), std::string::npos);
  EXPECT_EQ(reported({bare, model})["files"][0]["signature"], "none");
  EXPECT_EQ(reported({bare, model})["files"][1]["signature"], "not checked");

  const Outcome alone = run_tool({"report", model, "--output", path("page.html")});
  EXPECT_EQ(alone.code, 0) << alone.err;
  EXPECT_NE(alone.out.find("The signature of m.json was not checked"), std::string::npos) << alone.out;
  EXPECT_NE(read("page.html").find("The signature of this file was not checked:"), std::string::npos);
  EXPECT_NE(run_tool({"verify", model}).out.find("The signature was not checked"), std::string::npos);
  EXPECT_EQ(run_tool({"report", bare, "--output", path("page.html")}).out.find("not checked"),
            std::string::npos);
}

// What a failed check has not read is not said: the file may well be charged, and tacit's.
TEST_F(ProjectPage, GivesNoReasonThatItDoesNotKnow) {
  const std::string told = described("told.json", {"--ledger", ledger});
  std::string edited = read("told.json");
  const std::string key = "\"digest\": \"";
  const std::size_t at = edited.find(key);
  ASSERT_NE(at, std::string::npos);
  edited.insert(at + key.size(), "9");
  write("told.json", edited);
  EXPECT_EQ(report({told}, ledger).code, 1);
  const std::string html = read("page.html");
  EXPECT_NE(html.find("not looked up: nothing is promised about the file"), std::string::npos);
  EXPECT_EQ(html.find("charged to no ledger"), std::string::npos);
  EXPECT_EQ(html.find("not what tacit wrote"), std::string::npos);
  const Outcome alone = run_tool({"report", told, "--output", path("page.html")});
  EXPECT_EQ(alone.code, 1);
  EXPECT_EQ(alone.err.find("told.json", alone.err.find("told.json") + 1), std::string::npos) << alone.err;
}

TEST_F(ProjectPage, NamesWhatAnotherLedgerCounts) {
  const std::string model = fitted("m.json", {"--ledger", create("others.ledger")});
  const Outcome page = report({model}, ledger);
  EXPECT_EQ(page.code, 1);
  EXPECT_NE(page.err.find("its charge is not in this ledger"), std::string::npos) << page.err;
}

// The same file twice is one release; a second file that names its charge is another.
TEST_F(ProjectPage, CountsEveryChargeForOneFile) {
  const std::string model = fitted("m.json", {"--ledger", ledger}), copy = write("copy.json", read("m.json"));
  EXPECT_EQ(report({model, copy}, ledger).code, 0);
}

TEST_F(ProjectPage, SaysWhichModelIsJudged) {
  const std::vector<std::string> charged{"--ledger", ledger};
  const std::string model = fitted("m.json", charged), other = fitted("other.json", charged);
  const std::string judged = kept("judged.json", {"evaluate", model, data, "--epsilon", "5"}, charged);
  ASSERT_EQ(report({model, other, judged}, ledger).code, 0);
  EXPECT_NE(read("page.html").find("It judges <bdi>m.json</bdi>."), std::string::npos);
  EXPECT_NE(read("page.html").find("Calibration of the model"), std::string::npos);
  EXPECT_EQ(reported({other, judged, model})["files"][1]["judges"], "m.json");
  ASSERT_EQ(report({other, judged}, ledger).code, 0);
  EXPECT_NE(read("page.html").find("It judges a model that is not among these files."), std::string::npos);
  EXPECT_NE(read("page.html").find("judges is not on this page"), std::string::npos);
}

// What the terminal says of the intervals, and the range itself, or what is known of it without the model.
TEST_F(ProjectPage, SaysToWhichRangeNumbersWereCut) {
  const std::string numbers =
      write("n.schema.json", R"({"columns": {"x1": {"type": "numeric", "min": -5, "max": 5},
    "y": {"type": "ignore"}}, "target": {"column": "x2", "min": -1.5, "max": 2}})");
  const std::string model = path("n.json"), judged = path("judged.json");
  const Outcome made = run_tool({"fit", data, "--schema", numbers, "--epsilon", "5", "--model", model});
  ASSERT_EQ(made.code, 0) << made.err;
  const Outcome told = run_tool({"evaluate", model, data, "--epsilon", "5", "--output", judged});
  ASSERT_EQ(told.code, 0) << told.err;
  EXPECT_NE(told.out.find("labels and predictions cut to the schema's range, with probability 0.95 each"),
            std::string::npos)
      << told.out;
  ASSERT_EQ(run_tool({"report", model, judged, "--output", path("page.html")}).code, 0);
  EXPECT_NE(read("page.html")
                .find("labels and predictions cut to the schema&#39;s range, -1.5 to 2, with "
                      "probability 0.95 each, over the noise."),
            std::string::npos);
  ASSERT_EQ(run_tool({"report", judged, "--output", path("page.html")}).code, 0);
  EXPECT_NE(read("page.html").find("cut to the schema&#39;s range, which is 3.5 wide, with probability"),
            std::string::npos);
}

TEST_F(ProjectPage, SaysWhatGroupsAssume) {
  const std::string grouped =
      write("g.schema.json", R"({"columns": {"x1": {"type": "numeric", "min": -5, "max": 5},
    "x2": {"type": "categorical", "categories": ["0"]}}, "target": {"column": "y", "classes": ["no", "yes"]}})");
  std::string rows = "x1,x2,y\n";
  for (int k = 0; k < 200; ++k) rows += std::to_string(k % 5) + ",0," + (k % 2 == 0 ? "no" : "yes") + "\n";
  ASSERT_EQ(run_tool({"fit", write("g.csv", rows), "--schema", grouped, "--group", "x2=0", "--epsilon", "1",
                      "--ledger", ledger, "--model", path("g.json")})
                .code,
            0);
  const char* what = "a neighbour keeps the column's value";
  const char* always = "the same value of the column in every release";
  const std::string shown = run_tool({"ledger", "show", ledger}).out;
  EXPECT_NE(shown.find(what), std::string::npos);
  EXPECT_NE(shown.find(always), std::string::npos) << shown;
  ASSERT_EQ(report({fitted("m.json", {"--ledger", ledger})}, ledger).code, 0);
  const std::string html = read("page.html");
  EXPECT_NE(html.find("a neighbour keeps the column&#39;s value"), std::string::npos) << html.substr(0, 3000);
  EXPECT_NE(html.find(always), std::string::npos);
  EXPECT_NE(html.find("assumed below"), std::string::npos);
}

TEST_F(ProjectPage, OfOneStatementOrOfALedgerAlone) {
  const std::string told = described("told.json", {"--ledger", ledger});
  EXPECT_EQ(run_tool({"report", told, "--output", path("page.html")}).code, 0);
  EXPECT_NE(read("page.html").find("Description: told.json"), std::string::npos);
  const Outcome alone = run_tool({"report", "--ledger", ledger, "--output", path("page.html")});
  EXPECT_EQ(alone.code, 0) << alone.err;
  EXPECT_NE(read("page.html").find("together spent epsilon = 5 of epsilon = 20"), std::string::npos);
  const Outcome nothing = run_tool({"report"});
  EXPECT_EQ(nothing.code, 64);
  EXPECT_NE(nothing.err.find("--ledger"), std::string::npos) << nothing.err;
}

// Numbers, noise and sensitivity are those of the steps within, on the page and in a plan.
TEST_F(ProjectPage, TellsTheStepsWithinSteps) {
  const std::string model = path("m.json");
  const std::vector<std::string> fit{"fit",       data, "--schema",    schema, "--encoder", "linear",
                                     "--epsilon", "1",  "--intervals", "0.9",  "--model",   model};
  const Outcome made = run_tool(fit);
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_NE(made.out.find("Intervals of level 0.9 are in the model: half widths"), std::string::npos)
      << made.out;
  ASSERT_EQ(run_tool({"report", model, "--output", path("page.html")}).code, 0);
  const std::string html = read("page.html");
  for (const char* row : {">1.1<", ">2.1<", ">isotropic-laplace<"})
    EXPECT_NE(html.find(row), std::string::npos) << row;
  EXPECT_NE(html.find("see within"), std::string::npos);
  EXPECT_EQ(html.find("<td>0</td><td>0</td>"), std::string::npos) << "no step has 0 numbers and noise 0";
  std::vector<std::string> plan = fit;
  plan.insert(plan.end(), {"--plan", "--records", "400"});
  const std::string told = run_tool(plan).out;
  EXPECT_NE(told.find("within it:\n  Step: isotropic-laplace"), std::string::npos) << told;
  EXPECT_EQ(told.find(", 0 numbers"), std::string::npos) << told;
}

// At epsilon = 0.2 the curvature of 400 records is noise.
TEST_F(ProjectPage, SaysWhereNoiseHidesTheCurvature) {
  const std::vector<std::string> fit{"fit",       data,  "--schema",    schema, "--encoder", "linear",
                                     "--epsilon", "0.2", "--intervals", "0.9",  "--model",   path("m.json")};
  const Outcome made = run_tool(fit);
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_NE(made.out.find("noise hides the curvature in "), std::string::npos) << made.out;
  EXPECT_NE(made.out.find(": a delta, more epsilon, more records or fewer features would"), std::string::npos)
      << "the encoder is linear: " << made.out;
  std::vector<std::string> curved = fit;
  curved[5] = "hats";
  curved.insert(curved.end(), {"--delta", "1e-6"});
  const std::string out = run_tool(curved).out;
  EXPECT_NE(out.find(": more epsilon, more records or fewer features (the encoder linear) would"),
            std::string::npos)
      << "a delta is there: " << out;
}

TEST_F(ProjectPage, DoesNotReplaceData) {
  const std::string model = fit_model(), before = read("data.csv");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"report", model, "--output", data},
        {"describe", write_classes("other.csv"), "--schema", schema, "--epsilon", "1", "--output", data},
        {"fit", write_classes("other.csv"), "--schema", schema, "--epsilon", "1", "--model", data}}) {
    const Outcome outcome = run_tool(command);
    EXPECT_EQ(outcome.code, 64) << command[0];
    EXPECT_NE(outcome.err.find("name another file"), std::string::npos) << outcome.err;
    EXPECT_EQ(read("data.csv"), before) << command[0];
  }
  EXPECT_EQ(run_tool({"report", model, "--output", path("page.html")}).code, 0);
  EXPECT_EQ(run_tool({"report", model, "--output", path("page.html")}).code, 0) << "a page replaces a page";
}

TEST_F(ProjectPage, StatementsAreKeptForVerify) {
  const Outcome told =
      run_tool({"describe", data, "--schema", schema, "--epsilon", "1", "--output", path("told.html")});
  ASSERT_EQ(told.code, 0) << told.err;
  EXPECT_NE(told.out.find("told.json"), std::string::npos) << told.out;
  EXPECT_EQ(run_tool({"verify", path("told.json")}).code, 0);
  const std::string first = read("told.json");
  const Outcome again = run_tool({"describe", data, "--schema", schema, "--epsilon", "1", "--ledger", ledger,
                                  "--output", path("told.html")});
  EXPECT_EQ(again.code, 64);
  EXPECT_NE(again.err.find("told.json exists; --force overwrites it"), std::string::npos) << again.err;
  EXPECT_EQ(read("told.json"), first);
  EXPECT_EQ(parsed(run_tool({"ledger", "show", ledger, "--json"}))["budgets"][0]["charges"].size(), 0U);
  const Outcome judged =
      run_tool({"evaluate", fit_model(), data, "--epsilon", "1", "--output", path("judged.json")});
  ASSERT_EQ(judged.code, 0) << judged.err;
  EXPECT_NE(judged.out.find("accuracy"), std::string::npos);
  EXPECT_EQ(run_tool({"verify", path("judged.json")}).code, 0);
  EXPECT_EQ(run_tool({"evaluate", path("model.json"), data, "--output", path("x.json")}).code, 64);
}

// 0.8 and 0.2 as doubles are a little more than 1, which a promise must say and a limit of 1 admits.
TEST_F(ProjectPage, SaysWhyItsTwoNumbersDiffer) {
  ASSERT_EQ(run_tool({"ledger", "create", path("one.ledger"), "--limit", "people=1"}).code, 0);
  for (const char* epsilon : {"0.8", "0.2"})
    ASSERT_EQ(
        run_tool({"describe", data, "--schema", schema, "--epsilon", epsilon, "--ledger", path("one.ledger")})
            .code,
        0);
  EXPECT_EQ(report({}, path("one.ledger")).code, 0);
  const std::string html = read("page.html");
  EXPECT_NE(html.find("spent epsilon = 1 of epsilon = 1"), std::string::npos);
  EXPECT_NE(html.find("epsilon = 1.00001"), std::string::npos);
  EXPECT_NE(html.find("The sum of the charges is 1.0000000000000002."), std::string::npos);
  EXPECT_NE(html.find("a limit holds to twelve digits"), std::string::npos);
  ASSERT_EQ(run_tool({"describe", data, "--schema", schema, "--epsilon", "0.5", "--ledger", ledger}).code, 0);
  EXPECT_EQ(report({}, ledger).code, 0);
  EXPECT_EQ(read("page.html").find("The sum of the charges is"), std::string::npos) << "both are 0.5";
}

TEST_F(ProjectPage, ShowsCoefficientsOfHashBucketsLast) {
  std::string rows = "job,x,y\n";
  for (int k = 0; k < 2000; ++k)
    rows +=
        "job" + std::to_string(k % 7) + ",0." + std::to_string(k % 10) + (k % 10 > 4 ? ",yes\n" : ",no\n");
  const std::string hashed =
      write("hashed.json", R"({"columns": {"job": {"type": "hashed", "buckets": 8, "missing": "none"},
                               "x": {"type": "numeric", "min": 0, "max": 1}},
                               "target": {"column": "y", "classes": ["no", "yes"]}})");
  ASSERT_EQ(run_tool({"fit", write("jobs.csv", rows), "--schema", hashed, "--epsilon", "1", "--encoder",
                      "linear", "--model", path("m.json")})
                .code,
            0);
  ASSERT_EQ(run_tool({"report", path("m.json"), "--output", path("page.html")}).code, 0);
  const std::string html = read("page.html"), table = html.substr(html.find("Coefficients of the model"));
  ASSERT_NE(table.find("job=#0"), std::string::npos);
  EXPECT_LT(table.find("<bdi>x</bdi>"), table.find("job=#0"));
}

class WholeProject : public CliTest {};

TEST_F(WholeProject, HasOnePage) {
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

}  // namespace
}  // namespace tacit::testing
