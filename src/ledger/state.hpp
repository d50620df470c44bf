#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ledger/entry_json.hpp"
#include "ledger/filter.hpp"
#include "tacit/ledger.hpp"

// What a ledger's entries come to: enough to accept or refuse the next one. A summary, which is an entry
// itself, holds the whole of it, so that a charge reads the entries since the last summary and no others.

namespace tacit::inline v1 {

struct Account {
  std::string name;
  Guarantee limit;
  std::optional<Approx> stated;
  Tally tally;  // of charges for everybody
  std::vector<GroupTally> groups = {};

  Tally& tally_for(const std::optional<LedgerGroup>& group);
  Tally spent() const { return with_groups(tally, groups); }
  bool admits(const Guarantee& amount, const std::optional<LedgerGroup>& group) const;
  Guarantee left_for(const std::optional<LedgerGroup>& group) const;  // what would be admitted, rounded down
  std::uint64_t charges() const;                                      // how many
};

// A release that can still be continued from a checkpoint.
struct OpenRelease {
  std::string release;
  std::size_t account = 0;
  std::uint64_t number = 0;  // of the charge among the account's, from 0
  std::string method;
  Guarantee asked;
  LedgerTicket ticket;
  std::optional<LedgerGroup> group = {};  // whose records it was charged for; none: everybody's
};

struct LedgerState {
  LedgerTerms terms;
  std::string created;
  std::vector<Account> accounts;
  std::vector<OpenRelease> open;
  std::uint64_t failed_reads = 0;
};

Json terms_entry(const LedgerTerms& terms, const std::string& created);
Json limit_entry(const LedgerBudget& budget);
Json charge_entry(const std::string& name, const LedgerCharge& charge);
Json ticket_entry(const std::string& release, const std::optional<LedgerTicket>& ticket);
Json failed_read_entry(const std::string& name, const std::string& time);
Json summary_entry(const LedgerState& state);

bool is_summary(const Json& entry);

// Replays entries, from the first one or from a summary, in their order. Throws DataError, or an exception of
// the JSON library, on one that cannot follow.
class Replay {
 public:
  enum class Keep { sums, charges };
  explicit Replay(Keep keep) : keep_(keep) {}

  void apply(const Json& entry);
  const LedgerState& state() const { return state_; }
  Ledger ledger() &&;  // with Keep::charges

 private:
  void begin(const Json& entry);
  void begin_at_summary(const Json& entry);
  void add_limit(const Json& entry);
  void add_charge(const Json& entry);
  void set_ticket(const Json& entry);

  Keep keep_;
  bool begun_ = false;
  LedgerState state_;
  std::vector<std::vector<LedgerCharge>> charges_;  // of each account
};

}  // namespace tacit::inline v1
