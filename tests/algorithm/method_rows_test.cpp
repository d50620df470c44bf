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

Method whole_row() {
  return {.name = "custom",
          .notions = {Notion::pure},
          .unsuitable = [](const Shape&) { return std::string(); },
          .fit = [](const Problem&, const Facts&, Meter&) -> Release { throw_error<Error>("not fitted"); },
          .rebuild_steps = [](const Facts&, const Facts&) { return std::vector<Step>(); },
          .rebuild_options = [](const Facts& options, const Facts&) { return options; }};
}

TEST(MethodRows, WhatEveryoneAsksOfARowIsThere) {
  EXPECT_NO_THROW(check_method(whole_row()));
  const auto refused = [](auto edit) {
    Method row = whole_row();
    edit(row);
    EXPECT_THROW(add_method(row), UsageError);
  };
  refused([](Method& row) { row = Method{}; });
  refused([](Method& row) { row.fit = nullptr; });
  refused([](Method& row) { row.unsuitable = nullptr; });
  refused([](Method& row) { row.rebuild_steps = nullptr; });
  refused([](Method& row) { row.rebuild_options = nullptr; });
  refused([](Method& row) { row.notions.clear(); });
  refused([](Method& row) { row.neighbours.clear(); });
  for (const char* name : {"", "a b", "a\nb", "caf\xe9"}) refused([&](Method& row) { row.name = name; });
  Method plain = whole_row();
  plain.notions = {Notion::none};
  plain.rebuild_steps = nullptr;
  EXPECT_NO_THROW(check_method(plain)) << "there is nothing to verify";
}

// A record that becomes null is one that is not there, so neighbours have different numbers of records.
TEST(MethodRows, WhatOffersANullRecordTakesAPublicNumberOfThem) {
  for (const Method& method : methods()) EXPECT_NO_THROW(check_method(method)) << method.name;
  Method custom = whole_row();
  EXPECT_NO_THROW(check_method(custom)) << "under replace_one their number is public";
  custom.neighbours = {Neighbours::replace_one, Neighbours::zero_out};
  try {
    add_method(custom);
    FAIL() << "was added";
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()),
              "the method custom offers zero_out, where neighbours differ in how many records the data has, "
              "but its table has no option records: add public_count(&Options::records) and plan with that "
              "number");
  }
  struct Own {
    std::optional<std::int64_t> records, users;
    void validate() const {}
  };
  const OptionTable<Own> table = {public_count(&Own::records)};
  EXPECT_NO_THROW(check_method(with_options(custom, table)));
  custom.unit = Unit::user;
  custom.neighbours = {Neighbours::add_remove};
  EXPECT_THROW(check_method(with_options(custom, table)), UsageError);
  const OptionTable<Own> of_users = {public_count(&Own::users, Unit::user)};
  EXPECT_NO_THROW(check_method(with_options(custom, of_users)));
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
