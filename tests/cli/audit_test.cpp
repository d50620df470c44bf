#include <algorithm>
#include <chrono>
#include <sstream>

#include "tool.hpp"

namespace tacit::testing {
namespace {

class AuditTool : public CliTest {
 protected:
  // A file of 40 records, `changed` of which are outliers.
  std::string table(const std::string& name, int records, int changed) const {
    std::ostringstream text;
    text << "x1,x2,y\n";
    for (int i = 0; i < records; ++i)
      if (i < changed)
        text << "1,1,no\n";
      else
        text << (i % 10) / 10.0 << ",0.5," << (i % 10 < 5 ? "no" : "yes") << '\n';
    return write(name, text.str());
  }
  std::vector<std::string> audit_of_pair(const std::string& first, const std::string& second,
                                         const std::string& relation) const {
    return {"audit", "--epsilon", "1",   "--schema", write_schema(), "--pair", first,
            second,  "--runs",    "200", "--json",   "--neighbours", relation};
  }
};

TEST_F(AuditTool, OnATerminalSaysHowMuchIsDoneAndHowLongTheRestTakes) {
  // The bar appears after a second, and machines differ in speed: the first audit that takes three must show
  // it.
  using Clock = std::chrono::steady_clock;
  for (int runs = 1000; runs <= 256000; runs *= 4) {
    const auto start = Clock::now();
    const Outcome outcome = run_tool({"audit", "--method", "posterior-exact", "--epsilon", "1", "--threads",
                                      "1", "--runs", std::to_string(runs)},
                                     true);
    const auto took = Clock::now() - start;
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    if (took < std::chrono::seconds(3)) continue;
    EXPECT_NE(outcome.err.find("auditing, step "), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(" of " + std::to_string(2 * runs) + ", "), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(" s left"), std::string::npos) << outcome.err;
    return;
  }
  FAIL() << "no audit took three seconds";
}

TEST_F(AuditTool, PassesTheDefaultMethodAndSaysSo) {
  const Outcome outcome = run_tool({"audit", "--epsilon", "1", "--runs", "4000", "--json"});
  const auto json = parsed(outcome);
  EXPECT_EQ(json["method"], "limited-objective");
  EXPECT_EQ(json["claimed_epsilon"], 1.0);
  EXPECT_GT(json["lower_bound"], 0.2);
  EXPECT_LT(json["lower_bound"], 1.0);
  EXPECT_EQ(json["violated"], false);
  EXPECT_EQ(json["replay"]["ok"], true);
  EXPECT_EQ(json["private"], false);
  EXPECT_EQ(outcome.err, "");
  const Outcome text = run_tool({"audit", "--epsilon", "1", "--runs", "1000"});
  EXPECT_NE(text.out.find("nothing speaks against the claim"), std::string::npos) << text.out;
}

// Where a record is alone, a small epsilon needs a strong regularisation.
TEST_F(AuditTool, TakesASmallEpsilon) {
  const Outcome outcome = run_tool({"audit", "--epsilon", "0.01", "--runs", "200", "--json"});
  EXPECT_EQ(parsed(outcome)["violated"], false);
}

TEST_F(AuditTool, TakesAMuAndNamesTheNotion) {
  const Outcome outcome = run_tool({"audit", "--method", "limited-output", "--mu", "1", "--runs", "200"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find(", gaussian, by limited-output"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("at delta = 1e-05"), std::string::npos) << outcome.out;
  EXPECT_EQ(run_tool({"audit", "--mu", "1", "--epsilon", "1"}).code, 64);
  EXPECT_EQ(run_tool({"audit", "--runs", "10"}).code, 64);
  EXPECT_EQ(run_tool({"audit", "--mu", "1", "--notion", "pure"}).code, 64);
}

TEST_F(AuditTool, HelpsWithAnExample) {
  const Outcome help = run_tool({"audit", "--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_NE(help.out.find("Example:\n  tacit audit"), std::string::npos) << help.out;
}

TEST_F(AuditTool, FailsForAMethodThatDoesNotKeepTheClaim) {
  const Outcome outcome =
      run_tool({"audit", "--method", "plain", "--epsilon", "1", "--runs", "400", "--json"});
  EXPECT_EQ(outcome.code, 1);
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["violated"], true);
  EXPECT_GT(json["lower_bound"], 2.0);
  EXPECT_EQ(outcome.err, "tacit: the audit refutes epsilon = 1 for plain\n");
}

TEST_F(AuditTool, AMethodIsAuditedWithTheOptionsItIsUsedWith) {
  const auto measured = [](const char* regularisation) {
    const auto json = parsed(run_tool({"audit", "--method", "limited-output", "--epsilon", "1",
                                       "--regularisation", regularisation, "--runs", "400", "--json"}));
    double most = 0;
    for (const auto& check : json["replay"]["checks"])
      if (check["what"].get<std::string>().find("how far") != std::string::npos) most = check["measured"];
    return most;
  };
  EXPECT_GT(measured("1"), 5 * measured("10"));
  const std::vector<std::vector<std::string>> useless = {{"--runs", "-5"},
                                                         {"--schema", write_schema()},
                                                         {"--no-intercept"},
                                                         {"--delta", "0.5"},
                                                         {"--notion", "gaussian"}};
  for (const std::vector<std::string>& flags : useless) {
    std::vector<std::string> arguments = {"audit", "--epsilon", "1", "--method", "double-output"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const Outcome refused = run_tool(arguments);
    EXPECT_EQ(refused.code, 64) << flags[0];
    EXPECT_EQ(std::ranges::count(refused.err, '\n'), 1) << refused.err;
  }
  const Outcome unknown = run_tool({"audit", "--method", "plain", "--epsilon", "inf", "--radius", "3"});
  EXPECT_EQ(unknown.code, 64);
  EXPECT_NE(unknown.err.find("--radius is not an option of the method plain"), std::string::npos)
      << unknown.err;
}

TEST_F(AuditTool, FindsNothingBrokenWhereNothingIsPromised) {
  const auto json =
      parsed(run_tool({"audit", "--method", "plain", "--epsilon", "inf", "--runs", "400", "--json"}));
  EXPECT_TRUE(json["claimed_epsilon"].is_null());
  EXPECT_EQ(json["violated"], false);
}

TEST_F(AuditTool, RunsOnAPairOfFiles) {
  const std::string first = table("a.csv", 40, 0);
  for (const auto& [second, relation] :
       {std::pair(table("b.csv", 40, 1), "replace_one"), std::pair(table("c.csv", 41, 0), "zero_out")}) {
    const auto json = parsed(run_tool(audit_of_pair(first, second, relation)));
    EXPECT_EQ(json["pair"], "the pair of files");
    EXPECT_EQ(json["violated"], false);
    EXPECT_EQ(json["runs"], 200);
  }
}

TEST_F(AuditTool, RefusesFilesThatAreNoNeighboursInOneLine) {
  const std::string first = table("a.csv", 40, 0);
  const auto refusal = [&](const std::string& second, const std::string& relation) {
    const Outcome outcome = run_tool(audit_of_pair(first, second, relation));
    EXPECT_EQ(outcome.code, 65) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    return outcome.err;
  };
  const auto refused_for = [&](const std::string& second, const std::string& relation, const char* words) {
    EXPECT_NE(refusal(second, relation).find(words), std::string::npos) << refusal(second, relation);
  };
  refused_for(table("b.csv", 40, 3), "replace_one", "differ in 3 records");
  refused_for(table("c.csv", 41, 0), "replace_one", "40 and 41 records");
  refused_for(table("d.csv", 42, 0), "zero_out", "42 and 40 records");
  refused_for(table("e.csv", 40, 1), "zero_out", "replace_one is for a record");
}

TEST_F(AuditTool, AnOptionTheMethodCannotRunWithIsAnErrorOfUsage) {
  const Outcome outcome = run_tool({"audit", "--epsilon", "1", "--regularisation", "-1"});
  EXPECT_EQ(outcome.code, 64);
  EXPECT_NE(outcome.err.find("regularisation is -1"), std::string::npos) << outcome.err;
}

TEST_F(AuditTool, RefusesBadFlagsInOneLine) {
  const std::vector<std::vector<std::string>> bad = {{"--epsilon", "0"},
                                                     {"--epsilon", "1", "--runs", "0"},
                                                     {"--epsilon", "nan"},
                                                     {"--epsilon", "inf"},
                                                     {"--epsilon", "1", "--method", "none-such"},
                                                     {"--epsilon", "1", "--loss", "none-such"},
                                                     {"--epsilon", "1", "--confidence", "1"},
                                                     {"--epsilon", "1", "--runs", "3"},
                                                     {"--epsilon", "1", "--pair", "one.csv"},
                                                     {}};
  for (std::vector<std::string> arguments : bad) {
    arguments.insert(arguments.begin(), "audit");
    const Outcome outcome = run_tool(arguments);
    EXPECT_EQ(outcome.code, 64) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
  EXPECT_EQ(run_tool({"audit", "--epsilon", "1", "--pair", path("no.csv"), path("no.csv")}).code, 66);
}

}  // namespace
}  // namespace tacit::testing
