#include "fuzz.hpp"
#include "tacit/ledger.hpp"

// A ledger that is read states no more left than its limits.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tacit;
  const fuzz::MemoryFile file(data, size);
  fuzz::try_it([&] {
    if (!is_ledger(file.path())) return;
    for (const LedgerBudget& budget : read_ledger(file.path()).budgets) {
      spent(budget);
      left(budget);
    }
  });
  return 0;
}
