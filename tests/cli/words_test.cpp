#include <sstream>

#include "tool.hpp"

// What the tool says to people who are new to it.

namespace tacit::testing {
namespace {

class Words : public CliTest {
 protected:
  Outcome fit(std::vector<std::string> more, int records = 400) const {
    more.insert(more.begin(), {"fit", write_classes("train.csv", records), "--schema", write_schema(),
                               "--model", path("model.json")});
    return run_tool(more);
  }
};

TEST_F(Words, HelpTellsWhichMethodsAnOptionBelongsTo) {
  const std::string help = run_tool({"fit", "--help"}).out;
  const auto place = [&](const std::string& text) { return help.find(text); };
  ASSERT_NE(place("For tuned:"), std::string::npos) << help;
  EXPECT_LT(place("For tuned:"), place("--mean-runs"));
  // A name with several meanings tells each, with its methods.
  EXPECT_NE(place("dp-sgd, user-sgd, user-group:"), std::string::npos);
  EXPECT_NE(place("user-phased, user-erm: of the ball that"), std::string::npos) << help;
}

TEST_F(Words, CountsMayBeWrittenWithAnExponent) {
  EXPECT_EQ(fit({"--epsilon", "1", "--delta", "1e-5", "--method", "dp-gd", "--steps", "1e1"}).code, 0);
  EXPECT_NE(read("model.json").find("\"steps\": 10"), std::string::npos);
  const Outcome refused = fit({"--epsilon", "1", "--delta", "1e-5", "--method", "dp-gd", "--steps", "1.5"});
  EXPECT_EQ(refused.err, "tacit: --steps is \"1.5\", expected a whole number 1 to 1e9\n");
  EXPECT_EQ(fit({"--epsilon", "1", "--hidden", "x"}).err,
            "tacit: --hidden: \"x\", expected a whole number from 0 to 10^18 - 1\n");
  EXPECT_EQ(run_tool({"account", "--noise-multiplier", "1", "--delta", "1e-5", "--steps", "1e3"}).out,
            run_tool({"account", "--noise-multiplier", "1", "--delta", "1e-5", "--steps", "1000"}).out);
}

TEST_F(Words, ARelationThatIsNotOfferedNamesAllThatAre) {
  const Outcome outcome =
      fit({"--epsilon", "1", "--delta", "1e-5", "--method", "dp-sgd", "--neighbours", "replace_one"});
  EXPECT_EQ(
      outcome.err,
      "tacit: neighbours replace_one is not offered by dp-sgd, which protects zero_out or add_remove\n");
}

// n is public under replace_one and zero_out; under add_remove it is not, and the public number stands for
// it.
TEST_F(Words, TooFewRecordsAreWarnedOfWhereTheirNumberIsPublic) {
  const std::string few =
      "1 record is few for 3 parameters at this privacy: expect noise rather than a model";
  EXPECT_NE(fit({"--epsilon", "1"}, 1).out.find("Warning: " + few + ".\n"), std::string::npos);
  EXPECT_EQ(fit({"--epsilon", "1"}, 400).out.find("Warning"), std::string::npos);
  const std::vector<std::string> hidden{"--epsilon", "1",      "--delta",      "1e-5",
                                        "--method",  "dp-sgd", "--neighbours", "add_remove",
                                        "--records", "100"};
  EXPECT_EQ(fit(hidden, 1).out.find("Warning"), std::string::npos);
}

// Clipped gradients have no use for numbers far from 1: whoever gives no range is told before the fit.
TEST_F(Words, ANumericTargetWithoutARangeIsWarnedOfByEveryMethodThatTakesItAsItComes) {
  std::ostringstream rows;
  rows << "who,x,y\n";
  for (int k = 0; k < 400; ++k) rows << 'p' << k << ",0." << k % 10 << ',' << k << '\n';
  const std::string data = write("prices.csv", rows.str());
  const std::string columns = R"({"columns": {"x": {"type": "numeric", "min": 0, "max": 1}}, )"
                              R"("others": "ignore", "target": {"column": "y")";
  const std::string open = write("open.json", columns + "}}"),
                    closed = write("closed.json", columns + R"(, "min": 0, "max": 400}})");
  const auto fit_with = [&](const std::string& schema, std::vector<std::string> more) {
    more.insert(more.begin(),
                {"fit", data, "--schema", schema, "--epsilon", "1", "--json", "--model", path("model.json")});
    return run_tool(more);
  };
  const std::string words =
      "the target has no public range and is taken to lie in [-1, 1]; give its min and max in a schema";
  const std::vector<std::vector<std::string>> ways = {
      {"--delta", "1e-5"},
      {"--delta", "1e-5", "--method", "dp-gd"},
      {"--delta", "1e-5", "--user", "who"},
      {"--delta", "1e-5", "--method", "o2nc-first", "--steps", "4"}};
  for (const auto& way : ways) {
    const Outcome warned = fit_with(open, way);
    EXPECT_EQ(warned.err, "Warning: " + words + ".\n");
    EXPECT_EQ(parsed(warned)["warnings"], nlohmann::json::array({words}));
    const Outcome silent = fit_with(closed, way);
    EXPECT_EQ(silent.err, "");
    EXPECT_EQ(parsed(silent)["warnings"], nlohmann::json::array());
  }
  EXPECT_EQ(fit_with(open, {}).err, "") << "sizes are chosen privately";
  EXPECT_EQ(parsed(fit_with(open, {"--delta", "1e-5"}))["method_choice"],
            "gradients are clipped, so it needs no public range of the target");
}

}  // namespace
}  // namespace tacit::testing
