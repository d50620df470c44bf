#include "fuzz.hpp"
#include "ledger/parts.hpp"
#include "tacit/ledger.hpp"

namespace {

using namespace tacit;

// Number by number: what is left is no more than the limit, and nothing where the limit is spent.
void compare(const Guarantee& limit, const Guarantee& used, const Guarantee& rest) {
  const std::vector<Part> all = parts_of(limit), gone = parts_of(used), parts = parts_of(rest);
  if (parts.size() != all.size() || gone.size() != all.size())
    fuzz::finding("what is spent or left is in another notion than the limit");
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (parts[k].name != all[k].name || parts[k].order != all[k].order)
      fuzz::finding("what is left has other parts than the limit");
    if (!(parts[k].value >= 0 && parts[k].value <= all[k].value))
      fuzz::finding("more is left than the limit: " + in_words(rest) + " of " + in_words(limit));
    if (gone[k].value > 0 && gone[k].value >= all[k].value && parts[k].value != 0)
      fuzz::finding("something is left where all is spent: " + in_words(rest));
  }
}

}  // namespace

// A ledger that is read states no more left than its limits.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file(data, size);
  fuzz::try_it([&] {
    if (!is_ledger(file.path())) return;
    for (const LedgerBudget& budget : read_ledger(file.path()).budgets)
      compare(budget.limit, spent(budget), left(budget));
  });
  return 0;
}
