#include <cmath>
#include <set>

#include "support.hpp"

namespace tacit::testing_ledger {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

TEST_F(LedgerTest, KeepsEveryChargeWithWhatItWasFor) {
  create(Pure{1});
  const std::string first = charge_ledger(path_, ask(Pure{0.25}));
  const std::string second = charge_ledger(path_, ask(Pure{0.5}, "people"));
  EXPECT_NE(first, second);
  const LedgerBudget b = budget();
  ASSERT_EQ(b.charges.size(), 2U);
  EXPECT_EQ(b.charges[0].release, first);
  EXPECT_EQ(b.charges[1].release, second);
  EXPECT_EQ(b.charges[1].method, "a-method");
  EXPECT_EQ(std::get<Pure>(b.charges[1].asked).epsilon, 0.5);
  EXPECT_EQ(std::get<Pure>(spent(b)).epsilon, 0.75);
  EXPECT_EQ(std::get<Pure>(left(b)).epsilon, 0.25);
  EXPECT_EQ(b.charges[0].time.size(), std::string("2026-01-31T12:00:00Z").size());
}

TEST_F(LedgerTest, RefusesWhatDoesNotFitAndSaysWhatIsLeft) {
  create(Pure{1});
  charge_ledger(path_, ask(Pure{0.75}));
  for (const double epsilon : {0.2501, 0.5, 1e300})
    EXPECT_TRUE(has(refused<BudgetError>([&] { charge_ledger(path_, ask(Pure{epsilon})); }),
                    "\"people\" has epsilon = 0.25 left of epsilon = 1"));
  charge_ledger(path_, ask(Pure{0.25}));
  EXPECT_TRUE(has(refused<BudgetError>([&] { charge_ledger(path_, ask(Pure{1e-6})); }), "epsilon = 0 left"));
  EXPECT_EQ(spent_epsilon(), 1);
}

TEST_F(LedgerTest, ACheckSaysTheSameAsAChargeAndChargesNothing) {
  create(Pure{1});
  check_charge(path_, ask(Pure{1}));
  refused<BudgetError>([&] { check_charge(path_, ask(Pure{1.5})); });
  refused<UsageError>([&] { check_charge(path_, ask(Gaussian{0.5})); });
  EXPECT_EQ(charges(), 0U);
}

TEST_F(LedgerTest, EveryNameHasItsOwnLimit) {
  create(Pure{1});
  add_limit(path_, {"households", Pure{0.5}});
  charge_ledger(path_, ask(Pure{1}, "people"));
  charge_ledger(path_, ask(Pure{0.5}, "households"));
  refused<BudgetError>([&] { charge_ledger(path_, ask(Pure{0.1}, "households")); });
  EXPECT_TRUE(
      has(refused<UsageError>([&] { charge_ledger(path_, ask(Pure{0.1})); }), "say which: \"people\""));
  EXPECT_TRUE(
      has(refused<UsageError>([&] { charge_ledger(path_, ask(Pure{0.1}, "peopl")); }), "no name \"peopl\""));
  EXPECT_TRUE(has(refused<UsageError>([&] { add_limit(path_, {"people", Pure{9}}); }), "already"));
}

TEST_F(LedgerTest, KeepsOddNamesByteForByte) {
  create(Pure{1});
  const std::vector<std::string> odd = {
      "a b",       "a=b",  "it's",    "\"quoted\"", "x'; DROP TABLE charge; --",
      "Ünïcødé ✓", "%s%n", "peo ple", "PEOPLE",     std::string(255, 'x')};
  for (const std::string& name : odd) add_limit(path_, {name, Pure{1}});
  for (const std::string& name : odd) charge_ledger(path_, ask(Pure{1}, name));
  const Ledger ledger = read_ledger(path_);
  for (std::size_t k = 0; k < odd.size(); ++k) {
    EXPECT_EQ(ledger.budgets[k + 1].name, odd[k]);
    EXPECT_EQ(ledger.budgets[k + 1].charges.size(), 1U);
  }
  EXPECT_EQ(charges(), 0U);
  for (const std::string& name :
       {std::string(), std::string("a\nb"), std::string("a\0b", 3), std::string(256, 'x')})
    refused<UsageError>([&] { add_limit(path_, {name, Pure{1}}); });
}

TEST_F(LedgerTest, RefusesAnotherUnitRelationOrNotion) {
  create(Pure{1});
  LedgerRequest user = ask(Pure{0.1});
  user.budget.unit = Unit::user;
  EXPECT_TRUE(has(refused<UsageError>([&] { charge_ledger(path_, user); }),
                  "charge a ledger whose unit is the user"));
  LedgerRequest removed = ask(Pure{0.1});
  removed.budget.neighbours = Neighbours::add_remove;
  EXPECT_TRUE(has(refused<UsageError>([&] { charge_ledger(path_, removed); }), "zero_out"));
  for (const Guarantee& other : {Guarantee(Gaussian{0.1}), Guarantee(Zcdp{0.1}), Guarantee(Approx{0.1, 1e-6}),
                                 Guarantee(Renyi{{2}, {0.1}})})
    EXPECT_TRUE(has(refused<UsageError>([&] { charge_ledger(path_, ask(other)); }), "no finite cost"));
  EXPECT_TRUE(has(refused<UsageError>([&] { charge_ledger(path_, ask(NoPrivacy{})); }), "without privacy"));
  for (const double epsilon : {0.0, -1.0, std::nan(""), HUGE_VAL})
    refused<UsageError>([&] { charge_ledger(path_, ask(Pure{epsilon})); });
}

TEST_F(LedgerTest, NeverOverwritesAFile) {
  create(Pure{1});
  charge_ledger(path_, ask(Pure{1}));
  EXPECT_TRUE(has(refused<WriteError>([&] { create(Pure{100}); }), "exists, and is never replaced"));
}

TEST_F(LedgerTest, ARefusedCreationLeavesNoFile) {
  EXPECT_THROW(create(Pure{-1}), UsageError);
  EXPECT_THROW(create(Pure{1}, {.accountant = "hope"}), UsageError);
  EXPECT_THROW(create(Gaussian{1}), UsageError);
  EXPECT_THROW(create_ledger(folder_ / "no" / "such", {}, {}), WriteError);
  const LedgerLimit twice[] = {{"a", Pure{1}}, {"a", Pure{2}}};
  EXPECT_THROW(create_ledger(path_, {}, twice), UsageError);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(LedgerTest, CountsFailedReadsAndChargesNothingForThem) {
  create(Pure{1});
  add_limit(path_, {"households", Pure{1}});
  EXPECT_EQ(failed_reads(path_), 0U);
  for (int k = 0; k < 70; ++k) record_failed_read(path_, k % 2 == 0 ? "people" : "households");
  EXPECT_EQ(failed_reads(path_), 70U);
  EXPECT_EQ(charges(), 0U);
  refused<UsageError>([&] { record_failed_read(path_, "nobody"); });
  charge_ledger(path_, ask(Pure{1}, "people"));
}

TEST_F(LedgerTest, LeavesNoLogBehind) {
  create(Pure{1});
  charge_ledger(path_, ask(Pure{0.5}));
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder_)) files.insert(entry.path().filename());
  EXPECT_EQ(files, std::set<std::string>{"people.ledger"});
}

TEST_F(LedgerTest, ASpecialNameIsAFileLikeAnyOther) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  const LedgerLimit limits[] = {{"people", Pure{1}}};
  for (const char* name : {":memory:", "file:x?mode=memory"}) {
    create_ledger(name, {}, limits);
    charge_ledger(name, ask(Pure{1}));
    EXPECT_THROW(charge_ledger(name, ask(Pure{1})), BudgetError);
    EXPECT_TRUE(fs::exists(folder_ / name));
  }
  fs::current_path(before);
}

}  // namespace
}  // namespace tacit::testing_ledger
