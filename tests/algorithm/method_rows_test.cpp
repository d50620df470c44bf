// What the rows of the table of methods say for everybody else.

#include <gtest/gtest.h>

#include "algorithm/tuning.hpp"
#include "tacit/method.hpp"

namespace tacit::testing {
namespace {

Facts settings_only(const std::string& settings) {
  Facts facts;
  facts.set("settings", settings);
  return facts;
}

// A ledger for null records takes what such a proof costs: a row that does not answer would be refused there.
TEST(MethodRows, EveryProofForAReplacedRecordSaysWhetherItCoversANullOne) {
  for (const Method& method : methods()) {
    if (offers(method, Notion::none)) continue;
    EXPECT_EQ(method.covers_null != nullptr, protects(method, Neighbours::replace_one)) << method.name;
    EXPECT_TRUE(protects(method, Neighbours::zero_out) || method.covers_null != nullptr) << method.name;
  }
}

TEST(MethodRows, AChoiceCoversWhatAllOfItsSettingsDo) {
  const Method& tuned = find_method("tuned");
  EXPECT_TRUE(covers_null(tuned, settings_only("limited-output:radius=3; double-output; posterior-exact")));
  EXPECT_TRUE(covers_null(tuned, {})) << "the usual settings";
  EXPECT_THROW(covers_null(tuned, settings_only(" ")), UsageError) << "nothing to choose from";
}

TEST(MethodRows, AMethodThatSaysNothingCoversNothing) {
  const Method custom{.name = "custom", .notions = {Notion::pure}};
  EXPECT_FALSE(covers_null(custom, {}));
  EXPECT_FALSE(needs_few_parameters(custom, {}));
  EXPECT_EQ(noise_entry("custom"), NoiseEntry::unknown);
}

// Whoever sets the size of labels is told it, or asks for it; the steps of others are for numbers about 1.
TEST(MethodRows, AnOptionForTheLabelBoundIsAFactThatIsAssumedPublic) {
  for (const Method& method : methods()) {
    if (method.name == "tuned") continue;
    EXPECT_EQ(knows_label_bound(method), find_option(method, "label-bound") != nullptr) << method.name;
  }
  EXPECT_TRUE(knows_label_bound(find_method("tuned")));
}

TEST(MethodRows, NetsNeedFewParametersAndOthersDoNot) {
  Facts on_a_net;
  on_a_net.set("solver", std::string("net-exponential"));
  for (const Method& method : methods()) {
    const bool net = method.name == "net-exponential" || method.name == "localized-exponential";
    EXPECT_EQ(needs_few_parameters(method, {}), net) << method.name;
    EXPECT_EQ(needs_few_parameters(method, on_a_net), net || method.name == "localized") << method.name;
  }
}

}  // namespace
}  // namespace tacit::testing
