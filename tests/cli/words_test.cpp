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
  EXPECT_EQ(refused.err, "tacit: steps is \"1.5\", expected a whole number 1 to 1e9\n");
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
  const Outcome one = fit({"--epsilon", "1", "--encoder", "linear"}, 1);
  EXPECT_NE(one.err.find("Warning: " + few + ".\n"), std::string::npos) << "before the fit";
  EXPECT_EQ(one.out.find("Warning"), std::string::npos) << "and not again";
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
  for (int k = 0; k < 1200; ++k) rows << 'p' << k << ",0." << k % 10 << ',' << k << '\n';
  const std::string data = write("prices.csv", rows.str());
  const std::string columns = R"({"columns": {"x": {"type": "numeric", "min": 0, "max": 1}}, )"
                              R"("others": "ignore", "target": {"column": "y")";
  const std::string open = write("open.json", columns + "}}"),
                    closed = write("closed.json", columns + R"(, "min": 0, "max": 1200}})");
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
    EXPECT_EQ(run_tool({"verify", path("model.json")}).code, 0)
        << "the certificate says it, and verify knows";
    const Outcome silent = fit_with(closed, way);
    EXPECT_EQ(silent.err, "");
    EXPECT_EQ(parsed(silent)["warnings"], nlohmann::json::array());
  }
  EXPECT_EQ(fit_with(open, {}).err, "") << "sizes are chosen privately";
  EXPECT_EQ(parsed(fit_with(open, {"--delta", "1e-5"}))["method_choice"],
            "gradients are clipped, so it needs no public range of the target");
}

TEST_F(Words, AnUnknownLossListsEveryLossOfTheHelp) {
  const std::string list = fit({"--epsilon", "1", "--loss", "cubic"}).err;
  for (const char* loss : {"squared", "relu-absolute", "phase-retrieval", "max-affine", "softmax"})
    EXPECT_NE(list.find(loss), std::string::npos) << list;
}

TEST_F(Words, OneMethodIsShownAlone) {
  const std::string text = run_tool({"methods", "dp-gd"}).out;
  EXPECT_TRUE(text.starts_with("dp-gd\n")) << text;
  EXPECT_EQ(text.find("dp-sgd\n"), std::string::npos);
  EXPECT_EQ(parsed(run_tool({"methods", "dp-gd", "--json"})).size(), 1U);
  EXPECT_EQ(run_tool({"methods", "nothing"}).code, 64);
}

TEST_F(Words, ALossWithoutAPureMethodNamesWhatToAskFor) {
  const std::string data = write("numbers.csv", "x,y\n0.1,1\n0.2,3\n0.7,2\n");
  const auto refused = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"fit", data, "--target", "y"});
    return run_tool(more).err;
  };
  const std::string robust = refused({"--loss", "max-affine", "--epsilon", "1"});
  EXPECT_NE(robust.find("methods with delta or mu can"), std::string::npos) << robust;
  const std::string none = refused({"--epsilon", "inf", "--method", "dp-sgd"});
  EXPECT_NE(none.find("but no privacy is asked for"), std::string::npos) << none;
  const std::string pieces =
      refused({"--loss", "max-affine", "--loss-parameter", "0", "--epsilon", "1", "--delta", "1e-5"});
  EXPECT_NE(pieces.find("1 to 1e6"), std::string::npos) << pieces;
  const std::string seed = refused({"--epsilon", "1", "--delta", "1e-5", "--method", "dp-gd", "--seed", "x"});
  EXPECT_EQ(seed, "tacit: seed is \"x\", expected a whole number\n");
  const std::string folder = run_tool({"fit", path("."), "--target", "y", "--epsilon", "1"}).err;
  EXPECT_NE(folder.find("is a directory, expected a file"), std::string::npos) << folder;
}

TEST_F(Words, ComparingNothingSaysWhy) {
  const Outcome outcome = run_tool({"compare", write_classes("train.csv"), "--schema", write_schema(),
                                    "--methods", "plain", "--repeats", "1"});
  EXPECT_EQ(outcome.code, 69);
  EXPECT_NE(outcome.out.find("plain (none): it is the line without privacy"), std::string::npos)
      << outcome.out;
  EXPECT_EQ(outcome.out.find("s a fit"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace tacit::testing
