#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "ledger/journal.hpp"
#include "ledger/state.hpp"
#include "tacit/ledger.hpp"

// Whether a request suits a ledger, and to which of its names it belongs.

namespace tacit::inline v1 {

// DataError, with the remedy, when it is of an older format.
Journal open_to_write(const std::filesystem::path& path);

std::size_t find_account(const std::string& path, const LedgerState& state, const std::string& name);
void require_same_terms(const std::string& path, const LedgerTerms& terms, const LedgerRequest& request);

struct Accepted {
  std::size_t account;
  Guarantee amount;
};

// The account to charge and how much. Throws unless it fits.
Accepted accept(const std::string& path, const LedgerState& state, const LedgerRequest& request);

}  // namespace tacit::inline v1
