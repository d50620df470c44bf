#pragma once

#include <optional>

#include "tacit/core/error.hpp"
#include "tacit/service/ledger.hpp"

namespace tacit::inline v1::service {

// Writes into the ledger that a fit failed on the content of records (docs/ledger.md). Throws WriteError,
// which then takes the place of what was wrong with them: what is not recorded is not told.
void record_failure(const LedgerUse& ledger);

// Does `work`, which reads, encodes or checks records.
template <class Work>
auto recording_failures(const std::optional<LedgerUse>& ledger, Work work) {
  try {
    return work();
  } catch (const DataError&) {
    if (ledger) record_failure(*ledger);
    throw;
  }
}

}  // namespace tacit::inline v1::service
