#pragma once

#include "exponents.hpp"

namespace experiment {

// One fit of all records against phases over fewer and fewer: Student t (2.5) rows, ten draws. Medians, and
// the quarter of the draws on either side.
inline void phases(const Paths& paths) {
  constexpr int draws = 10;
  const std::vector<std::size_t> sizes = {10000, 40000, 100000, 400000};
  const HeavyTailed law;
  const double s = law.median_norm();
  Draws drawn(paths.out / "heavy_tails_phases.csv");
  struct Row {
    std::string name, title, schedule;  // no schedule: all records at once
    bool paper;                         // C = G₂(nε/d)^½, else 2S
    std::size_t most = 400000;
  };
  const std::vector<Row> rows = {
      {"output", "`limited-output`, C = 2S", "", false},
      {"rule", "`localized`, C = 2S", "rule", false},
      {"theorem", "`localized --schedule theorem`, C = 2S", "theorem", false, 100000},
      {"output-paper", "`limited-output`, C = G₂(nε/d)^½", "", true},
      {"theorem-paper", "`localized --schedule theorem`, C = G₂(nε/d)^½", "theorem", true, 100000}};
  std::string table = "| | n = 10⁴ | 4·10⁴ | 10⁵ | 4·10⁵ |\n|---|---|---|---|---|\n";
  for (const Row& row : rows) {
    table += "| " + row.title + " |";
    for (const std::size_t n : sizes) {
      if (n > row.most) {
        table += " – |";
        continue;
      }
      std::vector<double> seen;
      for (int draw = 0; draw < draws; ++draw)
        seen.push_back(drawn(row.name, 2, n, draw, [&] {
          const Dataset data = law.sample(n, 1000 * n + static_cast<std::uint64_t>(draw));
          const Problem problem{.data = &data, .loss = Link{LinkKind::absolute, 0}, .intercept = 0};
          heavy_tails::Options options{
              .epsilon = 1, .curvature_limit = 16 * s * s, .radius = 2, .threads = 1};
          const double records = static_cast<double>(row.schedule.empty() ? n : n / 2);
          options.slope_limit = row.paper ? law.second_moment() * std::sqrt(records / 5) : 2 * s;
          if (row.schedule.empty())
            return law.excess_risk(fit(heavy_tails::limited_output, problem, options));
          heavy_tails::LocalizedOptions localized{.common = options, .schedule = row.schedule};
          // A slope limit of 2S does not come from a moment: it stays as it is.
          localized.tails = row.paper ? 2 : 1e6;
          const auto bits = noise::system_bits();
          RootMeter meter({.limit = Pure{1}}, *bits);
          return law.excess_risk(heavy_tails::localized(problem, localized, meter).parameters.value());
        }));
      table +=
          fmt::format(" {:.2g} ({:.2g} – {:.2g}) |", level(seen, 0.5), level(seen, 0.25), level(seen, 0.75));
    }
    table += "\n";
  }
  publish(paths, "phases", table);
}

}  // namespace experiment
