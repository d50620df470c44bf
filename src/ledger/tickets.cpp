#include <algorithm>

#include "ledger/digest.hpp"
#include "ledger/journal.hpp"
#include "ledger/parts.hpp"
#include "ledger/requests.hpp"
#include "tacit/core.hpp"
#include "tacit/ledger.hpp"

namespace tacit::inline v1 {

namespace {

namespace fs = std::filesystem;

bool was_charged(Journal& journal, const std::string& release) {
  bool found = false;
  journal.for_each([&](const Json& entry) { found |= entry.value("release", "") == release; });
  return found;
}

// The release, when its ticket is `token`.
const OpenRelease& require_current(Journal& journal, const std::string& release, const std::string& token) {
  const std::vector<OpenRelease>& open = journal.state().open;
  const auto it = std::ranges::find(open, release, &OpenRelease::release);
  if (it == open.end()) {
    if (!was_charged(journal, release))
      throw_error<BudgetError>("{}: the ledger has no charge for this checkpoint; nothing was released",
                               journal.path());
    throw_error<BudgetError>("the fit of this checkpoint is finished; nothing was released");
  }
  if (it->ticket.token != token)
    throw_error<BudgetError>(
        "this checkpoint was continued already and a later one took its place; nothing was released");
  return *it;
}

// To the last bit: a guarantee that prints alike may still be a larger one.
bool same(const Guarantee& a, const Guarantee& b) {
  return a.index() == b.index() &&
         std::ranges::equal(parts_of(a), parts_of(b), [](const Part& x, const Part& y) {
           return x.name == y.name && x.order == y.order && x.value == y.value;
         });
}

void set_ticket(const fs::path& path, const std::string& release, const std::string& token,
                const std::optional<LedgerTicket>& next) {
  Journal journal = open_to_write(path);
  require_current(journal, release, token);
  journal.append(ticket_entry(release, next));
}

}  // namespace

LedgerTicket new_ticket() { return {.token = random_hex(16), .key = random_hex(32), .file = ""}; }

LedgerTicket find_ticket(const fs::path& path, const LedgerRequest& request, const std::string& release,
                         const std::string& token) {
  Journal journal = open_to_write(path);
  const OpenRelease& found = require_current(journal, release, token);
  const std::size_t account = find_account(path.string(), journal.state(), request.name);
  require_same_terms(path.string(), journal.state().terms, request);
  if (found.account != account || found.method != request.method ||
      !same(found.asked, request.budget.limit) || found.group != request.group)
    throw_error<UsageError>("{}: the checkpoint was charged to another name, method, guarantee or group",
                            path.string());
  return found.ticket;
}

void replace_ticket(const fs::path& path, const std::string& release, const std::string& token,
                    const LedgerTicket& next) {
  set_ticket(path, release, token, next);
}

void close_ticket(const fs::path& path, const std::string& release, const std::string& token) {
  set_ticket(path, release, token, std::nullopt);
}

}  // namespace tacit::inline v1
