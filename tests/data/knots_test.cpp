#include "tacit/data.hpp"

#include <gtest/gtest.h>

#include "data/encoder.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

Knots knots_of(const NumericColumn& column, EncoderRule rule, const KnotFacts& facts = {}) {
  const Schema schema = with_knots({.columns = {{"x", column}, {"i", IgnoredColumn{}}}}, rule, facts);
  return std::get<NumericColumn>(schema.columns[0].kind).knots;
}

constexpr std::size_t one = 1, nine = 9;

TEST(Knots, TheRuleFillsInWhatTheSchemaLeavesOpen) {
  const NumericColumn open{.min = 0, .max = 100};
  EXPECT_EQ(knots_of(open, EncoderRule::linear_v1), Knots(AutoKnots{}));
  EXPECT_EQ(knots_of(open, EncoderRule::linear), Knots(one));
  EXPECT_EQ(knots_of(open, EncoderRule::hats, {1, 1e-9}), Knots(nine));
  EXPECT_EQ(knots_of(open, EncoderRule::automatic), Knots(nine));
  for (const Knots& stated : {Knots(std::size_t{4}), Knots(std::vector<double>{1, 2})})
    for (const auto rule :
         {EncoderRule::linear_v1, EncoderRule::linear, EncoderRule::hats, EncoderRule::automatic})
      EXPECT_EQ(knots_of({.min = 0, .max = 100, .knots = stated}, rule), stated);
}

TEST(Knots, FewerWhereRecordsAndEpsilonAreFew) {
  std::size_t last = 1;
  for (const std::size_t records : {1, 10, 30, 100, 300, 1000, 10000}) {
    const std::size_t knots = automatic_knots({records, 0.5}, 10);
    EXPECT_GE(knots, last);
    EXPECT_NE(knots, 2u);
    last = knots;
  }
  EXPECT_EQ(automatic_knots({1, 0.5}, 10), 1u);
  EXPECT_EQ(last, nine);
  EXPECT_EQ(automatic_knots({std::nullopt, 0.5}, 10), nine) << "the number of records is not public";
  EXPECT_EQ(automatic_knots({10, std::nullopt}, 10), nine) << "no privacy, no noise";
}

TEST(Knots, FewWholeNumbersGetAHatForEach) {
  EXPECT_EQ(knots_of({.min = 1, .max = 5, .integer = true}, EncoderRule::hats), Knots(std::size_t{5}));
  EXPECT_EQ(knots_of({.min = 1, .max = 4, .log1p = true, .integer = true}, EncoderRule::hats),
            Knots(std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(knots_of({.min = 0, .max = 1, .integer = true}, EncoderRule::hats), Knots(one)) << "yes or no";
  EXPECT_EQ(knots_of({.min = 0, .max = 100, .integer = true}, EncoderRule::hats), Knots(nine));
  EXPECT_EQ(knots_of({.min = 1, .max = 5, .integer = true}, EncoderRule::linear), Knots(one));
}

TEST(Knots, DatesFollowTheSameRule) {
  const Schema schema =
      with_knots({.columns = {{"d", DateColumn{.number = {.min = 0, .max = 1e9}}}}}, EncoderRule::hats, {});
  EXPECT_EQ(std::get<DateColumn>(schema.columns[0].kind).number.knots, Knots(nine));
}

// Noise is the longer, the fewer features a block has: so what is not listed counts the less.
TEST(Knots, TheRuleSaysWhatValuesThatAreNotListedCount) {
  const auto other = [](std::size_t categories, EncoderRule rule, CategoricalColumn column = {}) {
    for (std::size_t k = 0; k < categories; ++k) column.categories.push_back(std::to_string(k));
    const auto with = [&](const KnotFacts& facts) {
      const Schema schema = with_knots({.columns = {{"c", column}}}, rule, facts);
      return std::get<CategoricalColumn>(schema.columns[0].kind).other;
    };
    EXPECT_EQ(with({}), column.other) << "no privacy, no noise";
    return with({.records = {}, .epsilon = 1});
  };
  for (const auto rule : {EncoderRule::linear, EncoderRule::hats, EncoderRule::automatic}) {
    EXPECT_EQ(other(2, rule), 0.125);
    EXPECT_EQ(other(2, rule, {.missing_indicator = true}), 0.15625);
    EXPECT_EQ(other(14, rule), 0.5);
    EXPECT_EQ(other(100, rule), 1);
    EXPECT_EQ(other(2, rule, {.other = 0.5}), 0.5) << "what the schema states stands";
    EXPECT_EQ(other(2, rule, {.missing = "other"}), std::nullopt) << "then it has records";
  }
  EXPECT_EQ(other(2, EncoderRule::linear_v1), std::nullopt);
}

TEST(Knots, RulesHaveNames) {
  for (const char* text : {"auto", "linear", "hats", "linear-v1"})
    EXPECT_EQ(name(parse_encoder_rule(text)), text);
  EXPECT_THROW(parse_encoder_rule("spline"), UsageError);
}

}  // namespace
}  // namespace tacit
