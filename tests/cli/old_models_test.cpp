#include <fstream>
#include <regex>
#include <sstream>

#include "tool.hpp"

// Files of format 1 (tests/models/v1) keep their meaning: they verify, and predict what they did.

namespace tacit {
namespace {

namespace fs = std::filesystem;

fs::path folder() { return fs::path(TACIT_SOURCE_DIR) / "tests/models/v1"; }

std::vector<std::string> old_models() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder())) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".json") && !name.ends_with(".schema.json"))
      names.push_back(name.substr(0, name.size() - std::string_view(".json").size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The table that a model was fitted to.
std::string table_of(const std::string& model) {
  for (const char* few : {"net-exponential", "localized-exponential", "double-output", "private-limits",
                          "column-scales", "no-schema"})
    if (model.starts_with(few)) return "few.csv";
  return model.starts_with("user-") ? "visits.csv" : "people.csv";
}

// Such steps were counted too low.
bool can_fail(const std::string& model) {
  std::stringstream text;
  text << std::ifstream(folder() / (model + ".json")).rdbuf();
  return std::regex_search(text.str(), std::regex("\"kind\": *\"failure\""));
}

class OldModels : public testing::CliTest, public ::testing::WithParamInterface<std::string> {
 protected:
  std::string model() const { return (folder() / (GetParam() + ".json")).string(); }
};

TEST_P(OldModels, VerifyAsTheyDid) {
  const testing::Outcome outcome = testing::run_tool({"verify", model()});
  if (GetParam() == "plain") {
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.err.find("without any privacy"), std::string::npos) << outcome.err;
  } else if (can_fail(GetParam())) {
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.err.find("proved for delta * (1 + delta)"), std::string::npos) << outcome.err;
  } else {
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }
}

class LongOldModels : public testing::CliTest {};

TEST_F(LongOldModels, AreTheSameModelsOnceUpgraded) {
  for (const std::string& name : old_models()) {
    const std::string copy = path("model.json");
    fs::copy_file(folder() / (name + ".json"), copy, fs::copy_options::overwrite_existing);
    const std::string before = read("model.json");
    const testing::Outcome upgraded = testing::run_tool({"upgrade", copy});
    if (name == "plain" || name == "signed") {
      EXPECT_EQ(upgraded.code, name == "plain" ? 1 : 64)
          << "nothing is promised about it, or a signature lost";
      EXPECT_EQ(read("model.json"), before);
      continue;
    }
    if (can_fail(name)) {
      EXPECT_EQ(upgraded.code, 1) << name;
      continue;
    }
    ASSERT_EQ(upgraded.code, 0) << name << ": " << upgraded.err;
    const auto old = nlohmann::json::parse(before), now = nlohmann::json::parse(read("model.json"));
    EXPECT_EQ(now["version"], 2);
    EXPECT_EQ(now["parameters"], old["parameters"]) << name;
    EXPECT_EQ(now["certificate"]["guarantee"], old["certificate"]["guarantee"]) << name;
    EXPECT_EQ(testing::run_tool({"verify", copy}).code, 0) << name;
    EXPECT_NE(testing::run_tool({"upgrade", copy}).out.find("already"), std::string::npos);
  }
}

TEST_P(OldModels, PredictAsTheyDid) {
  std::ifstream table(folder() / table_of(GetParam()));
  std::string rows, line;
  for (int k = 0; k <= 20 && std::getline(table, line); ++k) rows += line + "\n";
  const testing::Outcome outcome =
      testing::run_tool({"predict", model(), write("rows.csv", rows), "--output", path("predictions.csv")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::stringstream expected;
  expected << std::ifstream(folder() / (GetParam() + ".predictions.csv")).rdbuf();
  EXPECT_EQ(read("predictions.csv"), expected.str());
}

std::string name_of_case(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Format1, OldModels, ::testing::ValuesIn(old_models()), name_of_case);

TEST(OldModelsCorpus, IsThere) { EXPECT_GE(old_models().size(), 56u); }

TEST(OldModelsCorpus, HasFewFilesOfStepsThatCanFail) {
  EXPECT_EQ(std::ranges::count_if(old_models(), can_fail), 4);
}

TEST(OldModelsCorpus, HasASignatureThatHolds) {
  const testing::Outcome outcome = testing::run_tool(
      {"verify", (folder() / "signed.json").string(), "--key", (folder() / "signer.pub.pem").string()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

}  // namespace
}  // namespace tacit
