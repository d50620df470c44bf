#include "support.hpp"

// Groups of a public column are disjoint: a person pays for one of them.

namespace tacit::testing_ledger {
namespace {

LedgerRequest for_group(const Guarantee& guarantee, const std::string& column, const std::string& value) {
  LedgerRequest request = ask(guarantee);
  request.group = LedgerGroup{column, value};
  return request;
}

TEST_F(LedgerTest, GroupsOfOneColumnCostTheirMaximum) {
  create(Pure{1});
  charge_ledger(path_, for_group(Pure{0.5}, "region", "north"));
  charge_ledger(path_, for_group(Pure{0.5}, "region", "south"));
  charge_ledger(path_, for_group(Pure{0.25}, "region", "west"));
  EXPECT_EQ(spent_epsilon(), 0.5);
  charge_ledger(path_, for_group(Pure{0.25}, "region", "north"));  // the same people a second time
  EXPECT_EQ(spent_epsilon(), 0.75);
  EXPECT_EQ(std::get<Pure>(left(budget())).epsilon, 0.25);
  charge_ledger(path_, for_group(Pure{0.25}, "region", "west"));  // not beyond the dearest
  EXPECT_EQ(spent_epsilon(), 0.75);
  EXPECT_EQ(budget().charges.back().group, (LedgerGroup{"region", "west"}));
  EXPECT_EQ(budget().charges.size(), 5U);
}

TEST_F(LedgerTest, ChargesForEverybodyAndOtherColumnsAddUp) {
  create(Pure{1});
  charge_ledger(path_, for_group(Pure{0.25}, "region", "north"));
  charge_ledger(path_, for_group(Pure{0.25}, "year", "2024"));  // someone may be in both
  EXPECT_EQ(spent_epsilon(), 0.5);
  charge_ledger(path_, ask(Pure{0.25}));
  EXPECT_EQ(spent_epsilon(), 0.75);
  refused<BudgetError>([&] { charge_ledger(path_, for_group(Pure{0.5}, "region", "north")); });
  refused<BudgetError>([&] { charge_ledger(path_, for_group(Pure{0.51}, "region", "south")); });
  charge_ledger(path_, for_group(Pure{0.5}, "region", "south"));  // 0.25 + 0.25 + 0.5
  EXPECT_EQ(spent_epsilon(), 1);
  refused<BudgetError>([&] { charge_ledger(path_, ask(Pure{0.001})); });
  charge_ledger(path_, for_group(Pure{0.25}, "region", "north"));
}

// Summaries come every 64 entries; what was spent is the same with and without them.
TEST_F(LedgerTest, GroupsAreKeptOverManyCharges) {
  create(Pure{1});
  for (int k = 0; k < 150; ++k)
    charge_ledger(path_, for_group(Pure{0.015625}, "region", "r" + std::to_string(k % 5)));
  EXPECT_EQ(spent_epsilon(), 30 * 0.015625);
  refused<BudgetError>([&] { charge_ledger(path_, for_group(Pure{0.54}, "region", "r1")); });
  charge_ledger(path_, for_group(Pure{0.53125}, "region", "r1"));
  EXPECT_EQ(spent_epsilon(), 1);
}

TEST_F(LedgerTest, EachNumberOfAGuaranteeHasItsOwnMaximum) {
  create(Approx{1, 1e-5}, {.accountant = "approx"});
  charge_ledger(path_, for_group(Approx{0.5, 1e-6}, "region", "north"));
  charge_ledger(path_, for_group(Approx{0.25, 4e-6}, "region", "south"));
  const auto all = std::get<Approx>(spent(budget()));
  EXPECT_EQ(all.epsilon, 0.5);
  EXPECT_EQ(all.delta, 4e-6);
}

// What another group of the column spent is not in its way: what is said to be left would be admitted.
TEST_F(LedgerTest, ARefusalSaysWhatIsLeftForTheGroup) {
  create(Pure{1});
  charge_ledger(path_, for_group(Pure{0.5}, "region", "north"));
  charge_ledger(path_, for_group(Pure{0.25}, "region", "south"));
  charge_ledger(path_, for_group(Pure{0.125}, "year", "2024"));
  charge_ledger(path_, ask(Pure{0.125}));
  const auto left_by = [&](const LedgerRequest& request) -> std::string {
    try {
      charge_ledger(path_, request);
    } catch (const BudgetError& error) {
      const std::string text = error.what();
      const auto begin = text.find(" has ");
      return text.substr(begin + 5, text.find(", but") - begin - 5);
    }
    return "it was charged";
  };
  EXPECT_EQ(left_by(for_group(Pure{0.75}, "region", "south")),
            "epsilon = 0.5 left of epsilon = 1 for region=south");
  EXPECT_EQ(left_by(for_group(Pure{0.75}, "region", "north")),
            "epsilon = 0.25 left of epsilon = 1 for region=north");
  EXPECT_EQ(left_by(for_group(Pure{0.8}, "region", "west")),
            "epsilon = 0.75 left of epsilon = 1 for region=west");
  EXPECT_EQ(left_by(for_group(Pure{0.5}, "year", "2025")),
            "epsilon = 0.375 left of epsilon = 1 for year=2025");
  EXPECT_EQ(left_by(ask(Pure{0.5})), "epsilon = 0.25 left of epsilon = 1");
  EXPECT_EQ(charges(), 4U);
  charge_ledger(path_, for_group(Pure{0.5}, "region", "south"));
}

TEST_F(LedgerTest, GroupsAreOfRecordsNotOfUsers) {
  create(Pure{1}, {.unit = Unit::user});
  LedgerRequest request = for_group(Pure{0.5}, "region", "north");
  request.budget.unit = Unit::user;
  refused<UsageError>([&] { charge_ledger(path_, request); });
  EXPECT_EQ(charges(), 0U);
}

}  // namespace
}  // namespace tacit::testing_ledger
