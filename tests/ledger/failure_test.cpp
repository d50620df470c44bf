#include <fcntl.h>
#include <grp.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <sstream>

#include "support.hpp"

namespace tacit::testing_ledger {
namespace {

// Runs `sql` on the file, behind the ledger's back.
int edit(const fs::path& path, const char* sql) {
  sqlite3* handle = nullptr;
  sqlite3_open(path.c_str(), &handle);
  const int code = sqlite3_exec(handle, sql, nullptr, nullptr, nullptr);
  sqlite3_close(handle);
  return code;
}

// All that can be read of a ledger, as text.
std::string content(const Ledger& ledger) {
  std::ostringstream text;
  text << ledger.terms.accountant << name(ledger.terms.unit) << name(ledger.terms.neighbours)
       << ledger.created;
  for (const LedgerBudget& b : ledger.budgets) {
    text << '|' << b.name << ' ' << in_words(b.limit);
    for (const LedgerCharge& c : b.charges)
      text << '/' << c.release << c.time << c.method << in_words(c.asked) << in_words(c.amount);
  }
  return text.str();
}

class LedgerFailure : public LedgerTest {
 protected:
  // Every position of a byte is damaged in turn, every `stride`-th of them: the ledger is refused as damaged,
  // or nothing that it says was touched.
  void damage_bytes(std::size_t stride) {
    create(Pure{10});
    for (int k = 0; k < 5; ++k) charge_ledger(path_, ask(Pure{0.5}));
    const std::string good = read_bytes(path_), truth = content(read_ledger(path_));
    int refusals = 0;
    for (std::size_t at = 0; at < good.size(); at += stride) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 8)));
      write_bytes(path_, bad);
      try {
        EXPECT_EQ(content(read_ledger(path_)), truth) << "byte " << at;
        charge_ledger(path_, ask(Pure{0.5}));
        EXPECT_EQ(charges(), 6U) << "byte " << at;
      } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        ++refusals;
      }
    }
    EXPECT_GT(refusals, 0);
  }
};

class LongLedgerFailure : public LedgerFailure {};

TEST_F(LedgerFailure, AFlippedBitIsFoundOrHarmless) { damage_bytes(101); }
TEST_F(LongLedgerFailure, AFlippedBitAnywhereIsFoundOrHarmless) { damage_bytes(1); }

TEST_F(LedgerFailure, ATruncatedFileIsDamaged) {
  create(Pure{1});
  charge_ledger(path_, ask(Pure{0.5}));
  const std::string good = read_bytes(path_);
  for (const double part : {0.0, 0.01, 0.3, 0.6, 0.9, 0.999}) {
    write_bytes(path_, good.substr(0, static_cast<std::size_t>(part * static_cast<double>(good.size()))));
    refused<DataError>([&] { charge_ledger(path_, ask(Pure{0.1})); });
    refused<DataError>([&] { read_ledger(path_); });
  }
}

TEST_F(LedgerFailure, AnotherKindOfFileIsNoLedger) {
  write_bytes(path_, "name,age\nAda,36\n");
  refused<DataError>([&] { charge_ledger(path_, ask(Pure{0.1})); });
  fs::remove(path_);
  edit(path_, "CREATE TABLE charge (x)");
  EXPECT_NE(refused<DataError>([&] { charge_ledger(path_, ask(Pure{0.1})); }).find("is not a ledger"),
            std::string::npos);
  EXPECT_THROW(charge_ledger(folder_, ask(Pure{0.1})), DataError);
}

TEST_F(LedgerFailure, AMissingFileIsNotMade) {
  EXPECT_THROW(charge_ledger(path_, ask(Pure{0.1})), NotFoundError);
  EXPECT_THROW(read_ledger(path_), NotFoundError);
  EXPECT_THROW(add_limit(path_, {"a", Pure{1}}), NotFoundError);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(LedgerFailure, ALedgerOfANewerVersionIsRefused) {
  create(Pure{1});
  std::string bytes = read_bytes(path_);
  for (const std::size_t page : {0, 4096}) bytes.at(page + std::string("tacit-ledger ").size()) = '3';
  write_bytes(path_, bytes);
  EXPECT_NE(refused<DataError>([&] { charge_ledger(path_, ask(Pure{0.1})); }).find("newer tacit"),
            std::string::npos);
}

// Replaces text in the file, from the n-th occurrence of `what` on.
void replace_text(const fs::path& path, const std::string& what, const std::string& by, int n = 1) {
  std::string bytes = read_bytes(path);
  std::size_t at = bytes.find(what);
  while (--n > 0) at = bytes.find(what, at + 1);
  ASSERT_NE(at, bytes.npos) << what;
  write_bytes(path, bytes.replace(at, what.size(), by));
}

TEST_F(LedgerFailure, AnEditedOrRemovedEntryIsFound) {
  const std::string charge = R"({"type":"charge")";
  for (const auto& [what, by] :
       {std::pair<std::string, std::string>{R"("amount":{"notion":"pure","epsilon":0.5)",
                                            R"("amount":{"notion":"pure","epsilon":0.1)"},
        {R"("limit":{"notion":"pure","epsilon":1)", R"("limit":{"notion":"pure","epsilon":9)"},
        {R"("unit":"item")", R"("unit":"user")"},
        {R"("name":"people")", R"("name":"others")"},
        {charge, R"({"type":"limit")"}}) {
    fs::remove(path_);
    create(Pure{10});
    charge_ledger(path_, ask(Pure{0.5}));
    charge_ledger(path_, ask(Pure{0.5}));
    replace_text(path_, what, by);
    refused<DataError>([&] { charge_ledger(path_, ask(Pure{0.1})); });
    refused<DataError>([&] { read_ledger(path_); });
  }
  fs::remove(path_);
  create(Pure{10});
  for (int k = 0; k < 3; ++k) charge_ledger(path_, ask(Pure{0.5}));
  const std::string bytes = read_bytes(path_);
  const std::size_t second = bytes.find(charge, bytes.find(charge) + 1),
                    third = bytes.find(charge, second + 1);
  write_bytes(path_, bytes.substr(0, second) + bytes.substr(third));
  refused<DataError>([&] { charge_ledger(path_, ask(Pure{0.1})); });
  refused<DataError>([&] { read_ledger(path_); });
}

// A charge reads from the last summary on. An edit before it gives no budget back, and whoever looks at the
// ledger finds it.
TEST_F(LedgerFailure, AnEditBeforeTheLastSummaryGivesNothingBack) {
  create(Pure{10});
  for (int k = 0; k < 99; ++k) charge_ledger(path_, ask(Pure{0.0625}));
  replace_text(path_, R"("amount":{"notion":"pure","epsilon":0.0625)",
               R"("amount":{"notion":"pure","epsilon":0.0001)", 5);
  refused<BudgetError>([&] { charge_ledger(path_, ask(Pure{4})); });
  charge_ledger(path_, ask(Pure{0.0625}));
  EXPECT_NE(refused<DataError>([&] { read_ledger(path_); }).find("not what was written"), std::string::npos);
}

// Both first pages are needed only in turn.
TEST_F(LedgerFailure, ALostPageLosesNoCharge) {
  for (const std::size_t page : {0, 4096}) {
    fs::remove(path_);
    create(Pure{10});
    for (std::size_t k = 0; k < 3; ++k) {
      charge_ledger(path_, ask(Pure{0.5}));
      std::string bytes = read_bytes(path_);
      bytes.replace(page, 512, std::string(512, '\0'));
      write_bytes(path_, bytes);
      EXPECT_EQ(charges(), k + 1);
    }
  }
  std::string bytes = read_bytes(path_);
  for (const std::size_t page : {0, 4096}) bytes.at(page + 20) = '!';
  write_bytes(path_, bytes);
  refused<DataError>([&] { charge_ledger(path_, ask(Pure{0.1})); });
}

TEST_F(LedgerFailure, AFileThatTakesItsPlaceIsTheLedger) {
  create(Pure{1});
  const LedgerLimit limits[] = {{"others", Pure{2}}};
  create_ledger(folder_ / "new.ledger", {}, limits);
  const int held = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  const pid_t child = start([&] {
    charge_ledger(path_, ask(Pure{1.5}));  // waits for the lock; more than the first one allows
    return 0;
  });
  ::usleep(100'000);
  fs::rename(folder_ / "new.ledger", path_);
  ::flock(held, LOCK_UN);  // the child has a copy of the descriptor
  ::close(held);
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_EQ(budget().name, "others");
  EXPECT_EQ(charges(), 1U);
}

TEST_F(LedgerFailure, ASymbolicLinkIsTheSameLedger) {
  create(Pure{1});
  fs::create_symlink(path_, folder_ / "other.ledger");
  charge_ledger(folder_ / "other.ledger", ask(Pure{0.75}));
  refused<BudgetError>([&] { charge_ledger(path_, ask(Pure{0.5})); });
}

TEST_F(LedgerFailure, OnlyItsOwnerReadsANewLedgerAndAnOldOneKeepsItsMode) {
  const mode_t before = ::umask(022);
  create(Pure{1});
  ::umask(before);
  constexpr auto owner = fs::perms::owner_read | fs::perms::owner_write;
  EXPECT_EQ(fs::status(path_).permissions(), owner);
  fs::permissions(path_, owner | fs::perms::group_read);
  charge_ledger(path_, ask(Pure{0.5}));
  EXPECT_EQ(fs::status(path_).permissions(), owner | fs::perms::group_read);
}

// Root may write anything: the child becomes nobody first.
int charge_as_nobody(const fs::path& path) {
  constexpr uid_t nobody = 65534;
  if (::geteuid() == 0 && (::setgroups(0, nullptr) != 0 || ::setgid(nobody) != 0 || ::setuid(nobody) != 0))
    return 9;
  try {
    charge_ledger(path, ask(Pure{0.1}));
    return 0;
  } catch (const WriteError&) {
    return 1;
  } catch (const Error&) {
    return 2;
  }
}

TEST_F(LedgerFailure, AReadOnlyFileIsAWriteErrorAndAReadOnlyFolderIsNone) {
  create(Pure{1});
  constexpr auto everyone = fs::perms::owner_all | fs::perms::group_all | fs::perms::others_all;
  constexpr auto no_writing = fs::perms::owner_read | fs::perms::owner_exec | fs::perms::group_read |
                              fs::perms::group_exec | fs::perms::others_read | fs::perms::others_exec;
  constexpr auto only_reading = fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read;
  fs::permissions(folder_, everyone);
  fs::permissions(path_, only_reading);
  EXPECT_EQ(in_child([&] { return charge_as_nobody(path_); }), 1);
  fs::permissions(path_, everyone);
  EXPECT_EQ(charges(), 0U);
  EXPECT_EQ(in_child([&] { return charge_as_nobody(path_); }), 0);  // the control: it was the permissions
  EXPECT_EQ(charges(), 1U);
  fs::permissions(folder_, no_writing);  // nothing is written beside the file
  EXPECT_EQ(in_child([&] { return charge_as_nobody(path_); }), 0);
  fs::permissions(folder_, everyone);
  EXPECT_EQ(charges(), 2U);
}

// A file may not grow beyond `bytes`: what a full disk is to a process.
int charge_with_room(const fs::path& path, rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 9;
  try {
    charge_ledger(path, ask(Pure{0.125}));
    return 0;
  } catch (const WriteError&) {
    return 1;
  } catch (...) {
    return 2;
  }
}

// Whatever room there is: a charge is either taken in full or refused as one that cannot be written.
TEST_F(LedgerFailure, AFullDiskIsAWriteErrorAndNoCharge) {
  create(Pure{100});
  std::size_t taken = 0, refusals = 0;
  for (rlim_t room = 0; room < 80'000; room += 997) {
    const int code = in_child([&] { return charge_with_room(path_, room); });
    ASSERT_TRUE(code == 0 || code == 1) << room << " " << code;
    (code == 0 ? taken : refusals) += 1;
    EXPECT_EQ(charges(), taken) << room;
  }
  EXPECT_GT(taken, 0U);
  EXPECT_GT(refusals, 0U);
}

TEST_F(LedgerFailure, AFullDiskLeavesNoHalfMadeLedger) {
  const int code = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{5000, 5000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      create(Pure{1});
      return 0;
    } catch (const WriteError&) {
      return 1;
    }
  });
  EXPECT_EQ(code, 1);
  EXPECT_TRUE(fs::is_empty(folder_));
}

}  // namespace
}  // namespace tacit::testing_ledger
