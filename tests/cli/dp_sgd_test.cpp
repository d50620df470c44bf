#include <algorithm>
#include <array>
#include <random>

#include "../support/sanitized.hpp"
#include "tool.hpp"

namespace tacit::testing {
namespace {

class DpSgdTool : public CliTest {
 protected:
  static std::string number(std::uint32_t value) {
    std::string bytes;
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(value >> shift);
    return bytes;
  }

  // Images of side × side pixels whose bright quarter is their class, of three classes, with a file of
  // labels.
  std::vector<std::string> write_images(const std::string& name, std::uint32_t count,
                                        std::uint32_t side = 4) const {
    std::mt19937 random(count);
    std::string images("\0\0\x08\x03", 4), labels("\0\0\x08\x01", 4);
    images += number(count) + number(side) + number(side);
    labels += number(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto label = static_cast<unsigned>(random() % 3);
      labels += static_cast<char>(label);
      for (unsigned pixel = 0; pixel < side * side; ++pixel)
        images += static_cast<char>(random() % 60 + (4 * pixel / (side * side) == label ? 150 : 0));
    }
    return {write(name + ".idx", images), "--labels", write(name + "-labels.idx", labels)};
  }

  static Outcome run(const std::string& command, std::vector<std::string> words,
                     const std::vector<std::string>& more) {
    words.insert(words.begin(), command);
    words.insert(words.end(), more.begin(), more.end());
    return run_tool(words);
  }
};

TEST_F(DpSgdTool, NeedsLittleMoreMemoryThanItsData) {
  const auto train = write_images("train", 60000, 28);
  const Outcome outcome = run("fit", train,
                              {"--epsilon", "2", "--delta", "1e-5", "--epochs", "1", "--batch", "500",
                               "--model", path("model.json")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const long data = 60000L * 28 * 28 * 8 / 1024;
  EXPECT_GT(outcome.peak_kilobytes, data);
  EXPECT_LT(outcome.peak_kilobytes, with_sanitizer(data + 200 * 1024));
}

TEST_F(DpSgdTool, RefusesOptionsThatWouldChangeNothing) {
  const auto train = write_images("train", 100);
  for (const auto& [flag, value, goes_with] :
       std::vector<std::array<std::string, 3>>{{"--clip-share", "0.1", "private-min"},
                                               {"--clip-quantile", "0.1", "private-min"},
                                               {"--moment", "2", "a schedule"},
                                               {"--distance", "2", "schedule = interpolation"},
                                               {"--failure", "0.1", "schedule = constrained"},
                                               {"--growth-radius", "2", "schedule = growth"},
                                               {"--smoothness", "2", "schedule = nonconvex"},
                                               {"--gap", "2", "schedule = nonconvex"},
                                               {"--seed", "3", "network"}}) {
    const Outcome outcome =
        run("fit", train, {"--epsilon", "2", "--delta", "1e-5", flag, value, "--model", path("model.json")});
    EXPECT_EQ(outcome.code, 64) << flag;
    EXPECT_NE(outcome.err.find(flag.substr(2) + " has no effect without"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(goes_with), std::string::npos) << outcome.err;
  }
}

// Three classes: 0.33 would be guessing.
TEST_F(DpSgdTool, FitsImagesWithTheirLabelsEvaluatesPredictsAndVerifies) {
  const auto train = write_images("train", 3000), test = write_images("test", 300);
  for (const std::vector<std::string>& loss :
       std::vector<std::vector<std::string>>{{"--loss", "softmax"},
                                             {"--loss", "tanh-network", "--hidden", "8"},
                                             {"--loss", "relu-network", "--hidden", "8"}}) {
    const std::string model = path("model.json");
    std::vector<std::string> more = {"--epsilon", "8", "--delta", "1e-5", "--model", model, "--json"};
    more.insert(more.end(), loss.begin(), loss.end());
    const auto fitted = parsed(run("fit", train, more));
    EXPECT_EQ(fitted["method"], "dp-sgd") << "the usual method for approximate privacy";
    EXPECT_EQ(fitted["neighbours"], "zero_out");
    EXPECT_LE(fitted["guarantee"]["epsilon"], 8.0);
    EXPECT_EQ(run_tool({"verify", model}).code, 0) << loss[1];

    std::vector<std::string> evaluated = {"evaluate", model};
    evaluated.insert(evaluated.end(), test.begin(), test.end());
    evaluated.push_back("--json");
    EXPECT_GT(parsed(run_tool(evaluated))["accuracy"], 0.9) << loss[1];
    const Outcome predicted = run_tool({"predict", model, test[0]});
    EXPECT_EQ(std::count(predicted.out.begin(), predicted.out.end(), '\n'), 301) << predicted.err;
  }
}

TEST_F(DpSgdTool, RefusesWhatItCannotDoInOneLine) {
  const auto train = write_images("train", 100);
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--delta", "1e-5", "--method", "dp-sgd", "--neighbours", "replace_one"},
           {"--delta", "1e-5", "--neighbours", "add_remove"},  // without --records
           {"--delta", "1e-5", "--batch", "101"},
           {"--delta", "1e-5", "--clip-norm", "-1"},
           {"--delta", "1e-5", "--clip-norm", "huge"},
           {"--delta", "1e-5", "--iterate", "first"},
           {"--delta", "1e-5", "--hidden", "3"},  // softmax has none
           {"--method", "dp-sgd"}}) {             // pure privacy
    std::vector<std::string> all = {"--loss", "softmax", "--epsilon", "1", "--model", path("model.json")};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome outcome = run("fit", train, all);
    EXPECT_NE(outcome.code, 0) << more.back();
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_FALSE(exists("model.json")) << more.back();
  }
}

}  // namespace
}  // namespace tacit::testing
