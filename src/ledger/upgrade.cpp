#include <algorithm>

#include "ledger/journal.hpp"
#include "ledger/version_one.hpp"
#include "tacit/core.hpp"
#include "tacit/ledger.hpp"

namespace tacit::inline v1 {

namespace {

// Each name's charges in their order: sums depend on it in their last bit.
std::vector<Json> entries_of(const Ledger& ledger) {
  std::vector<Json> entries{terms_entry(ledger.terms, ledger.created)};
  for (const LedgerBudget& budget : ledger.budgets) entries.push_back(limit_entry(budget));
  for (const LedgerBudget& budget : ledger.budgets)
    for (const LedgerCharge& charge : budget.charges) entries.push_back(charge_entry(budget.name, charge));
  return entries;
}

// The file is SQLite's alone, its log is inside it and gone from beside it.
void take_over(Database& database) {
  database.run("PRAGMA locking_mode = EXCLUSIVE");
  Statement mode(database, "PRAGMA journal_mode = DELETE");
  if (!mode.next() || mode.text(0) != "delete") database.fail(SQLITE_BUSY);
}

// Behind SQLite's pages, in the same file: another name of it sees the upgrade too. The write of the first
// page makes it a ledger of format 2; until then it is one of format 1 with some bytes behind its end.
void upgrade(const LedgerFile& file) {
  Database database(file.path(), Database::Use::upgrade);
  {
    const Transaction transaction(database);
    load_version_one(database);  // one that is damaged stays as it is
  }
  take_over(database);
  database.run("BEGIN EXCLUSIVE");  // older versions of the tool stay out until the file is no longer theirs
  const Ledger before = load_version_one(database);
  const std::uint64_t begin = std::max(first_entry, (file.size() + page_size - 1) / page_size * page_size);
  write_first_entries(file, begin, entries_of(before), [&](const Commit& commit) {
    Replay replay(Replay::Keep::charges);
    ChainReader chain(file, commit.begin, commit.end, no_hash);
    while (const auto text = chain.next()) replay.apply(Json::parse(*text));
    if (chain.at() != commit.end || seal(std::move(replay).ledger()) != seal(before))
      throw_error<WriteError>("{}: the ledger was not upgraded: what was written is not what was read",
                              file.path());
  });
}

}  // namespace

bool upgrade_ledger(const std::filesystem::path& path) {
  {
    const LedgerFile file(path, LedgerFile::Use::write);
    if (is_sqlite(file.read(0, version_one_head))) {
      upgrade(file);
      return true;
    }
  }
  Journal(path, LedgerFile::Use::read);  // throws unless it is a ledger
  return false;
}

}  // namespace tacit::inline v1
