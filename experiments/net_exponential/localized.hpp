#pragma once

#include "experiments/heavy_tails/exponents.hpp"

// Nets as the solver of localisation [Lowy26, Thms E.2, E.5]: Student t (2.5) rows, two parameters,
// absolute loss, C = 2S, ten draws of data and noise each. Medians, and the quarter of the draws on either
// side; every draw is a line of net_exponential_localized.csv, and a run goes on where the last one stopped.

namespace experiment {

inline void localized_nets(const Paths& paths) {
  constexpr int draws = 10;
  HeavyTailed law;
  law.d = 2;
  law.truth = Vector{{0.37, -0.61}};  // on no net: the multiples of 1/16 or 1/32 in the ball
  const double s = law.median_norm();
  struct Row {
    std::string name, title, solver;  // no solver: all records at once
    int points = 5000;
    heavy_tails::Smoothing smoothing = heavy_tails::Smoothing::curvature;
    std::size_t most = 100000;
  };
  const std::vector<Row> rows = {
      {"all", "`net-exponential`, spacing 1/16", ""},
      {"fine", "`net-exponential`, spacing 1/32", "", 20000, heavy_tails::Smoothing::curvature, 10000},
      {"output", "`localized`, `limited-output`", "limited-output"},
      {"double", "`localized`, `double-output`", "double-output"},
      {"net", "`localized`, `net-exponential`, spacing 1/16 at first", "net-exponential"},
      {"fine net", "`localized`, `net-exponential`, spacing 1/32 at first", "net-exponential", 20000,
       heavy_tails::Smoothing::curvature, 10000},
      {"ball", "`localized`, `net-exponential`, smoothed over a ball", "net-exponential", 5000,
       heavy_tails::Smoothing::ball, 1000}};
  Draws drawn(paths.out / "net_exponential_localized.csv");
  std::string table = "| excess risk | n = 10³ | 10⁴ | 10⁵ |\n|---|---|---|---|\n";
  for (const Row& row : rows) {
    table += "| " + row.title + " |";
    for (const std::size_t n : {1000u, 10000u, 100000u}) {
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
              .epsilon = 1, .slope_limit = 2 * s, .curvature_limit = 16 * s * s, .radius = 2, .threads = 1};
          options.net.smoothing = row.smoothing;
          options.net.points = row.points;
          if (row.solver.empty()) return law.excess_risk(fit(heavy_tails::net_exponential, problem, options));
          const auto bits = noise::system_bits();
          RootMeter meter({.limit = Pure{1}}, *bits);
          const heavy_tails::LocalizedOptions localized{.common = options, .solver = row.solver};
          return law.excess_risk(heavy_tails::localized(problem, localized, meter).parameters.value());
        }));
      table +=
          fmt::format(" {:.2g} ({:.2g} – {:.2g}) |", level(seen, 0.5), level(seen, 0.25), level(seen, 0.75));
    }
    table += "\n";
  }
  write_file_atomically(paths.out / "net_exponential_localized.md", table);
  fmt::print("{}", table);
}

}  // namespace experiment
