#pragma once

#include "algorithm/plain.hpp"
#include "synthetic.hpp"
#include "tacit/root_meter.hpp"

namespace experiment {

struct Contender {
  std::string name;
  PrivateFit method = nullptr;         // null: no privacy
  double slope = 0, typical_norm = 0;  // C, and the size of rows behind Q
  double clip = 0;                     // 0: rows as they are
  double regularisation = 0;           // 0: the method's rule
};

// Excess risk at equal epsilon, median of the fits and its standard error.
inline void risk(const Paths& paths) {
  const HeavyTailed law;
  const double s = law.median_norm(), epsilon = 1, radius = 2, d = static_cast<double>(law.d);
  const std::vector<std::size_t> sizes = {1000, 10000, 100000, 1000000};
  const auto contenders = [&](double n) {
    // C = G₂(nε/d)^½, and the λ that balances its pull, λR²/2, against its noise, about G₂·2Cd/(λnε).
    const double paper = law.second_moment() * std::sqrt(n * epsilon / d);
    const double lambda = 2 * law.second_moment() / radius * std::pow(d / (n * epsilon), 0.25);
    return std::vector<Contender>{
        {"`limited-objective`, C = 2S", limited_objective, 2 * s, 2 * s, 0},
        {"`limited-output`, C = 2S", heavy_tails::limited_output, 2 * s, 2 * s, 0},
        {"`limited-output`, C = G₂(nε/d)^½", heavy_tails::limited_output, paper, 2 * s, 0, lambda},
        {"`double-output`, C = 2S", heavy_tails::double_output, 2 * s, 2 * s, 0},
        {"`double-output`, C = G₂(nε/d)^½", heavy_tails::double_output, paper, 2 * s, 0, lambda},
        {"rows clipped to S/2, objective", limited_objective, s / 2, s / 2, s / 2},
        {"rows clipped to 2S, objective", limited_objective, 2 * s, 2 * s, 2 * s},
        {"rows clipped to 8S, objective", limited_objective, 8 * s, 8 * s, 8 * s},
        {"no privacy", nullptr, 0, 0, 0}};
  };
  Plot plot{.title = "Student t (2.5) rows, absolute loss, d = 5, epsilon = 1",
            .x_label = "records",
            .y_label = "excess risk (median of the fits)",
            .log_x = true,
            .log_y = true};
  std::string table = "| method | n = 10³ | 10⁴ | 10⁵ | 10⁶ |\n|---|---|---|---|---|\n";
  std::vector<std::string> lines;
  for (const std::size_t n : sizes) {
    const int fits = n >= 100000 ? 11 : 31;
    const auto rows = contenders(static_cast<double>(n));
    std::vector<std::vector<double>> seen(rows.size());
    for (int k = 0; k < fits; ++k) {
      const Dataset data = law.sample(n, 1000 * n + static_cast<std::uint64_t>(k));
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const Contender& row = rows[r];
        const Dataset own = row.clip > 0 ? clipped(data, row.clip) : Dataset();
        const Problem problem{
            .data = row.clip > 0 ? &own : &data, .loss = Link{LinkKind::absolute, 0}, .intercept = 0};
        heavy_tails::Options options{.epsilon = epsilon, .radius = radius};
        // Kinks are rounded off over ¼ of a label's typical size, 2: curvature 4 at a row of the typical
        // norm.
        options.slope_limit = row.slope;
        options.curvature_limit = 4 * row.typical_norm * row.typical_norm;
        if (row.regularisation > 0) options.regularisation = row.regularisation;
        if (row.method) {
          seen[r].push_back(law.excess_risk(fit(row.method, problem, options)));
          continue;
        }
        const auto bits = noise::system_bits();
        RootMeter open({.limit = NoPrivacy{}}, *bits);
        const plain::Options exact{.regularisation = 1e-6, .threads = 1};
        seen[r].push_back(law.excess_risk(plain::fit(problem, exact, open).parameters.value()));
      }
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (lines.size() <= r) {
        lines.push_back("| " + rows[r].name + " |");
        plot.series.push_back({.name = rows[r].name, .dashed = rows[r].method == nullptr});
      }
      lines[r] += " " + level_with_error(seen[r], 0.5) + " |";
      plot.series[r].x.push_back(static_cast<double>(n));
      plot.series[r].y.push_back(level(seen[r], 0.5));
      plot.series[r].spread.push_back(half_width(seen[r], 0.5));
    }
  }
  for (const std::string& line : lines) table += line + "\n";
  for (Series& series : plot.series) std::erase(series.name, '`');
  write_file_atomically(paths.out / "heavy_tails_risk.svg", to_svg(plot));
  publish(paths, "risk", table);
}

}  // namespace experiment
