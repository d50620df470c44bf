#include "service/report/charges.hpp"

#include <gtest/gtest.h>

// An id can be copied from file to file: the charge that it names must be for what the file promises.

namespace tacit::inline v1::service {
namespace {

Ledger with_charge(const Guarantee& asked, Unit unit = Unit::item,
                   Neighbours neighbours = Neighbours::zero_out,
                   const std::string& method = "limited-objective") {
  LedgerBudget budget{.name = "people", .limit = Pure{3}, .stated = {}, .charges = {}};
  budget.charges.push_back(
      {.release = "id", .time = "", .method = method, .asked = asked, .amount = asked, .ticket = {}});
  return {.terms = {.accountant = "pure", .unit = unit, .neighbours = neighbours}, .budgets = {budget}};
}

Certificate stating(const Guarantee& guarantee, Neighbours neighbours = Neighbours::zero_out,
                    const std::string& method = "limited-objective") {
  Certificate certificate{.method = method, .guarantee = guarantee, .neighbours = neighbours};
  certificate.assumed_public.set("ledger_release", std::string("id"));
  return certificate;
}

std::string why_not(const Ledger& ledger, const Certificate& certificate) {
  return charged_to(ledger, {certificate}, {"digest"}).front().why_not;
}

TEST(Charges, CoverTheSameNotionUpToTheirAmount) {
  const Renyi curve{{2, 4}, {0.5, 1}};
  for (const auto& [asked, same, more] :
       {std::tuple<Guarantee, Guarantee, Guarantee>(Pure{1}, Pure{1}, Pure{1.01}),
        {Gaussian{1}, Gaussian{0.99}, Gaussian{1.01}},
        {Zcdp{1}, Zcdp{1}, Zcdp{1.01}},
        {Approx{1, 1e-6}, Approx{1, 1e-6}, Approx{1, 1.1e-6}},
        {curve, curve, Renyi{{2, 4}, {0.5, 1.1}}}}) {
    EXPECT_EQ(why_not(with_charge(asked), stating(same)), "");
    EXPECT_NE(why_not(with_charge(asked), stating(more)), "");
  }
  EXPECT_NE(why_not(with_charge(Pure{1}), stating(Gaussian{0.001})), "")
      << "of two notions none is the larger";
  EXPECT_NE(why_not(with_charge(curve), stating(Renyi{{3, 4}, {0.1, 0.1}})), "");
}

TEST(Charges, CoverTheirUnitAndRelation) {
  Certificate users = stating(Pure{1});
  users.unit = Unit::user;
  EXPECT_NE(why_not(with_charge(Pure{1}), users), "");
  EXPECT_EQ(why_not(with_charge(Pure{1}, Unit::user), users), "");
  const Certificate replaces = stating(Pure{1}, Neighbours::replace_one);
  EXPECT_EQ(why_not(with_charge(Pure{1}, Unit::item, Neighbours::replace_one), replaces), "");
  EXPECT_NE(why_not(with_charge(Pure{1}, Unit::item, Neighbours::add_remove), replaces), "");
  EXPECT_NE(why_not(with_charge(Pure{1}, Unit::item, Neighbours::replace_one), stating(Pure{1})), "");
  EXPECT_NE(why_not(with_charge(Pure{1}), stating(Pure{1}, Neighbours::add_remove)), "");
  // A proof for a replaced record that is one for a record that becomes null.
  const auto by = [](const std::string& method) {
    return why_not(with_charge(Pure{1}, Unit::item, Neighbours::zero_out, method),
                   stating(Pure{1}, Neighbours::replace_one, method));
  };
  EXPECT_EQ(by("localized"), "");
  EXPECT_NE(by("no-method"), "");
}

TEST(Charges, AreForOneMethodOrKindOfStatement) {
  for (const char* other : {"localized", "describe", "evaluate", "schema"})
    EXPECT_EQ(why_not(with_charge(Pure{1}), stating(Pure{1}, Neighbours::zero_out, other)),
              std::string("the charge that it names is for limited-objective, and it states ") + other);
}

}  // namespace
}  // namespace tacit::inline v1::service
