#pragma once

#include "ledger_database.hpp"
#include "tacit/privacy/ledger.hpp"

// The tables of the ledger's file. Each function runs inside the caller's transaction.

namespace tacit::inline v1 {

// Tables, terms and the seal of an empty ledger.
void write_new(Database& database, const Ledger& ledger);

// Everything in the file. DataError when it is not a ledger, of a newer format, or not what was written.
Ledger load(Database& database);

// Adds a row and seals what is then in the file. `ledger` is what was loaded; it gets the new entry too.
void append_budget(Database& database, Ledger& ledger, LedgerBudget budget);
void append_charge(Database& database, Ledger& ledger, std::size_t budget, LedgerCharge charge);

}  // namespace tacit::inline v1
