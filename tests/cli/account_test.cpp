#include <algorithm>

#include "tool.hpp"

namespace tacit::testing {
namespace {

class Account : public CliTest {};

TEST_F(Account, BracketsADpSgdRunAndDrawsItsCurve) {
  const Outcome outcome = run_tool({"account", "--noise-multiplier", "1.1", "--rate", "0.01", "--steps",
                                    "10000", "--delta", "1e-5", "--json", "--plot", path("curve.svg")});
  const auto json = parsed(outcome);
  const double lower = json["epsilon_lower"], upper = json["epsilon_upper"];
  EXPECT_LE(lower, upper);
  EXPECT_LT((upper - lower) / upper, 1e-3);
  EXPECT_NE(read("curve.svg").find("<svg"), std::string::npos);
}

TEST_F(Account, GaussianAtFullRateMatchesItsClosedForm) {
  // mu = 1: delta(epsilon) = Phi(−epsilon + ½) − e^epsilon Phi(−epsilon − ½) is 0.126936737507 at epsilon
  // = 1.
  const auto json =
      parsed(run_tool({"account", "--noise-multiplier", "1", "--delta", "0.126936737507", "--json"}));
  EXPECT_NEAR(json["epsilon_upper"], 1, 1e-3);
  EXPECT_LE(json["epsilon_lower"], 1 + 1e-9);
  EXPECT_GE(json["epsilon_upper"], 1 - 1e-9);
}

TEST_F(Account, ComposesMixedEventsFromAFile) {
  const std::string file = write("events.json",
                                 R"({"neighbours": "replace_one", "events": [{"kind": "pure", "epsilon": 0.5},
                                    {"kind": "laplace", "epsilon": 0.25, "count": 2}, {"kind": "failure", "delta": 1e-6}]})");
  const auto json = parsed(run_tool({"account", "--events", file, "--delta", "1e-5", "--json"}));
  EXPECT_LE(json["epsilon_upper"], 1.0 + 1e-9);
  EXPECT_GT(json["epsilon_upper"], 0.5);
  EXPECT_EQ(json["neighbours"], "replace_one");
}

// The cost of sampled steps is known for a record that is there or not; a replaced one costs more.
TEST_F(Account, SampledStepsInAFileAreNotAccountedForReplacedRecords) {
  const std::string event = R"({"kind": "poisson-gaussian", "noise_multiplier": 1, "rate": 0.5, "steps": 1})";
  const auto json = parsed(
      run_tool({"account", "--events", write("a.json", "[" + event + "]"), "--delta", "1e-5", "--json"}));
  EXPECT_EQ(json["neighbours"], "zero_out");
  const std::string replaced = write("b.json", R"({"neighbours": "replace_one", "events": [)" + event + "]}");
  const Outcome outcome = run_tool({"account", "--events", replaced, "--delta", "1e-5"});
  EXPECT_EQ(outcome.code, 65);
  EXPECT_NE(outcome.err.find("no account for replace_one"), std::string::npos) << outcome.err;
}

TEST_F(Account, AMisspeltCountIsRefused) {
  for (const std::string key : {"cuont", "Count", "steps"}) {
    const std::string file =
        write("e.json", R"([{"kind": "laplace", "epsilon": 0.1, ")" + key + R"(": 1000}])");
    const Outcome outcome = run_tool({"account", "--events", file, "--delta", "1e-5"});
    EXPECT_EQ(outcome.code, 65);
    EXPECT_NE(outcome.err.find("unknown key \"" + key + "\""), std::string::npos) << outcome.err;
  }
}

TEST_F(Account, WhatIsPrintedIsRoundedOutwards) {
  const std::vector<std::string> arguments = {
      "account", "--noise-multiplier", "3.3", "--steps", "100", "--delta", "1e-6"};
  EXPECT_NE(run_tool(arguments).out.find("between 18.3967 and 18.3968"), std::string::npos);
}

TEST_F(Account, FailuresBeyondDeltaLeaveNoEpsilon) {
  const std::string file = write("f.json", R"([{"kind": "failure", "delta": 0.001}])");
  EXPECT_NE(run_tool({"account", "--events", file, "--delta", "1e-5"}).out.find("No epsilon is enough"),
            std::string::npos);
}

TEST_F(Account, CalibrationMeetsItsTargetFromBelow) {
  const auto json = parsed(run_tool({"calibrate", "--epsilon", "2", "--delta", "1e-5", "--rate", "0.01",
                                     "--steps", "5000", "--json", "--plot", path("calibrated.svg")}));
  EXPECT_NE(read("calibrated.svg").find("<svg"), std::string::npos);
  EXPECT_LE(json["epsilon_upper"], 2.0);
  EXPECT_GE(json["epsilon_upper"], 1.998);
}

TEST_F(Account, RefusesBadNumbersInOneLine) {
  const std::vector<std::vector<std::string>> bad = {
      {"account", "--noise-multiplier", "1", "--delta", "1"},
      {"account", "--noise-multiplier", "1", "--delta", "0"},
      {"account", "--noise-multiplier", "1", "--delta", "nan"},
      {"account", "--noise-multiplier", "1", "--delta", "1e-5", "--rate", "1.5"},
      {"account", "--noise-multiplier", "1", "--delta", "1e-5", "--steps", "-3"},
      {"account", "--noise-multiplier", "0", "--delta", "1e-5"},
      {"account", "--noise-multiplier", "x", "--delta", "1e-5"},
      {"account", "--delta", "1e-5"},
      {"account", "--noise-multiplier", "1e-300", "--delta", "1e-5"},
      {"account", "--noise-multiplier", "1", "--delta", "1e-5", "--steps", "1.5e-1"},
      {"account", "--events", write("ok.json", R"([{"kind": "pure", "epsilon": 1}])"), "--delta", "1e-5",
       "--steps", "10"},
      {"account", "--events", path("ok.json"), "--delta", "1e-5", "--rate", "0.5"},
      {"account", "--events", write("none.json", R"([{"kind": "pure", "epsilon": 1, "count": 0}])"),
       "--delta", "1e-5"},
      {"account", "--events", write("empty.json", "{}"), "--delta", "1e-5"},
      {"account", "--events", path("missing.json"), "--delta", "1e-5"},
      {"account", "--events", write("bad.json", R"([{"kind": "gaussian", "mu": -1}])"), "--delta", "1e-5"},
      {"account", "--events", write("odd.json", R"([{"kind": "magic"}])"), "--delta", "1e-5"},
      {"calibrate", "--epsilon", "1"},
      {"calibrate", "--epsilon", "-1", "--delta", "1e-5"},
      {"calibrate", "--epsilon", "1", "--delta", "2"},
      {"calibrate", "--mu", "1", "--rho", "1"}};
  for (const auto& arguments : bad) {
    const Outcome outcome = run_tool(arguments);
    EXPECT_NE(outcome.code, 0) << arguments.back();
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

}  // namespace
}  // namespace tacit::testing
