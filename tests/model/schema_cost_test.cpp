#include "model/schema_cost.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tacit
