#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "ledger/filter.hpp"
#include "tacit/ledger.hpp"

// How the ledger's entries hold guarantees, sums and tickets. The readers throw DataError, or an exception of
// the JSON library, on what no ledger writes.

namespace tacit::inline v1 {

using Json = nlohmann::ordered_json;

// {"notion": "pure", "epsilon": 0.5}. Doubles come back bit for bit.
Json entry_json(const Guarantee& guarantee);
Guarantee guarantee_from(const Json& json);

Json entry_json(const Tally& tally);
Tally tally_from(const Guarantee& limit, const Json& json);

Json entry_json(const LedgerTicket& ticket);
LedgerTicket ticket_from(const Json& json);

}  // namespace tacit::inline v1
