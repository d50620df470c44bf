#include "support/edits.hpp"

#include <gtest/gtest.h>

// The judge of forged models (fuzz_certificate, ForgedLeaves): what it takes for a larger promise, and what
// not.

namespace tacit {
namespace {

Json with(const Json& guarantee, const Json& replaced = nullptr) {
  Json certificate{{"private", true},          {"guarantee", guarantee}, {"unit", "item"},
                   {"neighbours", "zero_out"}, {"seeded", false},        {"watched", false}};
  if (!replaced.is_null()) certificate["replaced"] = replaced;
  return {{"certificate", certificate}};
}

Json changed(Json model, const char* key, const Json& value) {
  model["certificate"][key] = value;
  return model;
}

Json approx(const Json& epsilon, const Json& delta) {
  return {{"notion", "approx"}, {"epsilon", epsilon}, {"delta", delta}};
}

Json curve(const std::vector<double>& orders, const std::vector<double>& epsilons) {
  return {{"notion", "renyi"}, {"orders", orders}, {"epsilons", epsilons}};
}

TEST(Edits, ASmallerNumberOfAGuaranteePromisesMore) {
  const Json model = with(approx(1, 1e-6));
  EXPECT_FALSE(testing::promises_more(model, model));
  EXPECT_FALSE(testing::promises_more(with(approx(2, 1e-5)), model));
  EXPECT_FALSE(testing::promises_more(with(approx("inf", 1e-6)), model));
  EXPECT_TRUE(testing::promises_more(with(approx(0.999, 1e-6)), model));
  EXPECT_TRUE(testing::promises_more(with(approx(1, 1e-7)), model));
  EXPECT_TRUE(testing::promises_more(with(approx("nan", 1e-6)), model));
  EXPECT_TRUE(testing::promises_more(with({{"notion", "approx"}, {"epsilon", 1}}), model));
}

TEST(Edits, AnotherNotionPromisesMoreUnlessItIsNone) {
  const Json model = with(approx(1, 1e-6));
  EXPECT_TRUE(testing::promises_more(with({{"notion", "pure"}, {"epsilon", 1}}), model));
  EXPECT_FALSE(testing::promises_more(with({{"notion", "none"}, {"epsilon", nullptr}}), model));
  EXPECT_TRUE(testing::promises_more(model, with({{"notion", "none"}, {"epsilon", nullptr}})));
}

TEST(Edits, ALowerCurvePromisesMore) {
  const Json model = with(curve({2, 4}, {0.5, 0.9}));
  EXPECT_FALSE(testing::promises_more(model, model));
  EXPECT_FALSE(testing::promises_more(with(curve({2, 4}, {0.6, 0.9})), model));
  EXPECT_FALSE(testing::promises_more(with(curve({3}, {0.9})), model));  // as at order 4
  EXPECT_TRUE(testing::promises_more(with(curve({2, 4}, {0.4, 0.9})), model));
  EXPECT_TRUE(testing::promises_more(with(curve({2, 4}, {0.5, 0.8})), model));
  EXPECT_TRUE(testing::promises_more(with(curve({2, 5}, {0.5, 0.9})), model));
  EXPECT_TRUE(testing::promises_more(with(curve({3}, {0.8})), model));
}

TEST(Edits, ASmallerNumberForAReplacedUnitPromisesMore) {
  const Json model = with(approx(1, 1e-6), approx(2, 1e-6));
  EXPECT_FALSE(testing::promises_more(model, model));
  EXPECT_FALSE(testing::promises_more(with(approx(1, 1e-6)), model));  // says nothing of replaced units
  EXPECT_TRUE(testing::promises_more(model, with(approx(1, 1e-6))));
  EXPECT_TRUE(testing::promises_more(changed(model, "replaced", approx(1.9, 1e-6)), model));
  EXPECT_TRUE(testing::promises_more(changed(model, "replaced", curve({2}, {9})), model));
}

TEST(Edits, AnotherUnitOrRelationPromisesMore) {
  const Json model = with(approx(1, 1e-6));
  EXPECT_TRUE(testing::promises_more(changed(model, "unit", "user"), model));
  EXPECT_TRUE(testing::promises_more(changed(model, "neighbours", "replace_one"), model));
  EXPECT_TRUE(testing::promises_more(changed(model, "neighbours", "add_remove"), model));
}

TEST(Edits, WhoeverCallsARunPrivateThatWasNotPromisesMore) {
  const Json model = with(approx(1, 1e-6));
  for (const auto& [key, harmless] : {std::pair("private", true), {"seeded", false}, {"watched", false}}) {
    EXPECT_TRUE(testing::promises_more(model, changed(model, key, !harmless))) << key;
    EXPECT_FALSE(testing::promises_more(changed(model, key, !harmless), model)) << key;
  }
}

}  // namespace
}  // namespace tacit
