#include "support.hpp"

// A release over several processes: charged once, and at every time one checkpoint of it counts.

namespace tacit::testing_ledger {
namespace {

class LedgerTickets : public LedgerTest {
 protected:
  LedgerTickets() { create(Pure{10}); }

  // A charge with its first ticket.
  LedgerTicket charge() const {
    const LedgerTicket first = new_ticket();
    charge_ledger(path_, request_, release_, first);
    return first;
  }
  std::string token() const {
    const std::optional<LedgerTicket> ticket = budget().charges.at(0).ticket;
    return ticket ? ticket->token : "none";
  }

  LedgerRequest request_ = ask(Pure{0.5});
  std::string release_ = new_release();
};

TEST_F(LedgerTickets, AreWrittenWithTheChargeAndComeBack) {
  const LedgerTicket first = charge();
  EXPECT_EQ(charges(), 1U);
  EXPECT_EQ(spent_epsilon(), 0.5);
  const LedgerTicket found = find_ticket(path_, request_, release_, first.token);
  EXPECT_EQ(found.token, first.token);
  EXPECT_EQ(found.key, first.key);
  EXPECT_EQ(first.key.size(), 64U);
  EXPECT_NE(new_ticket().token, new_ticket().token);
}

TEST_F(LedgerTickets, ContinuingChargesNothingAndEndsTheEarlierOne) {
  const LedgerTicket first = charge(), second = new_ticket();
  replace_ticket(path_, release_, first.token, second);
  EXPECT_EQ(spent_epsilon(), 0.5);
  EXPECT_EQ(token(), second.token);
  for (int k = 0; k < 2; ++k) {
    const std::string message =
        refused<BudgetError>([&] { find_ticket(path_, request_, release_, first.token); });
    EXPECT_NE(message.find("continued already"), message.npos) << message;
    refused<BudgetError>([&] { replace_ticket(path_, release_, first.token, new_ticket()); });
    refused<BudgetError>([&] { close_ticket(path_, release_, first.token); });
  }
}

TEST_F(LedgerTickets, AFinishedReleaseCannotBeContinued) {
  const LedgerTicket first = charge();
  close_ticket(path_, release_, first.token);
  EXPECT_EQ(token(), "none");
  const std::string message =
      refused<BudgetError>([&] { find_ticket(path_, request_, release_, first.token); });
  EXPECT_NE(message.find("finished"), message.npos) << message;
  EXPECT_EQ(spent_epsilon(), 0.5);
}

TEST_F(LedgerTickets, BelongToTheirLedgerNameMethodAndGuarantee) {
  const LedgerTicket first = charge();
  refused<BudgetError>([&] { find_ticket(path_, request_, new_release(), first.token); });
  LedgerRequest other = request_;
  other.method = "another-method";
  refused<UsageError>([&] { find_ticket(path_, other, release_, first.token); });
  refused<UsageError>([&] { find_ticket(path_, ask(Pure{0.6}), release_, first.token); });
  // Also one that prints alike.
  refused<UsageError>([&] { find_ticket(path_, ask(Pure{0.5 * (1 + 1e-15)}), release_, first.token); });
  add_limit(path_, {"others", Pure{1}});
  refused<UsageError>([&] { find_ticket(path_, ask(Pure{0.5}, "others"), release_, first.token); });
  find_ticket(path_, ask(Pure{0.5}, "people"), release_, first.token);
}

// What one group was charged does not pay for another, nor for everybody; nor the other way round.
TEST_F(LedgerTickets, BelongToTheirGroup) {
  const LedgerRequest everybody = request_;
  LedgerRequest south = request_;
  south.group = LedgerGroup{"region", "south"};
  request_.group = LedgerGroup{"region", "north"};
  const LedgerTicket first = charge();
  refused<UsageError>([&] { find_ticket(path_, south, release_, first.token); });
  refused<UsageError>([&] { find_ticket(path_, everybody, release_, first.token); });
  find_ticket(path_, request_, release_, first.token);
  // Also when the charge is known from a summary alone.
  for (int k = 0; k < 200; ++k) charge_ledger(path_, ask(Pure{0.01}));
  refused<UsageError>([&] { find_ticket(path_, south, release_, first.token); });
  find_ticket(path_, request_, release_, first.token);

  const LedgerTicket of_all = new_ticket();
  const std::string release = new_release();
  charge_ledger(path_, everybody, release, of_all);
  refused<UsageError>([&] { find_ticket(path_, south, release, of_all.token); });
}

TEST_F(LedgerTickets, OfManyProcessesThatContinueFromOneCheckpointOneGetsThrough) {
  const LedgerTicket first = charge();
  std::vector<pid_t> children;
  for (int k = 0; k < 8; ++k)
    children.push_back(start([&] {
      try {
        replace_ticket(path_, release_, first.token, new_ticket());
        return 0;
      } catch (const BudgetError&) {
        return 77;
      }
    }));
  int through = 0, refusals = 0;
  for (const pid_t child : children) {
    const int code = wait_for(child);
    through += code == 0;
    refusals += code == 77;
  }
  EXPECT_EQ(through, 1);
  EXPECT_EQ(refusals, 7);
  EXPECT_EQ(charges(), 1U);
}

TEST_F(LedgerTickets, AChargeThatDoesNotFitLeavesNoTicket) {
  refused<BudgetError>([&] { charge_ledger(path_, ask(Pure{11}), release_, new_ticket()); });
  EXPECT_EQ(charges(), 0U);
}

TEST_F(LedgerTickets, OrdinaryChargesGoOnBesideThem) {
  charge_ledger(path_, ask(Pure{1}));
  const LedgerTicket first = charge();
  charge_ledger(path_, ask(Pure{2}));
  replace_ticket(path_, release_, first.token, new_ticket());
  add_limit(path_, {"others", Pure{1}});
  EXPECT_EQ(spent_epsilon(), 3.5);
  EXPECT_FALSE(budget().charges.at(0).ticket);
  EXPECT_TRUE(budget().charges.at(1).ticket);
  EXPECT_FALSE(budget().charges.at(2).ticket);
}

}  // namespace
}  // namespace tacit::testing_ledger
