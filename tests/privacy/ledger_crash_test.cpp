#include <sqlite3.h>

#include <array>
#include <csignal>

#include "ledger_support.hpp"

// A process that dies while it charges: at every single call that SQLite makes to the operating system, and
// while many charge at once.

namespace tacit::testing_ledger {
namespace {

// A layer between SQLite and the system's files that counts the calls that change a file, and kills the
// process, as `kill -9` would, right before the chosen one.
long calls_left = 0;
void one_call() {
  if (calls_left > 0 && --calls_left == 0) ::raise(SIGKILL);
}

// Writes to the log that are not flushed to the disk yet.
long unflushed = 0;

struct File {
  sqlite3_file base;
  sqlite3_file* real;
  bool is_log;
};
bool is_log(sqlite3_file* file) { return reinterpret_cast<File*>(file)->is_log; }
sqlite3_vfs* real_vfs = nullptr;
sqlite3_file* real(sqlite3_file* file) { return reinterpret_cast<File*>(file)->real; }

const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose =
        [](sqlite3_file* f) {
          one_call();
          return real(f)->pMethods->xClose(real(f));
        },
    .xRead = [](sqlite3_file* f, void* to, int n,
                sqlite3_int64 at) { return real(f)->pMethods->xRead(real(f), to, n, at); },
    .xWrite =
        [](sqlite3_file* f, const void* from, int n, sqlite3_int64 at) {
          one_call();
          unflushed += is_log(f) ? 1 : 0;
          return real(f)->pMethods->xWrite(real(f), from, n, at);
        },
    .xTruncate =
        [](sqlite3_file* f, sqlite3_int64 size) {
          one_call();
          return real(f)->pMethods->xTruncate(real(f), size);
        },
    .xSync =
        [](sqlite3_file* f, int flags) {
          one_call();
          if (is_log(f)) unflushed = 0;
          return real(f)->pMethods->xSync(real(f), flags);
        },
    .xFileSize = [](sqlite3_file* f,
                    sqlite3_int64* size) { return real(f)->pMethods->xFileSize(real(f), size); },
    .xLock =
        [](sqlite3_file* f, int kind) {
          one_call();
          return real(f)->pMethods->xLock(real(f), kind);
        },
    .xUnlock =
        [](sqlite3_file* f, int kind) {
          one_call();
          return real(f)->pMethods->xUnlock(real(f), kind);
        },
    .xCheckReservedLock = [](sqlite3_file* f,
                             int* out) { return real(f)->pMethods->xCheckReservedLock(real(f), out); },
    .xFileControl = [](sqlite3_file* f, int op,
                       void* arg) { return real(f)->pMethods->xFileControl(real(f), op, arg); },
    .xSectorSize = [](sqlite3_file* f) { return real(f)->pMethods->xSectorSize(real(f)); },
    .xDeviceCharacteristics =
        [](sqlite3_file* f) { return real(f)->pMethods->xDeviceCharacteristics(real(f)); },
    .xShmMap =
        [](sqlite3_file* f, int page, int size, int extend, void volatile** out) {
          one_call();
          return real(f)->pMethods->xShmMap(real(f), page, size, extend, out);
        },
    .xShmLock =
        [](sqlite3_file* f, int offset, int n, int flags) {
          one_call();
          return real(f)->pMethods->xShmLock(real(f), offset, n, flags);
        },
    .xShmBarrier = [](sqlite3_file* f) { real(f)->pMethods->xShmBarrier(real(f)); },
    .xShmUnmap =
        [](sqlite3_file* f, int remove) {
          one_call();
          return real(f)->pMethods->xShmUnmap(real(f), remove);
        },
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
  auto* wrapped = reinterpret_cast<File*>(file);
  wrapped->is_log = (flags & SQLITE_OPEN_WAL) != 0;
  wrapped->real = reinterpret_cast<sqlite3_file*>(wrapped + 1);
  const int code = real_vfs->xOpen(real_vfs, name, wrapped->real, flags, out);
  wrapped->base.pMethods = wrapped->real->pMethods != nullptr ? &methods : nullptr;
  return code;
}

int delete_file(sqlite3_vfs*, const char* name, int sync) {
  one_call();
  return real_vfs->xDelete(real_vfs, name, sync);
}

// From now on every database of this process goes through the layer, and the process dies at call number k.
void die_at_call(long k) {
  static sqlite3_vfs vfs;
  real_vfs = sqlite3_vfs_find(nullptr);
  vfs = *real_vfs;
  vfs.zName = "dying";
  vfs.szOsFile = static_cast<int>(sizeof(File)) + real_vfs->szOsFile;
  vfs.xOpen = open_file;
  vfs.xDelete = delete_file;
  sqlite3_vfs_register(&vfs, 1);
  calls_left = k;
}

constexpr int killed = 128 + SIGKILL;

class LedgerCrash : public LedgerTest {
 protected:
  // Charges, then leaves a file that stands for the release.
  int charge_and_release(const std::string& release) const {
    try {
      charge_ledger(path_, ask(Pure{0.125}));
    } catch (const BudgetError&) {
      return 3;
    } catch (const std::exception&) {
      return 4;
    }
    write_bytes(folder_ / release, "a model");
    return 0;
  }
  std::size_t releases() const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder_))
      count += entry.path().filename().string().starts_with("release");
    return count;
  }
};

// Every call that a charge makes, one after the other, until one runs to its end. The ledger may hold charges
// without a release, never a release without its charge; and it stays usable.
TEST_F(LedgerCrash, AtAnyCallOfAChargeNeverReleasesWithoutIt) {
  create(Pure{1000});
  int crashes = 0, spent_in_vain = 0;
  for (long k = 1;; ++k) {
    const std::size_t before = charges();
    const int code = in_child([&] {
      die_at_call(k);
      return charge_and_release("release" + std::to_string(k));
    });
    ASSERT_TRUE(code == killed || code == 0) << "call " << k << ": " << code;
    const std::size_t after = charges();
    ASSERT_TRUE(after == before || after == before + 1) << "call " << k;
    ASSERT_GE(after, releases()) << "call " << k;
    if (code == 0) {
      EXPECT_EQ(after, before + 1);
      break;
    }
    ++crashes;
    spent_in_vain += after > before ? 1 : 0;
  }
  EXPECT_GT(crashes, 20);       // the layer was there
  EXPECT_GT(spent_in_vain, 0);  // some calls come after the commit
  EXPECT_LT(spent_in_vain, crashes);
  EXPECT_EQ(spent_epsilon(), 0.125 * static_cast<double>(charges()));
}

TEST_F(LedgerCrash, WhileALedgerIsMadeLeavesNoneOrAWholeOne) {
  for (long k = 1;; ++k) {
    const int code = in_child([&] {
      die_at_call(k);
      create(Pure{1});
      return 0;
    });
    ASSERT_TRUE(code == killed || code == 0);
    if (code == 0) break;
    try {
      EXPECT_EQ(charges(), 0U);
    } catch (const DataError&) {  // reserved, not made: it can be charged by nobody
    }
    for (const char* log : {"", "-wal", "-shm", "-journal"}) fs::remove(path_.string() + log);
  }
}

// Another connection keeps the log alive, so that it is not merged and flushed at the end anyway.
TEST_F(LedgerCrash, ACommittedChargeIsOnTheDiskWhenItReturns) {
  create(Pure{1});
  const int code = in_child([&] {
    die_at_call(0);
    sqlite3* other = nullptr;
    sqlite3_open(path_.c_str(), &other);
    sqlite3_exec(other, "SELECT count(*) FROM charge", nullptr, nullptr, nullptr);
    charge_ledger(path_, ask(Pure{0.5}));
    const bool logged = fs::file_size(path_.string() + "-wal") > 0;
    return logged && unflushed == 0 ? 0 : 1;
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(spent_epsilon(), 0.5);
}

// 0.125 is exact in binary, so that the limit admits exactly limit / 0.125 releases.
void compete(const fs::path& path, double limit, int processes, int each, std::size_t expected) {
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p)
    children.push_back(start([&] {
      int accepted = 0;
      for (int k = 0; k < each; ++k) try {
          charge_ledger(path, ask(Pure{0.125}));
          ++accepted;
        } catch (const BudgetError&) {
        } catch (const std::exception&) {
          return 255;
        }
      return accepted;
    }));
  std::size_t accepted = 0;
  for (const pid_t child : children) {
    const int code = wait_for(child);
    ASSERT_LT(code, 128);
    accepted += static_cast<std::size_t>(code);
  }
  EXPECT_EQ(accepted, expected);
  const LedgerBudget budget = read_ledger(path).budgets.at(0);
  EXPECT_EQ(budget.charges.size(), expected);
  EXPECT_LE(std::get<Pure>(spent(budget)).epsilon, limit);
}

TEST_F(LedgerCrash, EightProcessesAtOnceSpendTheLimitAndNoMore) {
  create(Pure{5});
  compete(path_, 5, 8, 10, 40);
}

class LongLedgerCrash : public LedgerCrash {};

// Random deaths, 500 of them, among eight processes that charge at the same time.
TEST_F(LongLedgerCrash, FiveHundredAmongOthersNeverLoseACharge) {
  create(Pure{1000});
  std::uint64_t state = 1;
  int crashes = 0;
  for (int release = 0; crashes < 500; release += 8) {
    std::array<pid_t, 8> children{};
    for (std::size_t p = 0; p < children.size(); ++p) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      const long k = 1 + static_cast<long>((state >> 33) % 120);
      const std::string name = "release" + std::to_string(release + static_cast<int>(p));
      children[p] = start([&, k] {
        die_at_call(k);
        return charge_and_release(name);
      });
    }
    for (const pid_t child : children) {
      const int code = wait_for(child);
      ASSERT_TRUE(code == killed || code == 0) << code;
      crashes += code == killed ? 1 : 0;
    }
    ASSERT_GE(charges(), releases());
  }
}

}  // namespace
}  // namespace tacit::testing_ledger
