// bench_ledger FILE [CHARGES]: time of a charge while a ledger grows. FILE must not exist; it stays. A charge
// is on the disk when it returns, so that a file in memory (/dev/shm) shows what the ledger itself takes.

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "tacit/ledger.hpp"

int main(int count, char** values) {
  using namespace tacit;
  using Clock = std::chrono::steady_clock;
  if (count < 2) return std::fputs("usage: bench_ledger FILE [CHARGES]\n", stderr), 64;
  const std::filesystem::path path = values[1];
  const std::size_t charges = count > 2 ? std::strtoull(values[2], nullptr, 10) : 1'000'000;
  const auto since = [](Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
  };
  try {
    const LedgerTerms terms;
    const LedgerLimit limit{"people", Pure{static_cast<double>(charges)}};
    create_ledger(path, terms, {&limit, 1});
    const LedgerRequest request{
        .name = "people", .method = "bench", .budget = {Pure{0.5}, terms.unit, terms.neighbours}};
    fmt::print("{:>10} {:>16} {:>12}\n", "charges", "us a charge", "file, MB");
    auto began = Clock::now();
    std::size_t from = 0, next = 1000;
    for (std::size_t k = 1; k <= charges; ++k) {
      charge_ledger(path, request);
      if (k != next && k != charges) continue;
      fmt::print("{:>10} {:>16.1f} {:>12.1f}\n", k, 1e6 * since(began) / static_cast<double>(k - from),
                 static_cast<double>(std::filesystem::file_size(path)) / 1e6);
      std::fflush(stdout);
      from = k, next = k < 10'000 ? 10 * k : k + charges / 10, began = Clock::now();
    }
    began = Clock::now();
    const Ledger ledger = read_ledger(path);
    fmt::print("read whole, every charge checked: {:.1f} s, {} charges, {}\n", since(began),
               ledger.budgets.front().charges.size(), in_words(spent(ledger.budgets.front())));
    return ledger.budgets.front().charges.size() == charges ? 0 : 1;
  } catch (const Error& error) {
    return fmt::print(stderr, "bench_ledger: {}\n", error.what()), 1;
  }
}
