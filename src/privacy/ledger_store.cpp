#include "ledger_store.hpp"

#include <map>
#include <tuple>
#include <utility>

#include "ledger_parts.hpp"
#include "ledger_seal.hpp"
#include "tacit/core/error.hpp"

namespace tacit::inline v1 {

namespace {

constexpr std::int64_t first_version = 1, version_with_tickets = 2;

// A number is stored as REAL, an IEEE double, so that it comes back bit for bit. Guarantees of all notions
// are rows of `part`: the limit of a budget and what it was derived from, what a charge asked for and its
// amount.
constexpr const char* tables = R"(
CREATE TABLE terms (accountant TEXT NOT NULL, unit TEXT NOT NULL, neighbours TEXT NOT NULL,
                    created TEXT NOT NULL, seal TEXT NOT NULL) STRICT;
CREATE TABLE budget (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
CREATE TABLE charge (id INTEGER PRIMARY KEY, budget INTEGER NOT NULL, release TEXT NOT NULL,
                     time TEXT NOT NULL, method TEXT NOT NULL) STRICT;
CREATE TABLE part (role TEXT NOT NULL, owner INTEGER NOT NULL, notion TEXT NOT NULL, name TEXT NOT NULL,
                   "order" REAL NOT NULL, value REAL NOT NULL) STRICT;
CREATE TRIGGER budget_stays BEFORE DELETE ON budget BEGIN SELECT RAISE(ABORT, 'a limit is never removed'); END;
CREATE TRIGGER budget_is_fixed BEFORE UPDATE ON budget BEGIN SELECT RAISE(ABORT, 'a limit is never changed'); END;
CREATE TRIGGER charge_stays BEFORE DELETE ON charge BEGIN SELECT RAISE(ABORT, 'a charge is never removed'); END;
CREATE TRIGGER charge_is_fixed BEFORE UPDATE ON charge BEGIN SELECT RAISE(ABORT, 'a charge is never changed'); END;
CREATE TRIGGER part_stays BEFORE DELETE ON part BEGIN SELECT RAISE(ABORT, 'a charge is never removed'); END;
CREATE TRIGGER part_is_fixed BEFORE UPDATE ON part BEGIN SELECT RAISE(ABORT, 'a charge is never changed'); END;
)";

// Made when the first ticket is written; a ledger without stays as older versions know it.
constexpr const char* ticket_table = R"(
CREATE TABLE ticket (charge INTEGER PRIMARY KEY, token TEXT NOT NULL, key TEXT NOT NULL, file TEXT NOT NULL) STRICT;
)";

[[noreturn]] void damaged(const Database& database, std::string_view why) {
  throw_error<DataError>("{}: the ledger is damaged: {}", database.path(), why);
}

void require_format(Database& database) {
  if (database.integer("PRAGMA application_id") != ledger_application_id)
    throw_error<DataError>("{}: is not a ledger (`tacit ledger create` makes one)", database.path());
  const std::int64_t version = database.integer("PRAGMA user_version");
  if (version > version_with_tickets)
    throw_error<DataError>("{}: the ledger was made by a newer tacit (format {}, this one knows {})",
                           database.path(), version, version_with_tickets);
  if (version < first_version) damaged(database, fmt::format("its format is {}", version));
}

void write_parts(Database& database, std::string_view role, std::int64_t owner, const Guarantee& guarantee) {
  Statement insert(database, "INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)");
  for (const Part& part : parts_of(guarantee))
    insert.bind(role)
        .bind(owner)
        .bind(notion(guarantee))
        .bind(part.name)
        .bind(part.order)
        .bind(part.value)
        .run();
}

void write_seal(Database& database, const Ledger& ledger) {
  Statement(database, "UPDATE terms SET seal = ?").bind(seal(ledger)).run();
}

bool has_tickets(Database& database) {
  return database.integer("PRAGMA user_version") >= version_with_tickets;
}

void add_ticket_table(Database& database) {
  database.run(ticket_table);
  database.run(fmt::format("PRAGMA user_version = {}", version_with_tickets).c_str());
}

using PartKey = std::tuple<std::string, std::int64_t>;  // role, owner
struct StoredGuarantee {
  std::string notion;
  std::vector<Part> parts;
};
using StoredParts = std::map<PartKey, StoredGuarantee>;

StoredParts load_parts(Database& database) {
  StoredParts stored;
  Statement query(database, R"(SELECT role, owner, notion, name, "order", value FROM part ORDER BY rowid)");
  while (query.next()) {
    StoredGuarantee& guarantee = stored[{query.text(0), query.integer(1)}];
    guarantee.notion = query.text(2);
    guarantee.parts.push_back({query.text(3), query.number(4), query.number(5)});
  }
  return stored;
}

// The file's tables in memory. Every contradiction is damage.
class Loader {
 public:
  explicit Loader(Database& database) : database_(&database), parts_(load_parts(database)) {}

  Ledger load() {
    const std::string written = load_terms();
    load_budgets();
    load_charges();
    if (has_tickets(*database_)) load_tickets();
    if (seal(ledger_) != written) damaged(*database_, "its content is not what was written");
    return std::move(ledger_);
  }

 private:
  Guarantee guarantee(const std::string& role, std::int64_t owner) const {
    const auto it = parts_.find({role, owner});
    const auto found = it == parts_.end() ? std::nullopt : from_parts(it->second.notion, it->second.parts);
    if (!found) damaged(*database_, fmt::format("a guarantee ({}) is missing or makes no sense", role));
    return *found;
  }

  // Returns the seal that was written with them.
  std::string load_terms() {
    Statement query(*database_, "SELECT accountant, unit, neighbours, created, seal FROM terms");
    if (!query.next()) damaged(*database_, "its terms are missing");
    try {
      ledger_.terms = {query.text(0), parse_unit(query.text(1)), parse_neighbours(query.text(2))};
    } catch (const UsageError& error) {
      damaged(*database_, error.what());
    }
    ledger_.created = query.text(3);
    return query.text(4);
  }

  void load_budgets() {
    Statement query(*database_, "SELECT id, name FROM budget ORDER BY id");
    while (query.next()) {
      const std::int64_t id = query.integer(0);
      if (id != static_cast<std::int64_t>(ledger_.budgets.size()) + 1)
        damaged(*database_, "a limit is missing");
      LedgerBudget budget{
          .name = query.text(1), .limit = guarantee("limit", id), .stated = {}, .charges = {}};
      if (parts_.contains({"stated", id})) {
        const Guarantee stated = guarantee("stated", id);
        if (!std::holds_alternative<Approx>(stated)) damaged(*database_, "a limit has the wrong notion");
        budget.stated = std::get<Approx>(stated);
      }
      ledger_.budgets.push_back(std::move(budget));
    }
  }

  void load_charges() {
    Statement query(*database_, "SELECT id, budget, release, time, method FROM charge ORDER BY id");
    while (query.next()) {
      const std::int64_t id = query.integer(0), budget = query.integer(1);
      if (budget < 1 || budget > static_cast<std::int64_t>(ledger_.budgets.size()))
        damaged(*database_, "a charge belongs to no limit");
      ledger_.budgets[static_cast<std::size_t>(budget) - 1].charges.push_back(
          {.release = query.text(2),
           .time = query.text(3),
           .method = query.text(4),
           .asked = guarantee("asked", id),
           .amount = guarantee("amount", id),
           .ticket = {}});
    }
  }

  void load_tickets() {
    Statement query(*database_,
                    "SELECT release, token, key, file FROM ticket JOIN charge ON charge.id = ticket.charge");
    while (query.next()) {
      LedgerCharge* charge = find_release(ledger_, query.text(0));
      if (charge == nullptr) damaged(*database_, "a ticket belongs to no charge");
      charge->ticket = {query.text(1), query.text(2), query.text(3)};
    }
  }

  Database* database_;
  StoredParts parts_;
  Ledger ledger_;
};

}  // namespace

void write_new(Database& database, const Ledger& ledger) {
  database.run(tables);
  database.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", ledger_application_id,
                           first_version)
                   .c_str());
  Statement(database, "INSERT INTO terms VALUES (?, ?, ?, ?, ?)")
      .bind(ledger.terms.accountant)
      .bind(name(ledger.terms.unit))
      .bind(name(ledger.terms.neighbours))
      .bind(ledger.created)
      .bind(seal(ledger))
      .run();
}

Ledger load(Database& database) {
  require_format(database);
  return Loader(database).load();
}

void append_budget(Database& database, Ledger& ledger, LedgerBudget budget) {
  Statement(database, "INSERT INTO budget (name) VALUES (?)").bind(budget.name).run();
  const std::int64_t id = database.last_row();
  write_parts(database, "limit", id, budget.limit);
  if (budget.stated) write_parts(database, "stated", id, *budget.stated);
  ledger.budgets.push_back(std::move(budget));
  write_seal(database, ledger);
}

void append_charge(Database& database, Ledger& ledger, std::size_t budget, LedgerCharge charge) {
  Statement(database, "INSERT INTO charge (budget, release, time, method) VALUES (?, ?, ?, ?)")
      .bind(static_cast<std::int64_t>(budget) + 1)
      .bind(charge.release)
      .bind(charge.time)
      .bind(charge.method)
      .run();
  const std::int64_t id = database.last_row();
  write_parts(database, "asked", id, charge.asked);
  write_parts(database, "amount", id, charge.amount);
  const std::optional<LedgerTicket> ticket = std::exchange(charge.ticket, std::nullopt);
  ledger.budgets[budget].charges.push_back(std::move(charge));
  if (ticket)
    set_ticket(database, ledger, ledger.budgets[budget].charges.back(), ticket);
  else
    write_seal(database, ledger);
}

void set_ticket(Database& database, Ledger& ledger, LedgerCharge& charge,
                std::optional<LedgerTicket> ticket) {
  if (!has_tickets(database)) add_ticket_table(database);
  if (ticket)
    Statement(database, "INSERT OR REPLACE INTO ticket SELECT id, ?, ?, ? FROM charge WHERE release = ?")
        .bind(ticket->token)
        .bind(ticket->key)
        .bind(ticket->file)
        .bind(charge.release)
        .run();
  else
    Statement(database, "DELETE FROM ticket WHERE charge = (SELECT id FROM charge WHERE release = ?)")
        .bind(charge.release)
        .run();
  charge.ticket = std::move(ticket);
  write_seal(database, ledger);
}

LedgerCharge* find_release(Ledger& ledger, const std::string& release) {
  for (LedgerBudget& budget : ledger.budgets)
    for (LedgerCharge& charge : budget.charges)
      if (charge.release == release) return &charge;
  return nullptr;
}

void commit_checked(Database& database, const Ledger& meant, Transaction& transaction) {
  if (seal(load(database)) != seal(meant))
    throw_error<DataError>("{}: the ledger is damaged: a charge was not taken", database.path());
  transaction.commit();
}

}  // namespace tacit::inline v1
