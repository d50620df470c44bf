#pragma once

#include <cstdint>

#include "ledger_database.hpp"
#include "tacit/privacy/ledger.hpp"

// The tables of the ledger's file. Each function runs inside the caller's transaction.

namespace tacit::inline v1 {

inline constexpr std::int64_t ledger_application_id = 0x74614c65;  // "taLe"

// Tables, terms and the seal of an empty ledger.
void write_new(Database& database, const Ledger& ledger);

// Everything in the file. DataError when it is not a ledger, of a newer format, or not what was written.
Ledger load(Database& database);

// Adds a row and seals what is then in the file. `ledger` is what was loaded; it gets the new entry too.
void append_budget(Database& database, Ledger& ledger, LedgerBudget budget);
void append_charge(Database& database, Ledger& ledger, std::size_t budget, LedgerCharge charge);
// The ticket of the charge, in place of the one it had; none removes it.
void set_ticket(Database& database, Ledger& ledger, LedgerCharge& charge, std::optional<LedgerTicket> ticket);

LedgerCharge* find_release(Ledger& ledger, const std::string& release);  // nullptr: not in this ledger

// Commits once what is in the file is what is meant.
void commit_checked(Database& database, const Ledger& meant, Transaction& transaction);

}  // namespace tacit::inline v1
