#include "tacit/privacy/ledger.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>

#include "ledger_filter.hpp"
#include "ledger_parts.hpp"
#include "ledger_seal.hpp"
#include "ledger_store.hpp"
#include "tacit/core/error.hpp"
#include "tacit/core/utf8.hpp"

namespace tacit::inline v1 {

namespace {

namespace fs = std::filesystem;
using enum Database::Use;

std::string now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

void check_name(std::string_view name) {
  constexpr std::size_t longest = 255;
  if (name.empty() || name.size() > longest)
    throw_error<UsageError>("a name in a ledger has {} bytes, expected 1 to {}", name.size(), longest);
  // Shown, and written as JSON: two names must not look or read the same by broken bytes.
  if (!is_plain_utf8(name))
    throw_error<UsageError>("a name in a ledger is not UTF-8 or has a control character");
  if (name.front() == ' ' || name.back() == ' ')
    throw_error<UsageError>("a name in a ledger begins or ends with a space");
}

LedgerBudget new_budget(const Ledger& ledger, const LedgerLimit& limit) {
  check_name(limit.name);
  if (std::ranges::find(ledger.budgets, limit.name, &LedgerBudget::name) != ledger.budgets.end())
    throw_error<UsageError>("the ledger has \"{}\" already, and a limit is never changed", limit.name);
  LedgerBudget budget{.name = limit.name,
                      .limit = limit_in(ledger.terms.accountant, limit.limit),
                      .stated = std::nullopt,
                      .charges = {}};
  if (budget.limit.index() != limit.limit.index()) budget.stated = std::get<Approx>(limit.limit);
  return budget;
}

std::string names_of(const Ledger& ledger) {
  std::string names;
  for (const LedgerBudget& budget : ledger.budgets)
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", budget.name);
  return names.empty() ? "none" : names;
}

std::size_t find_budget(const std::string& path, const Ledger& ledger, const std::string& name) {
  if (name.empty() && ledger.budgets.size() == 1) return 0;
  if (name.empty())
    throw_error<UsageError>("{}: the ledger has several names, say which: {}", path, names_of(ledger));
  const auto it = std::ranges::find(ledger.budgets, name, &LedgerBudget::name);
  if (it == ledger.budgets.end())
    throw_error<UsageError>("{}: the ledger has no name \"{}\", only {}", path, name, names_of(ledger));
  return static_cast<std::size_t>(it - ledger.budgets.begin());
}

void require_same_terms(const std::string& path, const LedgerTerms& terms, const LedgerRequest& request) {
  if (terms.unit != request.budget.unit)
    throw_error<UsageError>("{}: the ledger protects the unit {}, but {} protects the unit {}", path,
                            name(terms.unit), request.method, name(request.budget.unit));
  if (terms.neighbours != request.budget.neighbours)
    throw_error<UsageError>(
        "{}: the ledger is for {} neighbours, but the fit by {} is for {}; --neighbours {} asks for the "
        "ledger's, where the method offers it (`tacit methods`)",
        path, name(terms.neighbours), request.method, name(request.budget.neighbours),
        name(terms.neighbours));
}

struct Accepted {
  std::size_t budget;
  Guarantee amount;
};

// The budget to charge and how much. Throws unless it fits.
Accepted accept(const std::string& path, const Ledger& ledger, const LedgerRequest& request) {
  const std::size_t k = find_budget(path, ledger, request.name);
  require_same_terms(path, ledger.terms, request);
  const LedgerBudget& budget = ledger.budgets[k];
  const Guarantee amount = amount_in(request.budget.limit, budget.limit);
  if (!admits(budget.limit, spent_with(budget, amount)))
    throw_error<BudgetError>("{}: \"{}\" has {} left of {}, but {} was asked for; nothing was released", path,
                             budget.name, in_words(left(budget)), in_words(budget.limit), in_words(amount));
  return {k, amount};
}

void flush_directory(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

void remove_files(const fs::path& path) {
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) ::unlink((path.string() + suffix).c_str());
}

}  // namespace

void require_accountant(std::string_view accountant) {
  for (const std::string_view known : {"pure", "gaussian", "zcdp", "renyi", "approx"})
    if (accountant == known) return;
  throw_error<UsageError>("the accountant is \"{}\", expected pure, gaussian, zcdp, renyi or approx",
                          accountant);
}

void create_ledger(const fs::path& path, const LedgerTerms& terms, std::span<const LedgerLimit> limits) {
  require_accountant(terms.accountant);
  Ledger planned{.terms = terms, .created = now(), .budgets = {}};
  for (const LedgerLimit& limit : limits) planned.budgets.push_back(new_budget(planned, limit));

  // SQLite would take the log of an earlier ledger of that name for this one's, or throw its charges away.
  for (const char* suffix : {"-wal", "-journal"})
    if (std::error_code missing; fs::exists(path.string() + suffix, missing))
      throw_error<WriteError>("{}{}: is left of an earlier ledger and may hold its last charge",
                              path.string(), suffix);
  constexpr mode_t everyone = 0666;  // less the umask, as any new file
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, everyone);
  if (descriptor < 0)
    throw_error<WriteError>("{}: the ledger cannot be created: {}", path.string(), std::strerror(errno));
  ::close(descriptor);
  try {
    Database database(path, write);
    database.run("PRAGMA journal_mode = WAL");
    Transaction transaction(database, write);
    Ledger ledger{.terms = planned.terms, .created = planned.created, .budgets = {}};
    write_new(database, ledger);
    for (LedgerBudget& budget : planned.budgets) append_budget(database, ledger, std::move(budget));
    commit_checked(database, ledger, transaction);
  } catch (...) {
    remove_files(path);  // ours: it did not exist before
    throw;
  }
  flush_directory(path);
}

void add_limit(const fs::path& path, const LedgerLimit& limit) {
  Database database(path, write);
  Transaction transaction(database, write);
  Ledger ledger = load(database);
  append_budget(database, ledger, new_budget(ledger, limit));
  commit_checked(database, ledger, transaction);
}

bool is_ledger(const fs::path& path) {
  // An SQLite file begins with its name and has the application's number at byte 68, high byte first.
  constexpr std::string_view magic("SQLite format 3\0", 16);
  constexpr std::size_t at = 68;
  std::array<char, at + 4> head{};
  std::error_code missing;
  if (!fs::is_regular_file(path, missing)) return false;
  std::ifstream file(path, std::ios::binary);
  if (!file.read(head.data(), head.size()) || std::string_view(head.data(), magic.size()) != magic)
    return false;
  std::int64_t number = 0;
  for (std::size_t k = at; k < head.size(); ++k) number = number << 8 | static_cast<unsigned char>(head[k]);
  return number == ledger_application_id;
}

Ledger read_ledger(const fs::path& path) {
  Database database(path, read);
  const Transaction transaction(database, read);
  return load(database);
}

void check_charge(const fs::path& path, const LedgerRequest& request) {
  Database database(path, write);
  const Transaction transaction(database, read);
  accept(path.string(), load(database), request);
}

namespace {

void charge(const fs::path& path, const LedgerRequest& request, const std::string& release,
            const std::optional<LedgerTicket>& ticket) {
  Database database(path, write);
  Transaction transaction(database, write);
  Ledger ledger = load(database);
  const auto [budget, amount] = accept(path.string(), ledger, request);
  append_charge(database, ledger, budget,
                {.release = release,
                 .time = now(),
                 .method = request.method,
                 .asked = request.budget.limit,
                 .amount = amount,
                 .ticket = ticket});
  commit_checked(database, ledger, transaction);
  // Into the file itself, where the seal sees damage; a log would be cut at the first broken byte. Where
  // others read the ledger at this moment, the log keeps the charge until one of them closes it.
  database.run("PRAGMA wal_checkpoint(PASSIVE)");
}

// The charge of this release, when its ticket is `token`.
LedgerCharge& require_current(const std::string& path, Ledger& ledger, const std::string& release,
                              const std::string& token) {
  LedgerCharge* charge = find_release(ledger, release);
  if (charge == nullptr)
    throw_error<BudgetError>("{}: the ledger has no charge for this checkpoint; nothing was released", path);
  if (!charge->ticket)
    throw_error<BudgetError>("the fit of this checkpoint is finished; nothing was released");
  if (charge->ticket->token != token)
    throw_error<BudgetError>(
        "this checkpoint was continued already and a later one took its place; nothing was released");
  return *charge;
}

}  // namespace

std::string charge_ledger(const fs::path& path, const LedgerRequest& request) {
  std::string release = new_release();
  charge(path, request, release, std::nullopt);
  return release;
}

void charge_ledger(const fs::path& path, const LedgerRequest& request, const std::string& release,
                   const LedgerTicket& ticket) {
  charge(path, request, release, ticket);
}

std::string new_release() { return random_hex(16); }
LedgerTicket new_ticket() { return {.token = random_hex(16), .key = random_hex(32), .file = ""}; }

namespace {

// To the last bit: a guarantee that prints alike may still be a larger one.
bool same(const Guarantee& a, const Guarantee& b) {
  return a.index() == b.index() &&
         std::ranges::equal(parts_of(a), parts_of(b), [](const Part& x, const Part& y) {
           return x.name == y.name && x.order == y.order && x.value == y.value;
         });
}

}  // namespace

LedgerTicket find_ticket(const fs::path& path, const LedgerRequest& request, const std::string& release,
                         const std::string& token) {
  Database database(path, write);
  const Transaction transaction(database, read);
  Ledger ledger = load(database);
  const LedgerCharge& charge = require_current(path.string(), ledger, release, token);
  const LedgerBudget& budget = ledger.budgets[find_budget(path.string(), ledger, request.name)];
  const bool here =
      std::ranges::find(budget.charges, release, &LedgerCharge::release) != budget.charges.end();
  require_same_terms(path.string(), ledger.terms, request);
  if (!here || charge.method != request.method || !same(charge.asked, request.budget.limit))
    throw_error<UsageError>("{}: the checkpoint was charged to another name, method or guarantee",
                            path.string());
  return *charge.ticket;
}

void replace_ticket(const fs::path& path, const std::string& release, const std::string& token,
                    const LedgerTicket& next) {
  Database database(path, write);
  Transaction transaction(database, write);
  Ledger ledger = load(database);
  set_ticket(database, ledger, require_current(path.string(), ledger, release, token), next);
  commit_checked(database, ledger, transaction);
}

void close_ticket(const fs::path& path, const std::string& release, const std::string& token) {
  Database database(path, write);
  Transaction transaction(database, write);
  Ledger ledger = load(database);
  set_ticket(database, ledger, require_current(path.string(), ledger, release, token), std::nullopt);
  commit_checked(database, ledger, transaction);
}

}  // namespace tacit::inline v1
