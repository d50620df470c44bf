#pragma once

#include <optional>

#include "tacit/core.hpp"
#include "tacit/fit.hpp"

namespace tacit::inline v1::service {

// Writes into the ledger that a fit failed on the content of records (docs/ledger.md). What is not recorded
// is not told: where the ledger cannot be written, this throws what a charge would have thrown, so that
// nothing tells one from the other.
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

// The same for what is refused once records are read, until the ledger is charged: without a schema the
// number of classes or columns is theirs, and a refusal for it a look at them.
template <class Work>
auto recording_refusals(const std::optional<LedgerUse>& ledger, const bool& charged, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    const bool by_records = dynamic_cast<const DataError*>(&error) ||
                            dynamic_cast<const UsageError*>(&error) ||
                            dynamic_cast<const InfeasibleError*>(&error);
    if (ledger && !charged && by_records) record_failure(*ledger);
    throw;
  }
}

}  // namespace tacit::inline v1::service
