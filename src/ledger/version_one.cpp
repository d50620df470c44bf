#include "ledger/version_one.hpp"

#include <map>
#include <tuple>
#include <utility>

#include "ledger/lock.hpp"
#include "ledger/parts.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

constexpr std::int64_t ledger_application_id = 0x74614c65;           // "taLe"
constexpr std::int64_t first_version = 1, version_with_tickets = 2;  // SQLite's user_version

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

bool has_tickets(Database& database) {
  return database.integer("PRAGMA user_version") >= version_with_tickets;
}

// Every field carries its length, so that no two ledgers have the same bytes.
class Bytes {
 public:
  Bytes& operator<<(std::string_view text) {
    bytes_ += fmt::format("{}:{},", text.size(), text);
    return *this;
  }
  Bytes& operator<<(const Guarantee& guarantee) {
    *this << notion(guarantee);
    for (const Part& part : parts_of(guarantee))
      *this << part.name << fmt::format("{:a}", part.order) << fmt::format("{:a}", part.value);
    return *this << "";
  }
  const std::string& all() const { return bytes_; }

 private:
  std::string bytes_;
};

LedgerCharge* find_release(Ledger& ledger, const std::string& release) {
  for (LedgerBudget& budget : ledger.budgets)
    for (LedgerCharge& charge : budget.charges)
      if (charge.release == release) return &charge;
  return nullptr;
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

std::string seal(const Ledger& ledger) {
  Bytes bytes;
  bytes << ledger.terms.accountant << name(ledger.terms.unit) << name(ledger.terms.neighbours)
        << ledger.created;
  for (const LedgerBudget& budget : ledger.budgets) {
    bytes << "budget" << budget.name << budget.limit;
    if (budget.stated) bytes << "stated" << Guarantee(*budget.stated);
    for (const LedgerCharge& charge : budget.charges) {
      bytes << "charge" << charge.release << charge.time << charge.method << charge.asked << charge.amount;
      if (charge.ticket)
        bytes << "ticket" << charge.ticket->token << charge.ticket->key << charge.ticket->file;
    }
  }
  return fingerprint(bytes.all());
}

bool is_sqlite(std::string_view first_bytes) {
  return first_bytes.starts_with(std::string_view("SQLite format 3\0", 16));
}

bool is_version_one(std::string_view head) {
  if (!is_sqlite(head) || head.size() < version_one_head) return false;
  std::int64_t number = 0;  // the application's number, high byte first
  for (std::size_t k = version_one_head - 4; k < version_one_head; ++k)
    number = number << 8 | static_cast<unsigned char>(head[k]);
  return number == ledger_application_id;
}

Ledger load_version_one(Database& database) {
  require_format(database);
  return Loader(database).load();
}

Ledger read_version_one(const std::filesystem::path& path) {
  Database database(path, Database::Use::read);
  const Transaction transaction(database);
  return load_version_one(database);
}

}  // namespace tacit::inline v1
