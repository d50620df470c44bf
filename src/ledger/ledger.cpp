#include "tacit/ledger.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <set>

#include "core/utf8.hpp"
#include "ledger/digest.hpp"
#include "ledger/filter.hpp"
#include "ledger/journal.hpp"
#include "ledger/requests.hpp"
#include "ledger/version_one.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

namespace fs = std::filesystem;

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

LedgerBudget new_budget(const LedgerTerms& terms, const LedgerLimit& limit) {
  check_name(limit.name);
  LedgerBudget budget{.name = limit.name,
                      .limit = limit_in(terms.accountant, limit.limit),
                      .stated = std::nullopt,
                      .charges = {}};
  if (budget.limit.index() != limit.limit.index()) budget.stated = std::get<Approx>(limit.limit);
  return budget;
}

void require_new_name(bool known, const std::string& name) {
  if (known) throw_error<UsageError>("the ledger has \"{}\" already, and a limit is never changed", name);
}

void flush_directory(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

void require_made(const fs::path& path, int error) {
  if (error == EEXIST)
    throw_error<WriteError>(
        "{}: the ledger cannot be created: a file of that name exists, and is never replaced; if it is a "
        "ledger, "
        "add a name to it, else choose another file",
        path.string());
  if (error != 0)
    throw_error<WriteError>("{}: the ledger cannot be created: {}", path.string(), std::strerror(error));
}

// A ledger has its name once it is whole; one that is there by then stays. Where a file system cannot move
// without replacing, a second name does the same.
void name_new_file(const fs::path& draft, const fs::path& path) {
  if (::renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0) return;
  if (errno != EINVAL && errno != ENOSYS) require_made(path, errno);
  if (::link(draft.c_str(), path.c_str()) != 0) require_made(path, errno);
  ::unlink(draft.c_str());
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
  std::vector<Json> entries{terms_entry(terms, now())};
  std::set<std::string> names;
  for (const LedgerLimit& limit : limits) {
    require_new_name(!names.insert(limit.name).second, limit.name);
    entries.push_back(limit_entry(new_budget(terms, limit)));
  }
  // A log of SQLite is left of a ledger of format 1, and may hold its last charge.
  for (const char* suffix : {"-wal", "-journal"})
    if (std::error_code missing; fs::exists(path.string() + suffix, missing))
      throw_error<WriteError>(
          "{}{}: was left by an earlier ledger and may hold its last charge; keep it with that ledger, or "
          "choose another file",
          path.string(), suffix);
  const fs::path draft =
      path.parent_path() / fmt::format(".{}.{}.tmp", path.filename().string(), new_release());
  require_made(path, ::faccessat(AT_FDCWD, path.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0 ? EEXIST : 0);
  constexpr mode_t owner = 0600;  // it holds the keys of checkpoints, and how many reads failed
  const int descriptor = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, owner);
  require_made(path, descriptor < 0 ? errno : 0);
  ::close(descriptor);
  try {
    const LedgerFile file(draft, LedgerFile::Use::write);
    write_first_entries(file, first_entry, entries);
    name_new_file(draft, path);
  } catch (...) {
    ::unlink(draft.c_str());  // ours: it did not exist before
    throw;
  }
  flush_directory(path);
}

void add_limit(const fs::path& path, const LedgerLimit& limit) {
  Journal journal = open_to_write(path);
  const LedgerState& state = journal.state();
  require_new_name(std::ranges::find(state.accounts, limit.name, &Account::name) != state.accounts.end(),
                   limit.name);
  journal.append(limit_entry(new_budget(state.terms, limit)));
}

bool is_ledger(const fs::path& path) {
  std::error_code missing;
  if (!fs::is_regular_file(path, missing)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string head(page_size + commit_size, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return is_version_one(head) || claimed_version(head) ||
         (head.size() > page_size && claimed_version(std::string_view(head).substr(page_size)));
}

Ledger read_ledger(const fs::path& path) {
  {
    const LedgerFile file(path, LedgerFile::Use::read);  // held, so that it is not upgraded meanwhile
    if (is_sqlite(file.read(0, version_one_head))) return read_version_one(path);
  }
  return Journal(path, LedgerFile::Use::read).read_all();
}

LedgerTerms read_ledger_terms(const fs::path& path) {
  {
    const LedgerFile file(path, LedgerFile::Use::read);
    if (is_sqlite(file.read(0, version_one_head))) return read_version_one(path).terms;
  }
  return Journal(path, LedgerFile::Use::read).state().terms;
}

void check_charge(const fs::path& path, const LedgerRequest& request) {
  Journal journal = open_to_write(path);
  accept(path.string(), journal.state(), request);
}

namespace {

void charge(const fs::path& path, const LedgerRequest& request, const std::string& release,
            const std::optional<LedgerTicket>& ticket) {
  Journal journal = open_to_write(path);
  const auto [account, amount] = accept(path.string(), journal.state(), request);
  journal.append(charge_entry(journal.state().accounts[account].name, {.release = release,
                                                                       .time = now(),
                                                                       .method = request.method,
                                                                       .asked = request.budget.limit,
                                                                       .amount = amount,
                                                                       .ticket = ticket,
                                                                       .group = request.group}));
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

void record_failed_read(const fs::path& path, const std::string& name) {
  Journal journal = open_to_write(path);
  const LedgerState& state = journal.state();
  journal.append(failed_read_entry(state.accounts[find_account(path.string(), state, name)].name, now()));
}

std::uint64_t failed_reads(const fs::path& path) {
  {
    const LedgerFile file(path, LedgerFile::Use::read);
    if (is_sqlite(file.read(0, version_one_head))) return 0;  // format 1 does not count them
  }
  return Journal(path, LedgerFile::Use::read).state().failed_reads;
}

std::string new_release() { return random_hex(16); }

}  // namespace tacit::inline v1
