#pragma once

#include "common.hpp"
#include "experiments/support/hard_instance.hpp"

namespace experiment {

// The quantile that the lower bound is about, 1 − ζ, of the excess risk on the packing instances. All methods
// are rotation invariant, so that one direction stands for all.
inline void hard(const Paths& paths) {
  constexpr Eigen::Index d = 5;
  constexpr int fits = 200;
  constexpr double k = 2;
  struct Row {
    std::string name;
    PrivateFit method;
  };
  const std::vector<Row> rows = {{"limited-objective", limited_objective},
                                 {"limited-output", heavy_tails::limited_output},
                                 {"double-output", heavy_tails::double_output}};
  Plot plot{.title = "Hard instances: d = 5, k = 2, epsilon = 1",
            .x_label = "records",
            .y_label = "3/4 quantile of the excess risk",
            .log_x = true,
            .log_y = true};
  std::string table = "| | n = 10² | 10³ | 10⁴ | 10⁵ |\n|---|---|---|---|---|\n";
  const std::vector<std::size_t> sizes = {100, 1000, 10000, 100000};
  for (const auto& [row, easier] : std::vector<std::pair<Row, std::size_t>>{
           {rows[0], 1}, {rows[1], 1}, {rows[2], 1}, {rows[0], 100}, {rows[1], 100}, {rows[2], 100}}) {
    const std::string made_for = easier == 1 ? "" : ", instance of n/100";
    Series series{.name = row.name + made_for};
    table += "| `" + row.name + "`" + made_for + " |";
    for (const std::size_t n : sizes) {
      const heavy_tails::HardOptions options{.records = n / easier, .epsilon = 1, .order = k};
      const auto instance = heavy_tails::packing_instance(Vector::Ones(d), options);
      const double slope =
          std::pow(static_cast<double>(n) / static_cast<double>(d), 1 / k);  // C = G_k(nε/d)^{1/k}
      std::vector<double> seen;
      for (int repeat = 0; repeat < (n > 10000 ? fits / 4 : fits); ++repeat) {
        const Dataset data = heavy_tails::sample(instance, n, 7919 * n + static_cast<std::uint64_t>(repeat));
        const Problem problem{.data = &data, .loss = Link{LinkKind::absolute, 0}, .intercept = 0};
        // Linear losses do not bend: Q costs nothing but its logarithm. They want all of the radius, so that
        // λ only keeps the noise within it: λ = 2Cd/(nεR).
        const double radius = 0.5 * instance.diameter;
        const heavy_tails::Options chosen{
            .epsilon = 1,
            .slope_limit = slope,
            .curvature_limit = 1,
            .regularisation = 2 * slope * static_cast<double>(d) / (static_cast<double>(n) * radius),
            .radius = radius};
        // Minimisers over all of space, projected; over the ball itself: exponents.hpp.
        seen.push_back(
            instance.excess_risk(onto_ball(fit(row.method, problem, chosen), 0.5 * instance.diameter)));
      }
      const double at = level(seen, 1 - options.failure);
      table += " " + level_with_error(seen, 1 - options.failure) + " |";
      series.x.push_back(static_cast<double>(n));
      series.y.push_back(at);
      series.spread.push_back(half_width(seen, 1 - options.failure));
    }
    table += "\n";
    plot.series.push_back(series);
  }
  Series trivial{.name = "w = 0", .dashed = true}, bound{.name = "lower bound", .dashed = true};
  std::string trivial_line = "| w = 0 |", bound_line = "| lower bound D‖μ‖/128 |";
  for (const std::size_t n : sizes) {
    const heavy_tails::HardOptions options{.records = n, .epsilon = 1, .order = k};
    const auto instance = heavy_tails::packing_instance(Vector::Ones(d), options);
    trivial.x.push_back(static_cast<double>(n));
    bound.x.push_back(static_cast<double>(n));
    trivial.y.push_back(instance.excess_risk(Vector::Zero(d)));
    bound.y.push_back(heavy_tails::packing_lower_bound(static_cast<std::size_t>(d), options));
    trivial_line += fmt::format(" {:.3g} |", trivial.y.back());
    bound_line += fmt::format(" {:.3g} |", bound.y.back());
  }
  plot.series.push_back(trivial);
  plot.series.push_back(bound);
  write_file_atomically(paths.out / "heavy_tails_hard.svg", to_svg(plot));
  publish(paths, "hard", table + trivial_line + "\n" + bound_line + "\n");
}

}  // namespace experiment
