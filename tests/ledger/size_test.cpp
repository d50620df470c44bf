#include <algorithm>
#include <chrono>
#include <cstdio>

#include "ledger/journal.hpp"
#include "support.hpp"

// A charge costs the same however many came before it.

namespace tacit::testing_ledger {
namespace {

class LedgerSize : public LedgerTest {
 protected:
  // Adds charges many at a time, as no fit does.
  void add(std::size_t count) const {
    const Json entry = charge_entry("people", {.release = new_release(),
                                               .time = "2026-01-31T12:00:00Z",
                                               .method = "limited-objective",
                                               .asked = Pure{0.125},
                                               .amount = Pure{0.125},
                                               .ticket = {}});
    for (constexpr std::size_t most = 10'000; count > 0; count -= std::min(count, most))
      Journal(path_, LedgerFile::Use::write).append_all(std::vector<Json>(std::min(count, most), entry));
  }
  // The median over 129 charges, two rounds of summaries, in milliseconds.
  double time_per_charge() const {
    std::vector<double> times;
    for (int k = 0; k < 129; ++k) {
      const auto begin = std::chrono::steady_clock::now();
      charge_ledger(path_, ask(Pure{0.125}));
      times.push_back(
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    std::ranges::nth_element(times, times.begin() + 64);
    return times[64];
  }
};

// From any number of charges on, the sums read from the last summary are those of all charges, to the bit.
TEST_F(LedgerSize, SummariesSayWhatAllChargesSay) {
  create(Gaussian{100}, {.accountant = "gaussian"});
  for (int k = 0; k < 140; ++k) {
    charge_ledger(path_, ask(Gaussian{0.1 + 0.001 * k}));
    const LedgerState state = Journal(path_, LedgerFile::Use::read).state();
    EXPECT_EQ(std::get<Gaussian>(state.accounts.at(0).tally.spent()).mu,
              std::get<Gaussian>(spent(budget())).mu)
        << k;
    EXPECT_EQ(std::get<Gaussian>(state.accounts.at(0).tally.left()).mu, std::get<Gaussian>(left(budget())).mu)
        << k;
  }
}

TEST_F(LedgerSize, AChargeReadsNothingBeforeTheLastSummary) {
  create(Pure{1e9});
  add(1000);
  std::string bytes = read_bytes(path_);
  const std::size_t last = bytes.rfind(R"({"type":"summary")");
  std::fill(bytes.begin() + 8192, bytes.begin() + static_cast<std::ptrdiff_t>(last), '#');
  write_bytes(path_, bytes);
  charge_ledger(path_, ask(Pure{0.125}));
  refused<DataError>([&] { read_ledger(path_); });
}

class LongLedgerSize : public LedgerSize {};

TEST_F(LongLedgerSize, AChargeTakesAsLongAfterAMillionAsAfterTen) {
  create(Pure{1e9});
  std::vector<double> times;
  std::size_t now = 0;
  for (const std::size_t count : {std::size_t{10}, std::size_t{10'000}, std::size_t{1'000'000}}) {
    add(count - now);
    times.push_back(time_per_charge());
    now = count + 129;
    std::printf("%zu charges: %.3f ms for one more\n", count, times.back());
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(charges(), now);
  std::printf("all of them read and checked in %.1f s\n",
              std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  // The disk's flushes, which others disturb, take most of it.
  EXPECT_LT(times[2], 3 * times[0] + 1);
}

}  // namespace
}  // namespace tacit::testing_ledger
