#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tacit/core/api.hpp"
#include "tacit/privacy/ledger.hpp"

namespace tacit::inline v1::service {

// Where a fit writes down what it spends.
struct LedgerUse {
  std::filesystem::path path;
  std::string name;  // may be empty when the ledger holds one name only
};

// A limit from its text, by the ledger's accountant: "1" (epsilon, mu or rho), "3,1e-6" (epsilon, delta: for
// approx, gaussian and zcdp), or "2:0.5,8:1" (Rényi: order:epsilon). UsageError says what was expected.
TACIT_API Guarantee parse_limit(std::string_view accountant, std::string_view text);
// The same with its name, "people=1". The name ends at the last "=".
TACIT_API LedgerLimit parse_named_limit(std::string_view accountant, std::string_view text);

// The ledger for people and for machines. The JSON format is in docs/ledger.md.
TACIT_API std::string ledger_text(const Ledger& ledger);
TACIT_API std::string ledger_json(const Ledger& ledger);

}  // namespace tacit::inline v1::service
