#include "failed_reads.hpp"

#include "tacit/ledger/upkeep.hpp"

namespace tacit::inline v1::service {

void record_failure(const LedgerUse& ledger) {
  try {
    record_failed_read(ledger.path, ledger.name);
  } catch (const Error& error) {
    throw_error<WriteError>(
        "the fit failed on the content of records; why is not told, because it could not be recorded: {}",
        error.what());
  }
}

}  // namespace tacit::inline v1::service
