#pragma once

#include "periods.hpp"

namespace nonconvex_runs {

// Period 1 and longer ones, each at the sizes T and M that measure best for it, in place of those that make
// its bound least. Chosen on draws 101 and 102, reported on ten others.
struct FreeSizes {
  std::int64_t blocks = 0, averaging = 0, period = 1;  // T = blocks·M

  std::string key(std::size_t n, const char* oracle) const {
    return fmt::format("{},2,{},T{},M{},period {}", n, oracle, blocks * averaging, averaging, period);
  }
};

inline double norm_at(const FreeSizes& sizes, noise::PrefixKind kind, std::size_t n, int draw) {
  nonconvex::Options options = by_theorem(kind);
  options.steps = sizes.blocks * sizes.averaging;
  options.averaging = sizes.averaging;
  options.period = sizes.period;
  try {
    return mean_norm_of_blocks({n, 2, static_cast<std::uint64_t>(draw)}, options);
  } catch (const InfeasibleError&) {
    return INFINITY;  // more steps than one pass has records for
  }
}

inline std::vector<FreeSizes> grid_of(bool alone) {
  std::vector<FreeSizes> grid;
  for (const std::int64_t blocks : {100, 200, 400, 800, 1600, 3200, 6400})
    for (const std::int64_t averaging : {4, 8, 16, 32, 64, 128, 256, 512, 1024})
      for (const std::int64_t period : {1, 4, 16, 64, 256, 1024})
        if (alone ? period == 1 : period > 1 && averaging % period == 0)
          grid.push_back({blocks, averaging, period});
  return grid;
}

// What `periods` keeps.
inline std::string measured_by_bound(const PeriodVariant& variant, std::size_t n, std::int64_t longest,
                                     StoredRuns& stored) {
  const PeriodRow row = measure(variant, n, 2, 10, longest, stored);
  return fmt::format("{:.4f} ± {:.1g}", row.measured.mean, row.measured.deviation);
}

inline void free_sizes(const Flags& flags) {
  StoredRuns stored(flags.out / "nonconvex_sizes.csv", flags.runs);
  std::string table =
      "| records | oracle | period | M | steps | measured | at the sizes of its bound |\n"
      "|---|---|---|---|---|---|---|\n";
  StoredRuns theirs(flags.out / "nonconvex_periods.csv", false);
  for (const std::size_t n : {100000u, 1000000u})
    for (const PeriodVariant& variant : period_variants) {
      FreeSizes best;
      double least = INFINITY;
      for (const FreeSizes& sizes : grid_of(variant.alone)) {
        const auto seen = stored.draws("chosen by," + sizes.key(n, variant.name), 2,
                                       [&](int draw) { return norm_at(sizes, variant.kind, n, 100 + draw); });
        if (seen.size() == 2 && mean_of(seen).mean < least) least = mean_of(seen).mean, best = sizes;
      }
      if (!std::isfinite(least)) continue;
      const auto seen = stored.draws(best.key(n, variant.name), 10,
                                     [&](int draw) { return norm_at(best, variant.kind, n, draw); });
      const std::string line =
          fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", n, variant.name, best.period, best.averaging,
                      best.blocks * best.averaging, shown_norm(seen),
                      measured_by_bound(variant, n, flags.longest, theirs));
      table += line;
      fmt::print("{}", line);
      std::fflush(stdout);
    }
  write(flags, "sizes", table, nullptr);
}

}  // namespace nonconvex_runs
