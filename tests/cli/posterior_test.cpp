#include <algorithm>

#include "tool.hpp"

namespace tacit::testing {
namespace {

class PosteriorCli : public CliTest {
 protected:
  Outcome fit(const std::vector<std::string>& how, const std::string& model) const {
    std::vector<std::string> arguments{
        "fit", write_classes("train.csv"), "--schema", write_schema(), "--model", path(model)};
    arguments.insert(arguments.end(), how.begin(), how.end());
    return run_tool(arguments);
  }
};

TEST_F(PosteriorCli, VerifyRepeatsTheAssumptionOfChains) {
  const Outcome fitted = fit({"--method", "asap-mala", "--epsilon", "1", "--mala-steps", "50"}, "own.json");
  ASSERT_EQ(fitted.code, 0) << fitted.err;
  for (const Outcome& seen : {fitted, run_tool({"verify", path("own.json")})}) {
    EXPECT_EQ(seen.code, 0) << seen.err;
    EXPECT_NE(seen.out.find("Assumed: mixing constant = 1 [Lin24, Thm 1], for chains computed in doubles.\n"),
              std::string::npos)
        << seen.out;
    EXPECT_NE(seen.out.find("Assumed: 50 steps of a chain are enough where the theorem asks for "),
              std::string::npos)
        << seen.out;
  }
  // A small budget needs few steps: the theorem's number.
  ASSERT_EQ(fit({"--method", "asap-mala", "--mu", "0.001", "--regularisation", "3"}, "theorem.json").code, 0);
  const auto verified = parsed(run_tool({"verify", path("theorem.json"), "--json"}));
  EXPECT_EQ(verified["assumptions"].size(), 1u);
  EXPECT_EQ(verified["guarantee"]["notion"], "gaussian");
}

TEST_F(PosteriorCli, AChainThatIsTooLongIsRefusedInOneLine) {
  const Outcome refused = fit({"--method", "asap-mala", "--mu", "5"}, "model.json");
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.err.find("the step-limit is 1e+07"), std::string::npos) << refused.err;
  EXPECT_EQ(std::ranges::count(refused.err, '\n'), 1);
  EXPECT_FALSE(exists("model.json"));
}

// All samples are in the file; prediction and evaluation go by the last one.
TEST_F(PosteriorCli, ModelsWithSeveralSamplesPredictEvaluateAndVerify) {
  for (const std::vector<std::string>& how :
       {std::vector<std::string>{"--method", "posterior-exact", "--mu", "3"},
        std::vector<std::string>{"--method", "asap-mala", "--mu", "3", "--mala-steps", "300"}}) {
    std::vector<std::string> arguments = how;
    arguments.insert(arguments.end(), {"--samples", "5"});
    const Outcome fitted = fit(arguments, "many.json");
    ASSERT_EQ(fitted.code, 0) << fitted.err;
    const auto model = nlohmann::json::parse(read("many.json"));
    ASSERT_EQ(model["samples"].size(), 5u);
    EXPECT_EQ(model["samples"][4], model["parameters"]);
    EXPECT_EQ(run_tool({"verify", path("many.json")}).code, 0);
    EXPECT_EQ(run_tool({"predict", path("many.json"), path("train.csv")}).code, 0);
    const auto measured = parsed(run_tool({"evaluate", path("many.json"), path("train.csv"), "--json"}));
    EXPECT_GT(measured["accuracy"], 0.5);
  }
}

}  // namespace
}  // namespace tacit::testing
