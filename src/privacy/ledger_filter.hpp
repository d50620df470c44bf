#pragma once

#include <optional>
#include <string_view>

#include "tacit/privacy/guarantee.hpp"
#include "tacit/privacy/ledger.hpp"

// The privacy filter of each accountant: which sequences of releases, each chosen after seeing the earlier
// ones, together keep the limit. Sources and proofs: docs/ledger.md.

namespace tacit::inline v1 {

// The limit as the accountant keeps it. UsageError when it cannot.
Guarantee limit_in(std::string_view accountant, const Guarantee& limit);

// A release's guarantee in the notion of `limit`. UsageError when it has none there.
Guarantee amount_in(const Guarantee& asked, const Guarantee& limit);

// What the charges give together with one more.
Guarantee spent_with(const LedgerBudget& budget, const Guarantee& amount);

bool admits(const Guarantee& limit, const Guarantee& spent);

}  // namespace tacit::inline v1
