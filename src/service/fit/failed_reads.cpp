#include "service/fit/failed_reads.hpp"

#include "tacit/ledger.hpp"

namespace tacit::inline v1::service {

void record_failure(const LedgerUse& ledger) { record_failed_read(ledger.path, ledger.name); }

}  // namespace tacit::inline v1::service
