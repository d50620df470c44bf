#include <array>
#include <csignal>

#include "faults.hpp"
#include "support.hpp"

// A process that dies while it charges: at every call that changes the file, whole or with half of its bytes
// written, and while many charge at once; and a disk that loses power.

namespace tacit::testing_ledger {
namespace {

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

  // Every call that a charge makes, one after the other, until one runs to its end. The ledger may hold
  // charges without a release, never a release without its charge; it stays usable, and another name of the
  // file says the same.
  void die_at_every_call(Death death) {
    const fs::path other = folder_ / "other.ledger";
    fs::create_hard_link(path_, other);
    int crashes = 0, spent_in_vain = 0;
    for (long k = 1;; ++k) {
      const std::size_t before = charges();
      const int code = in_child([&] {
        die_at_call(k, death);
        return charge_and_release("release" + std::to_string(k));
      });
      ASSERT_TRUE(code == killed || code == 0) << "call " << k << ": " << code;
      const std::size_t after = read_ledger(other).budgets.at(0).charges.size();
      EXPECT_EQ(after, charges());
      ASSERT_TRUE(after == before || after == before + 1) << "call " << k;
      ASSERT_GE(after, releases()) << "call " << k;
      charge_ledger(other, ask(Pure{0.125}));
      ASSERT_EQ(charges(), after + 1) << "call " << k;
      if (code == 0) {
        EXPECT_EQ(after, before + 1);
        break;
      }
      ++crashes;
      spent_in_vain += after > before ? 1 : 0;
    }
    EXPECT_GE(crashes, 4);        // two writes and two flushes
    EXPECT_GT(spent_in_vain, 0);  // some calls come after the commit
    EXPECT_LT(spent_in_vain, crashes);
    EXPECT_EQ(spent_epsilon(), 0.125 * static_cast<double>(charges()));
    fs::remove(other);
  }
};

TEST_F(LedgerCrash, AtAnyCallOfAChargeNeverReleasesWithoutIt) {
  create(Pure{1000});
  die_at_every_call(Death::before_it);
  die_at_every_call(Death::half_way);
  while (charges() % 64 != 62) charge_ledger(path_, ask(Pure{0.125}));  // a summary is due during these
  die_at_every_call(Death::before_it);
  die_at_every_call(Death::half_way);
}

TEST_F(LedgerCrash, WhileALedgerIsMadeLeavesNoneOrAWholeOne) {
  for (const Death death : {Death::before_it, Death::half_way})
    for (long k = 1;; ++k) {
      fs::remove(path_);
      const int code = in_child([&] {
        die_at_call(k, death);
        create(Pure{1});
        return 0;
      });
      ASSERT_TRUE(code == killed || code == 0);
      if (code == 0) break;
      try {
        EXPECT_EQ(charges(), 0U);
      } catch (const NotFoundError&) {  // a draft under another name is all that there is
      }
    }
}

TEST_F(LedgerCrash, ACommittedChargeIsOnTheDiskWhenItReturns) {
  create(Pure{1});
  record_calls(true);
  charge_ledger(path_, ask(Pure{0.5}));
  const std::vector<Call> calls = record_calls(false);
  std::size_t writes = 0, unflushed = 0;
  for (const Call& call : calls) {
    writes += call.kind == Call::Kind::write ? 1 : 0;
    unflushed = call.kind == Call::Kind::flush ? 0 : unflushed + 1;
  }
  EXPECT_GE(writes, 2U);
  EXPECT_EQ(unflushed, 0U);
}

// Power fails at some moment of a charge: what was flushed is there; of what was not, any sectors. After each
// such state the ledger opens, holds the charge if it was acknowledged, and takes another.
TEST_F(LedgerCrash, AfterAPowerCutEveryAcknowledgedChargeIsThere) {
  create(Pure{1000});
  std::size_t states = 0;
  for (std::size_t n = 0; n < 66; ++n) {
    const std::string base = read_bytes(path_);
    record_calls(true);
    charge_ledger(path_, ask(Pure{0.125}));
    const std::vector<Call> calls = record_calls(false);
    const std::string whole = read_bytes(path_);
    if (n < 2 || n > 60) {
      for (const auto& [bytes, acknowledged] : states_after_power_cut(base, calls)) {
        ++states;
        write_bytes(path_, bytes);
        const std::size_t found = charges();
        ASSERT_TRUE(found == n + 1 || (found == n && !acknowledged)) << n << " " << found << acknowledged;
        charge_ledger(path_, ask(Pure{0.125}));
        ASSERT_EQ(charges(), found + 1);
      }
    }
    write_bytes(path_, whole);
  }
  EXPECT_GT(states, 80U);
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
      const long k = 1 + static_cast<long>((state >> 33) % 5);
      const std::string name = "release" + std::to_string(release + static_cast<int>(p));
      children[p] = start([&, k] {
        die_at_call(k, release / 8 % 2 == 0 ? Death::before_it : Death::half_way);
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
