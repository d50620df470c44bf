#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>

#include <csignal>

#include "faults.hpp"
#include "support.hpp"

// One file under two names: hard links, which need no privileges, and a second mount, as a container's volume
// has it.

namespace tacit::testing_ledger {
namespace {

std::size_t charges_at(const fs::path& path) { return read_ledger(path).budgets.at(0).charges.size(); }

bool refuses(const fs::path& path, double epsilon) {
  try {
    charge_ledger(path, ask(Pure{epsilon}));
    return false;
  } catch (const BudgetError&) {
    return true;
  }
}

// What the two names do not agree on; empty when all is well. `limit` is 100, nothing is charged.
std::string differs(const fs::path& a, const fs::path& b) {
  charge_ledger(a, ask(Pure{50}));
  if (!refuses(b, 51)) return "the second name does not see a charge under the first";
  // Killed under one name at every call; the other sees the charge or a ledger without it.
  for (const Death death : {Death::before_it, Death::half_way})
    for (long k = 1; k <= 6; ++k) {
      const std::size_t before = charges_at(a);
      const int code = in_child([&] {
        die_at_call(k, death);
        charge_ledger(k % 2 == 0 ? a : b, ask(Pure{0.125}));
        return 0;
      });
      const std::size_t after = charges_at(k % 2 == 0 ? b : a);
      if (code != 0 && code != 128 + SIGKILL) return "a charge failed";
      if (after != charges_at(a) || after < before + (code == 0 ? 1 : 0) || after > before + 1)
        return "a charge was lost in a crash";
    }
  // All that is left, by four processes under each name.
  const double left = std::get<Pure>(tacit::left(read_ledger(a).budgets.at(0))).epsilon;
  const std::size_t before = charges_at(a);
  std::vector<pid_t> children;
  for (int p = 0; p < 8; ++p)
    children.push_back(start([&, p] {
      int accepted = 0;
      while (!refuses(p % 2 == 0 ? a : b, left / 16)) ++accepted;
      return accepted;
    }));
  int accepted = 0;
  for (const pid_t child : children) accepted += wait_for(child);
  if (accepted != 16 || charges_at(a) != before + 16 || charges_at(b) != before + 16)
    return "processes under two names spent " + std::to_string(accepted) + " of 16 parts";
  return "";
}

TEST_F(LedgerTest, AHardLinkIsTheSameLedger) {
  create(Pure{100});
  fs::create_hard_link(path_, folder_ / "other.ledger");
  EXPECT_EQ(differs(path_, folder_ / "other.ledger"), "");
}

TEST_F(LedgerTest, APathThroughAnOpenFileIsTheSameLedger) {
  create(Pure{100});
  const int file = ::open(path_.c_str(), O_RDWR);
  EXPECT_EQ(differs(path_, "/proc/self/fd/" + std::to_string(file)), "");
  ::close(file);
}

constexpr int not_allowed = 77;

// In a world of mounts of its own, which ends with the process.
bool mount_at(const fs::path& file, const fs::path& other) {
  const int kinds = ::geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER;
  write_bytes(other, "");
  return ::unshare(kinds) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount(file.c_str(), other.c_str(), nullptr, MS_BIND, nullptr) == 0;
}

TEST_F(LedgerTest, AMountedVolumeIsTheSameLedger) {
  create(Pure{100});
  const fs::path other = folder_ / "volume.ledger";
  const int code = in_child([&] {
    if (!mount_at(path_, other)) return not_allowed;
    const std::string difference = differs(path_, other);
    write_bytes(folder_ / "difference", difference);
    return 0;
  });
  if (code == not_allowed) GTEST_SKIP() << "this machine does not allow mounts: the volume was NOT tested";
  EXPECT_EQ(code, 0);
  EXPECT_TRUE(fs::exists(folder_ / "difference"));
  EXPECT_EQ(read_bytes(folder_ / "difference"), "");
  EXPECT_GT(charges(), 16U);  // seen from outside, too
}

TEST_F(LedgerTest, AReadOnlyMountIsReadAndNotCharged) {
  create(Pure{100});
  charge_ledger(path_, ask(Pure{1}));
  const fs::path other = folder_ / "volume.ledger";
  const int code = in_child([&] {
    if (!mount_at(path_, other) ||
        ::mount(nullptr, other.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0)
      return not_allowed;
    if (charges_at(other) != 1) return 1;
    try {
      charge_ledger(other, ask(Pure{1}));
      return 2;
    } catch (const WriteError&) {
      return charges_at(path_) == 1 ? 0 : 3;
    }
  });
  if (code == not_allowed) GTEST_SKIP() << "this machine does not allow mounts: the volume was NOT tested";
  EXPECT_EQ(code, 0);
}

// Two containers with process ids of their own: both may have the same one.
TEST_F(LedgerTest, ProcessesThatDoNotSeeEachOtherSpendTheLimitAndNoMore) {
  create(Pure{1});
  std::vector<pid_t> children;
  for (int p = 0; p < 4; ++p)
    children.push_back(start([&] {
      if (::unshare(::geteuid() == 0 ? CLONE_NEWPID : CLONE_NEWPID | CLONE_NEWUSER) != 0) return not_allowed;
      return in_child([&] {  // the first process of its world: its id is 1
        int accepted = 0;
        while (!refuses(path_, 1.0 / 16)) ++accepted;
        return accepted;
      });
    }));
  int accepted = 0;
  for (const pid_t child : children) {
    const int code = wait_for(child);
    if (code == not_allowed) GTEST_SKIP() << "this machine does not allow process worlds: NOT tested";
    accepted += code;
  }
  EXPECT_EQ(accepted, 16);
}

}  // namespace
}  // namespace tacit::testing_ledger
