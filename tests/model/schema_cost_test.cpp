#include "model/schema_cost.hpp"

#include <gtest/gtest.h>

#include "privacy/assumptions.hpp"
#include "tacit/verify.hpp"

namespace tacit {
namespace {

Certificate stated_with(const SchemaCost& schema, const Guarantee& model, Unit unit = Unit::item) {
  Certificate certificate;
  certificate.guarantee = model;
  certificate.unit = unit;
  certificate.neighbours = Neighbours::replace_one;
  state_schema_cost(schema, certificate);
  return certificate;
}

std::string words(const SchemaCost& schema, const Guarantee& model, Unit unit = Unit::item) {
  return stated_with(schema, model, unit).assumed_public.text("schema_cost");
}

constexpr Neighbours replaced = Neighbours::replace_one;

double pure_sum(double schema, double model) {
  const SchemaCost cost{Pure{schema}, Unit::item, replaced};
  return std::get<Pure>(*with_schema(cost, stated_with(cost, Pure{model}))).epsilon;
}

// What is said about a guarantee is a guarantee too.
TEST(SchemaCost, IsRoundedUpInWordsAndExactWhereItCanBe) {
  EXPECT_EQ(words({Pure{1}, Unit::item, replaced}, Pure{1.0000004}),
            "epsilon = 1 for the schema, epsilon = 2.00001 together with this model");
  EXPECT_EQ(pure_sum(0.2, 0.6), 0.8);
  EXPECT_EQ(pure_sum(0.8, 0.2), 1 + 0x1p-52) << "as doubles they are more than 1";
}

TEST(SchemaCost, AddsUpWhatProtectsTheSame) {
  EXPECT_EQ(
      words({Approx{0.5, 1e-6}, Unit::item, replaced}, Pure{1.5}),
      "epsilon = 0.5, delta = 1e-06 for the schema, epsilon = 2, delta = 1e-06 together with this model");
  const std::string apart =
      "epsilon = 1 for the schema, for the unit item and replace_one neighbours, which "
      "does not add up with this model's";
  EXPECT_EQ(words({Pure{1}, Unit::item, replaced}, Pure{1}, Unit::user), apart);
  EXPECT_EQ(words({Approx{0.5, 1e-6}, Unit::item, replaced}, Gaussian{1}),
            "epsilon = 0.5, delta = 1e-06 for the schema, which does not add up with this model's");
}

TEST(SchemaCost, OldFilesWithWordsAloneAreToldAlikeAndEditedFactsAreRefused) {
  Certificate old;
  old.guarantee = Pure{1};
  old.assumed_public.set("schema_cost", std::string("epsilon = 1 for the schema"));
  EXPECT_NO_THROW(check_schema_cost(old));
  EXPECT_EQ(told_assumptions(old).size(), 1U);
  EXPECT_NE(describe(old).find("found privately, too: epsilon = 1 for the schema."), std::string::npos);

  const Certificate whole = stated_with({Pure{1}, Unit::item, replaced}, Pure{2});
  EXPECT_NO_THROW(check_schema_cost(whole));
  EXPECT_EQ(told_assumptions(whole), whole.assumptions);
  for (const char* key : {"schema_epsilon", "schema_delta"}) {
    Certificate edited = whole;
    edited.assumed_public.set(key, 0.5);
    EXPECT_THROW(check_schema_cost(edited), VerificationError) << key;
  }
  for (const char* key : {"schema_source", "schema_unit", "schema_neighbours", "schema_cost"}) {
    Certificate edited = whole;
    edited.assumed_public.set(key, std::string("user"));
    EXPECT_THROW(check_schema_cost(edited), VerificationError) << key;
  }
}

// A schema of one group, found by a query: its certificate rests on more, and so do both together.
SchemaCost of_a_group() {
  Certificate schema;
  schema.guarantee = Pure{1};
  schema.neighbours = replaced;
  schema.assumed_public.set("records", std::int64_t{200});
  for (const ReadOff what : {ReadOff::names, ReadOff::query, ReadOff::group}) assume_public(what, schema);
  schema.assumed_public.set("group_of", std::string("region=north"));
  return {schema.guarantee, schema.unit, schema.neighbours, false, schema_assumptions(schema)};
}

TEST(SchemaCost, IsStatedWithWhatTheSchemaAssumes) {
  const Certificate both = stated_with(of_a_group(), Pure{2});
  EXPECT_EQ(
      both.assumed_public.text("schema_cost"),
      "epsilon = 1 for the schema, found for the group region=north, epsilon = 3 together with this model");
  EXPECT_EQ(both.assumptions, assumptions_of(both.assumed_public)) << "every sentence follows from a fact";
  ASSERT_EQ(both.assumptions.size(), 4U);
  EXPECT_EQ(both.assumptions[2],
            "the schema was found in the rows of a query, which is assumed to treat each record by itself");
  EXPECT_EQ(both.assumptions[3],
            "the schema was found in the records of one group of a public column: their number is public, a "
            "neighbour keeps the column's value, and a record has the same value in every release");
  EXPECT_NO_THROW(check_schema_cost(both));
}

TEST(SchemaCost, OfAGroupThatCanBeNoneIsRefused) {
  for (const char* name : {"region=7.0", "region=07", "region=TRUE", "region= north"}) {
    SchemaCost schema = of_a_group();
    schema.assumed.set("group_of", std::string(name));
    EXPECT_THROW(stated_with(schema, Pure{2}), VerificationError) << name;
  }
}

TEST(SchemaCost, WithoutWhatTheSchemaAssumesIsRefused) {
  const Certificate both = stated_with(of_a_group(), Pure{2});
  const auto without = [&](std::string_view left_out, std::string_view also = "") {
    Certificate edited = both;
    edited.assumed_public = {};
    for (const auto& [key, value] : both.assumed_public.entries())
      if (key != left_out && key != also) edited.assumed_public.set(key, value);
    return edited;
  };
  for (const char* key : {"schema_group", "schema_group_of"})
    EXPECT_THROW(check_schema_cost(without(key)), VerificationError) << key;
  EXPECT_THROW(check_schema_cost(without("schema_group", "schema_group_of")), VerificationError)
      << "the words still name it";
  for (const char* key : {"schema_group", "schema_query", "schema_column_names", "schema_group_of"}) {
    Certificate edited = both;
    edited.assumed_public.set(key, std::string("region"));
    EXPECT_THROW(check_schema_cost(edited), VerificationError) << key;
  }
  Certificate of_users = both;
  of_users.assumed_public.set("schema_unit", std::string("user"));
  EXPECT_THROW(check_schema_cost(of_users), VerificationError) << "groups are of records";
}

// What has no sentence there would be lost.
TEST(SchemaCost, OfASchemaThatAssumesSomethingUnknownIsNotStated) {
  Certificate schema;
  schema.assumed_public.set("weather", std::string("assumed to be fine"));
  EXPECT_THROW(schema_assumptions(schema), DataError);
  schema.assumed_public = {};
  schema.assumed_public.set("group", std::string("by a public column"));
  EXPECT_THROW(schema_assumptions(schema), VerificationError) << "a group without its name";
}

}  // namespace
}  // namespace tacit
