#include <sqlite3.h>

#include <csignal>

#include "faults.hpp"
#include "support.hpp"

// Ledgers that the first version of the tool made, committed as files: with what its `ledger show --json`
// said of them beside.

namespace tacit::testing_ledger {
namespace {

const fs::path samples = fs::path(TACIT_SOURCE_DIR) / "tests/ledger/v1";
constexpr auto sample_names = {"pure", "zcdp", "renyi", "ticket"};

std::string content(const Ledger& ledger) {
  std::string text = ledger.terms.accountant + ledger.created;
  for (const LedgerBudget& b : ledger.budgets) {
    text += "|" + b.name + in_words(b.limit) + (b.stated ? in_words(*b.stated) : "") + in_words(spent(b));
    for (const LedgerCharge& c : b.charges) {
      text += "/" + c.release + c.time + c.method + in_words(c.asked) + in_words(c.amount);
      if (c.ticket) text += c.ticket->token + c.ticket->key + c.ticket->file;
    }
  }
  return text;
}

class LedgerVersionOne : public LedgerTest {
 protected:
  void take(const std::string& name) const {
    fs::remove(path_);
    fs::copy_file(samples / (name + ".ledger"), path_);
  }
};

TEST_F(LedgerVersionOne, IsRead) {
  take("pure");
  const Ledger ledger = read_ledger(path_);
  ASSERT_EQ(ledger.budgets.size(), 1U);
  EXPECT_EQ(ledger.budgets[0].charges.size(), 3U);
  EXPECT_DOUBLE_EQ(spent_epsilon(), 0.85);
  EXPECT_EQ(failed_reads(path_), 0U);
  EXPECT_TRUE(is_ledger(path_));
  EXPECT_EQ(read_ledger_terms(path_).accountant, "pure");
}

TEST_F(LedgerVersionOne, IsNotWrittenAndTheRefusalNamesTheRemedy) {
  take("pure");
  for (const auto& write : std::vector<std::function<void()>>{[&] { charge_ledger(path_, ask(Pure{0.1})); },
                                                              [&] { check_charge(path_, ask(Pure{0.1})); },
                                                              [&] {
                                                                add_limit(path_, {"others", Pure{1}});
                                                              },
                                                              [&] { record_failed_read(path_, ""); }})
    EXPECT_NE(refused<DataError>(write).find("`tacit upgrade "), std::string::npos);
}

TEST_F(LedgerVersionOne, AnUpgradeKeepsAllThatIsInIt) {
  for (const char* name : sample_names) {
    take(name);
    const std::string before = content(read_ledger(path_));
    EXPECT_TRUE(upgrade_ledger(path_)) << name;
    EXPECT_EQ(content(read_ledger(path_)), before) << name;
    EXPECT_TRUE(is_ledger(path_));
    EXPECT_FALSE(upgrade_ledger(path_));
    EXPECT_EQ(content(read_ledger(path_)), before) << name;
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder_)) ++files;
    EXPECT_EQ(files, 1U) << name;
  }
}

TEST_F(LedgerVersionOne, AnUpgradedOneGoesOnWhereItWas) {
  take("pure");
  upgrade_ledger(path_);
  refused<BudgetError>([&] { charge_ledger(path_, ask(Pure{2.25}, "", Neighbours::replace_one)); });
  charge_ledger(path_, ask(Pure{2}, "", Neighbours::replace_one));
  EXPECT_EQ(charges(), 4U);
  take("ticket");
  upgrade_ledger(path_);
  const LedgerCharge open = budget().charges.at(0);
  close_ticket(path_, open.release, open.ticket.value().token);
  EXPECT_FALSE(budget().charges.at(0).ticket);
}

TEST_F(LedgerVersionOne, AKillDuringTheUpgradeLosesNothing) {
  for (const Death death : {Death::before_it, Death::half_way})
    for (long k = 1;; ++k) {
      take("zcdp");
      const std::string before = content(read_ledger(path_));
      const int code = in_child([&] {
        die_at_call(k, death);
        upgrade_ledger(path_);
        return 0;
      });
      ASSERT_TRUE(code == 0 || code == 128 + SIGKILL) << code;
      // The first page is one sector, which a disk writes whole: half of it is no state to come back from.
      bool torn = false;
      try {
        EXPECT_EQ(content(read_ledger(path_)), before) << k;
      } catch (const DataError&) {
        torn = true;
      }
      EXPECT_TRUE(!torn || death == Death::half_way) << k;
      if (!torn) {
        upgrade_ledger(path_);
        charge_ledger(path_, ask(Pure{0.1}, "people", Neighbours::replace_one));
        EXPECT_EQ(charges(), 3U);
      }
      for (const char* log : {"-wal", "-shm", "-journal"}) fs::remove(path_.string() + log);
      if (code == 0) break;
    }
}

// What is in SQLite's log beside the file comes along.
TEST_F(LedgerVersionOne, AnUpgradeTakesTheLogBesideIt) {
  take("pure");
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &other), SQLITE_OK);
  const int code = in_child([&] {  // ends without closing, so that the log stays
    sqlite3* writer = nullptr;
    sqlite3_open(path_.c_str(), &writer);
    sqlite3_exec(writer, "PRAGMA wal_autocheckpoint = 0; CREATE TABLE more (x)", nullptr, nullptr, nullptr);
    return fs::file_size(path_.string() + "-wal") > 0 ? 0 : 1;
  });
  sqlite3_close(other);
  ASSERT_EQ(code, 0);
  ASSERT_TRUE(fs::exists(path_.string() + "-wal"));
  const std::string before = content(read_ledger(path_));
  upgrade_ledger(path_);
  EXPECT_FALSE(fs::exists(path_.string() + "-wal"));
  EXPECT_EQ(content(read_ledger(path_)), before);
}

TEST_F(LedgerVersionOne, ADamagedOneIsNotUpgraded) {
  take("pure");
  std::string bytes = read_bytes(path_);
  const std::size_t at = bytes.find("limited-objective");
  bytes.at(at) = 'x';
  write_bytes(path_, bytes);
  refused<DataError>([&] { upgrade_ledger(path_); });
  write_bytes(path_, "name,age\n");
  refused<DataError>([&] { upgrade_ledger(path_); });
}

}  // namespace
}  // namespace tacit::testing_ledger
