#pragma once

// Layer: ledger.
//
// A budget that outlives a process: charges to names, with limits.
//
//     tacit::Ledger ledger = tacit::read_ledger("people.ledger");

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/guarantee.hpp"
#include "tacit/meter.hpp"

// A file beside the data that keeps what was spent on it, over all releases, and refuses a release that would
// go beyond the limit (docs/ledger.md). A charge is on the disk before the noise of its release is drawn.
//
// The functions throw NotFoundError (no such file), DataError (not a ledger, damaged, made by a newer tacit),
// WriteError (read-only, full disk, held by another process), UsageError (a request that does not suit the
// ledger) and BudgetError (it does not fit the limit). Whenever they throw, nothing was charged.

namespace tacit::inline v1 {

// Fixed when the ledger is made. Guarantees under different terms are never added up.
struct LedgerTerms {
  std::string accountant = "pure";  // the notion charges are added up in: pure, gaussian, zcdp, renyi, approx
  Unit unit = Unit::item;
  Neighbours neighbours = usual_neighbours;
};

// What may be spent under a name. The limit is in the accountant's notion; a gaussian or zcdp ledger also
// takes an Approx, and keeps it as the largest mu or rho that implies it.
struct LedgerLimit {
  std::string name = {};
  Guarantee limit = {};
};

// The one checkpoint from which an unfinished release may be continued (docs/checkpoints.md).
struct LedgerTicket {
  std::string token = {};  // names the checkpoint: 128 random bits in hex
  std::string key = {};    // opens it: 256 random bits in hex
  std::string file = {};   // fingerprint of its file, so that whoever has the key cannot write another one
};

// The records with this value in a public column. Groups of one column are disjoint, so that a person pays
// for one of them: the dearest (docs/ledger.md, "Groups").
struct LedgerGroup {
  std::string column = {}, value = {};
  bool operator==(const LedgerGroup&) const = default;
};

struct LedgerCharge {
  std::string release = {};  // random, also in the certificate
  std::string time = {};     // UTC, "2026-01-31T12:00:00Z"
  std::string method = {};
  Guarantee asked = {};                     // what the release guarantees by itself
  Guarantee amount = {};                    // the same in the accountant's notion
  std::optional<LedgerTicket> ticket = {};  // while the release is unfinished and can be continued
  std::optional<LedgerGroup> group = {};    // whose records it was made from; none: everybody's
};

struct LedgerBudget {
  std::string name = {};
  Guarantee limit = {};               // in the accountant's notion
  std::optional<Approx> stated = {};  // where the limit was derived from one
  std::vector<LedgerCharge> charges = {};
};

struct Ledger {
  LedgerTerms terms = {};
  std::string created = {};  // UTC
  std::vector<LedgerBudget> budgets = {};
};

// What all charges together guarantee, rounded up: those for everybody, and for each column the dearest
// group.
TACIT_API Guarantee spent(const LedgerBudget& budget);
// What a release may still ask for, rounded down; 0 when nothing is left.
TACIT_API Guarantee left(const LedgerBudget& budget);
// "epsilon = 0.5", "epsilon = 1, delta = 1e-06".
TACIT_API std::string in_words(const Guarantee& guarantee);

// Throws UsageError unless it is the name of one.
TACIT_API void require_accountant(std::string_view accountant);

// Makes a new file; one that exists is never touched.
TACIT_API void create_ledger(const std::filesystem::path& path, const LedgerTerms& terms,
                             std::span<const LedgerLimit> limits);
// A further name with a limit of its own. A name that exists keeps its limit: UsageError.
TACIT_API void add_limit(const std::filesystem::path& path, const LedgerLimit& limit);
// Whether the file is a ledger, by its first bytes; damaged or not.
TACIT_API bool is_ledger(const std::filesystem::path& path);
TACIT_API Ledger read_ledger(const std::filesystem::path& path);

// A release that is about to be made, with all that it may spend.
struct LedgerRequest {
  std::string name = {};  // may be empty when the ledger holds one name only
  std::string method = {};
  Budget budget = {};
  std::optional<LedgerGroup> group = {};
};

// Whether the charge would be accepted now: throws what charge_ledger would throw, and charges nothing.
TACIT_API void check_charge(const std::filesystem::path& path, const LedgerRequest& request);
// Writes the charge in one transaction and returns once it is on the disk. The result is the release's id.
TACIT_API std::string charge_ledger(const std::filesystem::path& path, const LedgerRequest& request);

// A release that is made over several processes is charged once. At every time one checkpoint of it counts:
// the one whose ticket the ledger holds.

TACIT_API std::string new_release();  // a fresh id
TACIT_API LedgerTicket new_ticket();
// As charge_ledger; the release has the given id, and its first ticket is written in the same transaction.
TACIT_API void charge_ledger(const std::filesystem::path& path, const LedgerRequest& request,
                             const std::string& release, const LedgerTicket& ticket);
// The ticket, if `token` is the one that counts. BudgetError when the release was continued from it already,
// is finished, or is not in this ledger; UsageError when it was charged for another request.
TACIT_API LedgerTicket find_ticket(const std::filesystem::path& path, const LedgerRequest& request,
                                   const std::string& release, const std::string& token);
// In one transaction: `next` counts from now on, and `token` no more. BudgetError as above: of any number of
// processes that continue from one checkpoint, one gets through.
TACIT_API void replace_ticket(const std::filesystem::path& path, const std::string& release,
                              const std::string& token, const LedgerTicket& next);
// The release is finished: no checkpoint of it counts any more.
TACIT_API void close_ticket(const std::filesystem::path& path, const std::string& release,
                            const std::string& token);

}  // namespace tacit::inline v1

// Upkeep of a ledger, beside charges. The functions throw what those above throw.

namespace tacit::inline v1 {

// The terms alone, in the same time whatever the ledger holds.
TACIT_API LedgerTerms read_ledger_terms(const std::filesystem::path& path);

// Brings a ledger of format 1 to format 2, with all that is in it. Whether there was anything to do.
TACIT_API bool upgrade_ledger(const std::filesystem::path& path);

// A fit of this name failed on the content of records: that it did tells something about them, free of
// charge.
TACIT_API void record_failed_read(const std::filesystem::path& path, const std::string& name);
// How many did. Sensitive.
TACIT_API std::uint64_t failed_reads(const std::filesystem::path& path);

}  // namespace tacit::inline v1
