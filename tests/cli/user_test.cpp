#include <random>
#include <sstream>

#include "tool.hpp"

namespace tacit::testing {
namespace {

class UserTool : public CliTest {
 protected:
  // Visits of people: who,x1,x2,y, one class on each side of a line; records in no order of people.
  std::string write_visits(const std::string& name, int people, int each) const {
    std::mt19937 random(1);
    std::normal_distribution<> normal;
    std::ostringstream text;
    text << "who,x1,x2,y\n";
    for (int k = 0; k < each; ++k)
      for (int u = 0; u < people; ++u) {
        const double a = normal(random), b = normal(random);
        text << 'p' << u << ',' << a << ',' << b << ',' << (a - b + 0.3 * normal(random) > 0 ? "yes" : "no")
             << '\n';
      }
    return write(name, text.str());
  }

  Outcome fit(const std::string& data, std::vector<std::string> more) const {
    std::vector<std::string> words = {"fit",   data,      "--target", "y",       "--epsilon",
                                      "8",     "--delta", "1e-5",     "--model", path("model.json"),
                                      "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return run_tool(words);
  }
  static void refused(const Outcome& outcome, int code, const std::string& why) {
    EXPECT_EQ(outcome.code, code);
    EXPECT_NE(outcome.err.find(why), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
  }
};

TEST_F(UserTool, SaysWhyAFitWithoutPrivacyIsPlain) {
  const Outcome made = run_tool({"fit", write_visits("visits.csv", 100, 2), "--target", "y", "--user", "who",
                                 "--epsilon", "inf", "--model", path("model.json")});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_NE(made.out.find("(chosen: no privacy was asked for)"), std::string::npos) << made.out;
}

TEST_F(UserTool, FitsForTheUserAndVerifiesWithEveryMethod) {
  const std::string data = write_visits("visits.csv", 1500, 4);
  for (const std::string method : {"", "user-sgd", "user-phased", "user-erm", "user-group"}) {
    std::vector<std::string> more = {"--user",
                                     "who"};  // the usual cap of 100, far above the 4 that they hold
    if (method == "user-group") more.insert(more.end(), {"--records-per-user", "4"});
    if (!method.empty()) more.insert(more.end(), {"--method", method});
    const auto fitted = parsed(fit(data, more));
    EXPECT_EQ(fitted["unit"], "user");
    EXPECT_LE(fitted["guarantee"]["epsilon"], 8.0);
    const Outcome verified = run_tool({"verify", path("model.json")});
    EXPECT_EQ(verified.code, 0) << method << verified.err;
    const auto model = nlohmann::json::parse(read("model.json"));
    EXPECT_EQ(model["features"]["count"], 2) << "an id is not a feature";
    EXPECT_EQ(model["certificate"]["assumed_public"]["users"], 1500);
    // Fresh noise: 0.86 was the least of ten fits, 0.5 would be guessing.
    EXPECT_GT(parsed(run_tool({"evaluate", path("model.json"), data, "--json"}))["accuracy"], 0.7) << method;
    EXPECT_EQ(run_tool({"predict", path("model.json"), data}).code, 0);
  }
}

// A refusal says no more of the secret number than that it is larger.
TEST_F(UserTool, StatesNoNumberOfUsersThatIsSecret) {
  const std::string data = write_visits("visits.csv", 347, 2);
  for (const std::string method : {"user-sgd", "user-group"}) {
    const Outcome outcome = fit(data, {"--user", "who", "--method", method, "--user-count", "300"});
    refused(outcome, 64, "user-count is 300, but the data has more users");
    EXPECT_EQ(outcome.err.find("347"), std::string::npos) << outcome.err;
  }
  const Outcome records = run_tool({"fit", data, "--target", "y", "--method", "dp-sgd", "--epsilon", "8",
                                    "--delta", "1e-5", "--records", "300", "--model", path("model.json")});
  refused(records, 64, "records is 300, but the data has more records");
  EXPECT_EQ(records.err.find("694"), std::string::npos) << records.err;
}

// Whose record it is does not matter to a model that is used.
TEST_F(UserTool, EvaluatesAndPredictsWithoutTheUserColumn) {
  const std::string data = write_visits("visits.csv", 300, 2);
  parsed(fit(data, {"--user", "who"}));
  const std::string bare = write("bare.csv", "x1,x2,y\n1,-1,yes\n-1,1,no\n2,0,yes\n");
  EXPECT_EQ(run_tool({"evaluate", path("model.json"), bare}).code, 0);
  EXPECT_EQ(run_tool({"predict", path("model.json"), bare}).code, 0);
  refused(run_tool({"evaluate", path("model.json"), write("none.csv", "x1,x2\n1,2\n")}), 65,
          "name the one that holds the labels");
}

// Whatever told the fit whose record it is tells the evaluation, too; a record by itself is never the unit.
TEST_F(UserTool, JudgesAModelOfPeopleOnPeople) {
  const std::string data = write_visits("visits.csv", 300, 2), model = path("model.json");
  const std::string schema =
      write("visits.schema.json", R"({"columns": {"x1": {"type": "numeric", "min": -3, "max": 3},
    "x2": {"type": "numeric", "min": -3, "max": 3}}, "user": {"column": "who"},
    "target": {"column": "y", "classes": ["no", "yes"]}})");
  const std::string bare = write("bare.csv", "x1,x2,y\n1,-1,yes\n-1,1,no\n");
  for (const std::vector<std::string>& users :
       {std::vector<std::string>{"--schema", schema}, {"--user", "who"}}) {
    parsed(fit(data, users));
    const Outcome judged = run_tool({"evaluate", model, data, "--epsilon", "2", "--json"});
    const auto json = parsed(judged);
    EXPECT_EQ(json["unit"], "user") << users[0];
    EXPECT_EQ(json["certificate"]["assumed_public"]["users"], 300) << users[0];
    EXPECT_EQ(run_tool({"verify", write("judged.json", judged.out)}).code, 0);
    refused(run_tool({"evaluate", model, bare, "--epsilon", "2"}), 65, "no user column \"who\"");
  }
}

// A ledger of users is for what the method that is chosen for them protects.
TEST_F(UserTool, ALedgerOfUsersTakesTheUsualFit) {
  const std::string data = write_visits("visits.csv", 100, 2);
  ASSERT_EQ(run_tool({"ledger", "create", path("l"), "--limit", "people=9,1e-4", "--accountant", "approx",
                      "--unit", "user"})
                .code,
            0);
  EXPECT_EQ(fit(data, {"--user", "who", "--ledger", path("l"), "--method", "user-sgd"}).code, 0);
  // Proved for a person who is replaced, which covers one who is nobody: it is the budget that is spent.
  refused(fit(write_visits("many.csv", 400, 2),
              {"--user", "who", "--ledger", path("l"), "--method", "user-phased"}),
          77, "left of epsilon = 9");
}

// Points that must lie next to each other do not: the start point comes out, and everybody is told.
TEST_F(UserTool, SaysThatItHaltedWhereUsersDisagree) {
  const std::string data = write_visits("visits.csv", 500, 4);
  const std::vector<std::string> words = {"fit",
                                          data,
                                          "--target",
                                          "y",
                                          "--epsilon",
                                          "8",
                                          "--delta",
                                          "1e-5",
                                          "--user",
                                          "who",
                                          "--records-per-user",
                                          "4",
                                          "--method",
                                          "user-phased",
                                          "--spread",
                                          "1e-6",
                                          "--model",
                                          path("model.json")};
  EXPECT_NE(run_tool(words).out.find("halted in phase 1"), std::string::npos);
  const std::string page = run_tool({"report", path("model.json")}).out;
  for (const char* part : {"Beware:</strong> the fit halted in phase 1", "that all records of one person are",
                           "without any one person's records"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_EQ(page.find("contain the noise"), std::string::npos) << "there is none in zeros";
  EXPECT_EQ(parsed(fit(data, {"--user", "who", "--records-per-user", "4", "--method", "user-phased",
                              "--spread", "1e-6"}))["phases_passed"],
            0);
}

TEST_F(UserTool, NamesTheLineOfAMissingId) {
  refused(fit(write("bad.csv", "who,x,y\na,1,yes\n,2,no\nb,3,no\n"), {"--user", "who"}), 65, "bad.csv:3:1");
}

TEST_F(UserTool, RefusesTooFewUsersWithTheLeastNumber) {
  const std::string data = write_visits("few.csv", 20, 3);
  refused(fit(data, {"--user", "who", "--method", "user-phased"}), 69, "need at least");
  refused(fit(data, {"--user", "who", "--method", "user-erm"}), 69, "user-sgd");
}

TEST_F(UserTool, RefusesUsersWhereTheyDoNotBelong) {
  const std::string data = write_visits("visits.csv", 20, 3);
  refused(fit(data, {"--user", "who", "--method", "dp-sgd"}), 64, "protects single records");
  refused(fit(data, {"--method", "user-sgd"}), 64, "name the user column");
  refused(fit(data, {"--user", "nobody"}), 65, "no user column");
  refused(run_tool({"fit", write("a.libsvm", "1 1:2\n-1 1:3\n"), "--user", "0", "--epsilon", "1", "--delta",
                    "1e-5", "--loss", "logistic"}),
          64, "LIBSVM");
}

// Who names users in a schema means people as well.
TEST_F(UserTool, ASchemasUsersAreProtectedAsUsers) {
  const std::string data = write_visits("visits.csv", 200, 2);
  const std::string schema =
      write("visits.schema.json", R"({"columns": {"x1": {"type": "numeric", "min": -3, "max": 3},
    "x2": {"type": "numeric", "min": -3, "max": 3}}, "user": {"column": "who"},
    "target": {"column": "y", "classes": ["no", "yes"]}})");
  const auto fitted = parsed(fit(data, {"--schema", schema}));
  EXPECT_EQ(fitted["unit"], "user");
  refused(fit(data, {"--schema", schema, "--method", "dp-sgd"}), 64, "protects single records");
}

TEST_F(UserTool, ChargesALedgerWhoseUnitIsTheUserOnly) {
  const std::string data = write_visits("visits.csv", 100, 2);
  const auto create = [&](const std::string& unit) {
    return run_tool({"ledger", "create", path(unit), "--limit", "people=9,1e-4", "--accountant", "approx",
                     "--unit", unit, "--neighbours", "zero_out"});
  };
  ASSERT_EQ(create("item").code, 0);
  refused(fit(data, {"--user", "who", "--ledger", path("item")}), 64, "protects one record");
  ASSERT_EQ(create("user").code, 0);
  EXPECT_EQ(fit(data, {"--user", "who", "--ledger", path("user")}).code, 0);
}

// A draft says "ignore" of an id that nobody named as one.
TEST_F(UserTool, AnIgnoredColumnMayBeTheUserAndTheModelRemembersIt) {
  const std::string data = write_visits("visits.csv", 200, 2);
  const std::string schema =
      write("visits.schema.json", R"({"columns": {"who": {"type": "ignore"}, "x1": {"type": "numeric",
    "min": -3, "max": 3}, "x2": {"type": "numeric", "min": -3, "max": 3}, "y": {"type": "ignore"}},
    "target": {"column": "y", "classes": ["no", "yes"]}})");
  EXPECT_EQ(parsed(fit(data, {"--schema", schema, "--user", "who"}))["unit"], "user");
  EXPECT_EQ(nlohmann::json::parse(read("model.json"))["schema"]["user"]["column"], "who");
  const std::string bare = write("bare.csv", "x1,x2,y\n1,-1,yes\n-1,1,no\n");
  for (const std::string& file : {data, bare})
    for (const char* command : {"evaluate", "predict", "verify"}) {
      std::vector<std::string> words = {command, path("model.json")};
      if (words[0] != "verify") words.push_back(file);
      const Outcome outcome = run_tool(words);
      EXPECT_EQ(outcome.code, 0) << command << outcome.err;
    }
}

TEST_F(UserTool, AUserWhomTheSchemaDoesNotNameIsReadAgainFromTheSameFile) {
  const std::string data = write_visits("visits.csv", 200, 2);
  const std::string schema = write("s.json", R"({"columns": {"x1": {"type": "numeric", "min": -3, "max": 3},
    "x2": {"type": "numeric", "min": -3, "max": 3}}, "target": {"column": "y", "classes": ["no", "yes"]}})");
  for (const char* user : {"who", "0"}) {
    parsed(fit(data, {"--schema", schema, "--user", user}));
    const Outcome outcome = run_tool({"evaluate", path("model.json"), data});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }
}

// Of each of 30 people two records, those of `changed` on the other side of the line; the last `gone` people
// are not there.
class UserPairTool : public UserTool {
 protected:
  std::string people(const std::string& name, const std::vector<int>& changed, int gone) const {
    std::ostringstream text;
    text << "who,x1,x2,y\n";
    for (int k = 0; k < 2; ++k)
      for (int u = 0; u < 30 - gone; ++u) {
        const bool other = std::find(changed.begin(), changed.end(), u) != changed.end();
        text << 'p' << u << ',' << (other ? -1 : 1) * (0.1 + u % 7 / 10.0) << ",0.5,"
             << ((u + k) % 2 == 0 ? "yes" : "no") << '\n';
      }
    return write(name, text.str());
  }
  static Outcome audit(const std::string& first, const std::string& second, std::vector<std::string> more) {
    std::vector<std::string> words = {"audit",    "--epsilon", "1",      "--delta", "1e-5",
                                      "--target", "y",         "--pair", first,     second,
                                      "--runs",   "100",       "--json", "--method"};
    words.insert(words.end(), more.begin(), more.end());
    return run_tool(words);
  }
};

TEST_F(UserPairTool, AuditsAPairThatDiffersInOneUser) {
  for (const std::string method : {"user-sgd", "user-group"}) {
    std::vector<std::string> more = {method, "--user", "who"};
    if (method == "user-group") more.insert(more.end(), {"--records-per-user", "2"});
    const auto json = parsed(audit(people("a.csv", {}, 0), people("b.csv", {}, 1), more));
    EXPECT_EQ(json["pair"], "the pair of files");
    EXPECT_EQ(json["violated"], false);
    EXPECT_EQ(json["runs"], 100);
  }
}

TEST_F(UserPairTool, RefusesPairsThatAreNoNeighboursInOneLine) {
  const std::string first = people("a.csv", {}, 0);
  const std::vector<std::string> sgd = {"user-sgd", "--user", "who"},
                                 phased = {"user-phased", "--user", "who"};
  refused(audit(first, people("two.csv", {3, 8}, 0), phased), 65, "differ in more than one user");
  refused(audit(first, people("other.csv", {3}, 0), sgd), 65, "one more or less");
  refused(audit(first, people("less.csv", {}, 2), sgd), 65, "30 and 28 users");
  refused(audit(first, people("gone.csv", {}, 1), phased), 65, "as many");
  refused(audit(first, people("both.csv", {3}, 1), sgd), 65, "differ in more than one user");
  refused(audit(first, people("d.csv", {}, 1), {"user-sgd", "--user", "nobody"}), 65, "no user column");
}

}  // namespace
}  // namespace tacit::testing
