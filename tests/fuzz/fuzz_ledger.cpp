#include <sstream>

#include "fuzz.hpp"
#include "ledger/parts.hpp"
#include "ledger/state.hpp"
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

void compare(const Ledger& ledger) {
  for (const LedgerBudget& budget : ledger.budgets) compare(budget.limit, spent(budget), left(budget));
}

// The lines as the entries of a ledger, by somebody who knows how they are chained: what a changed file never
// gets to, because its hashes are wrong.
Ledger sealed(std::string_view text) {
  Replay replay(Replay::Keep::charges);
  std::istringstream lines{std::string(text)};
  try {
    for (std::string line; std::getline(lines, line);) replay.apply(Json::parse(line));
  } catch (const nlohmann::json::exception&) {
    throw DataError("an entry makes no sense");  // as the reader of the file has it
  }
  return std::move(replay).ledger();
}

}  // namespace

// A ledger that is read states no more left than its limits.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (fuzz::text_of(data, size).starts_with('{')) {
    fuzz::try_it([&] { compare(sealed(fuzz::text_of(data, size))); });
    return 0;
  }
  const fuzz::MemoryFile file(data, size);
  fuzz::try_it([&] {
    if (is_ledger(file.path())) compare(read_ledger(file.path()));
  });
  return 0;
}
