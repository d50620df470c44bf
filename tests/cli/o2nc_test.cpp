#include <algorithm>
#include <random>

#include "tool.hpp"

namespace tacit::testing {
namespace {

class O2ncTool : public CliTest {
 protected:
  // y = relu(a)/2 + relu(−b)/2 in [0, 1], of a and b in [−1, 1].
  std::string write_data(const std::string& name, int records) const {
    std::mt19937 random(static_cast<unsigned>(records));
    std::uniform_real_distribution<> uniform(-1, 1);
    std::string text = "a,b,y\n";
    for (int i = 0; i < records; ++i) {
      const double a = uniform(random), b = uniform(random);
      text += std::to_string(a) + "," + std::to_string(b) + "," +
              std::to_string(std::max(a, 0.0) / 2 + std::max(-b, 0.0) / 2) + "\n";
    }
    return write(name, text);
  }
  std::string write_schema() const {
    return write("schema.json",
                 R"({"columns": {"a": {"type": "numeric", "min": -1, "max": 1},
                                 "b": {"type": "numeric", "min": -1, "max": 1}},
                     "target": {"column": "y", "min": 0, "max": 1}})");
  }
};

TEST_F(O2ncTool, FitsEveryOracleVerifiesEvaluatesAndPredicts) {
  const std::string train = write_data("train.csv", 4000), test = write_data("test.csv", 300);
  const std::string schema = write_schema(), model = path("model.json");
  for (const std::string method : {"o2nc-single", "o2nc-multi", "o2nc-sampled", "o2nc-first"})
    for (const std::string loss : {"relu-absolute", "max-affine", "absolute"}) {
      std::vector<std::string> words = {
          "fit",     train,  "--schema", schema, "--loss",  loss,  "--method",     method, "--epsilon", "3",
          "--delta", "1e-5", "--steps",  "32",   "--model", model, "--directions", "8",    "--json"};
      if (loss == "relu-absolute") words.insert(words.end(), {"--hidden", "4"});
      const auto fitted = parsed(run_tool(words));
      EXPECT_EQ(fitted["method"], method);
      EXPECT_LE(fitted["guarantee"]["epsilon"], 3.0);
      const Outcome verified = run_tool({"verify", model});
      EXPECT_EQ(verified.code, 0) << method << " " << loss << " " << verified.err;
      EXPECT_LT(parsed(run_tool({"evaluate", model, test, "--json"}))["mae"], 0.5) << method << " " << loss;
      EXPECT_EQ(run_tool({"predict", model, test}).code, 0);
    }
}

TEST_F(O2ncTool, TheTheoremsRunStatesItsBound) {
  const std::string train = write_data("train.csv", 4000), schema = write_schema(),
                    model = path("model.json");
  for (const std::string method : {"o2nc-single", "o2nc-first"}) {
    const Outcome fitted =
        run_tool({"fit",         train,       "--schema", schema,    "--loss",  "absolute",   "--method",
                  method,        "--epsilon", "3",        "--delta", "1e-5",    "--schedule", "theorem",
                  "--smoothing", "1",         "--gap",    "2",       "--model", model});
    EXPECT_EQ(fitted.code, 0) << fitted.err;
    EXPECT_NE(fitted.err.find("The theorem's bound on the Goldstein norm within 2 is "), std::string::npos)
        << fitted.err;
    const auto options = nlohmann::json::parse(read("model.json"))["certificate"]["options"];
    EXPECT_EQ(options["schedule"], "theorem");
    EXPECT_EQ(options["gap"], 2.0);
    EXPECT_GT(options["stationarity_bound"], 0.0);
    EXPECT_EQ(options["bound"], method == "o2nc-single" ? "frame" : "smoothed");
    EXPECT_EQ(run_tool({"verify", model}).code, 0);
  }
}

TEST_F(O2ncTool, RefusesWhatMakesNoSenseInOneLine) {
  const std::string train = write_data("train.csv", 100), schema = write_schema();
  const auto refused = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"fit",     train,           "--schema",  schema,
                                      "--model", path("m.json"),  "--method",  "o2nc-single",
                                      "--loss",  "relu-absolute", "--epsilon", "1"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run_tool(words);
    EXPECT_NE(outcome.code, 0) << more.back();
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    return outcome.err;
  };
  const auto says = [](const std::string& message, const char* words) {
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  refused({});  // pure privacy
  refused({"--delta", "1e-5", "--lipschitz", "0"});
  refused({"--delta", "1e-5", "--steps", "1000"});  // more than the records
  refused({"--delta", "1e-5", "--prefix-sums", "forest"});
  refused({"--delta", "1e-5", "--schedule", "theorem"});  // which needs --smoothing
  says(refused({"--delta", "1e-5", "--gap", "2"}), "gap has no effect without schedule = theorem");
  says(refused({"--delta", "1e-5", "--steps", "8", "--period", "9"}), "period is 9");
  says(refused({"--delta", "1e-5", "--work-limit", "1000"}), "beyond the work-limit of 1e+03");
  EXPECT_FALSE(exists("m.json"));
}

TEST_F(O2ncTool, LossesThatAreNotConvexAreRefusedByPosteriorsForThatReason) {
  const std::string train = write_data("train.csv", 100), schema = write_schema();
  for (const std::string method : {"posterior-exact", "asap-mala"}) {
    const Outcome outcome = run_tool({"fit", train, "--schema", schema, "--model", path("m.json"), "--method",
                                      method, "--loss", "phase-retrieval", "--epsilon", "1"});
    EXPECT_NE(outcome.code, 0);
    EXPECT_NE(outcome.err.find("its loss must be convex"), std::string::npos) << outcome.err;
  }
}

TEST_F(O2ncTool, OptionsWithoutEffectAreRefused) {
  const auto refused = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"fit", write("numbers.csv", "x,y\n0.1,1\n0.2,0\n0.7,1\n"), "--target", "y",
                               "--loss", "absolute", "--epsilon", "1", "--delta", "1e-5", "--method"});
    const Outcome outcome = run_tool(more);
    EXPECT_EQ(outcome.code, 64) << outcome.err;
    return outcome.err;
  };
  EXPECT_NE(refused({"o2nc-single", "--period", "1", "--prefix-sums", "tree"})
                .find("prefix-sums has no effect with period = 1"),
            std::string::npos);
  EXPECT_NE(refused({"o2nc-multi", "--steps", "8", "--averaging", "8", "--output", "random"})
                .find("output has no effect"),
            std::string::npos);
  EXPECT_NE(refused({"o2nc-sampled", "--batch", "0"}).find("batch is 0, expected 1 to the number of records"),
            std::string::npos);
}

}  // namespace
}  // namespace tacit::testing
