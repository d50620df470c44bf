#pragma once

// Excess risk of several methods against users, records of each and epsilon: a table and a plot for each,
// with the exponents of the theorems beside those measured.

#include <functional>
#include <limits>

#include "common.hpp"
#include "core/plot.hpp"

namespace experiment {

struct Size {
  std::size_t users = 2000, records = 16;
  double epsilon = 3;
  double radius = 5;
  std::optional<double> smoothing, smoothness;

  double total() const { return static_cast<double>(users * records); }
};

// What a theorem says of the excess risk: the exponents of its two terms.
struct Exponents {
  double statistical = 0, privacy = 0;
};
struct Theory {
  std::string name;
  Exponents users, records, epsilon;
};
// 1/√(nmε) + √d/(√n·ε·√m)
inline Theory linear_time() { return {"Thm 2.1", {-0.5, -0.5}, {-0.5, -0.5}, {-0.5, -1}}; }
// 1/√(nm) + √d/(ε·n·√m)
inline Theory optimal_risk() { return {"Thm 3.2", {-0.5, -1}, {-0.5, -0.5}, {0, -1}}; }

struct Cell {
  Spread excess;
  double gradients = 0;
  bool refused = false;
};
struct Line {
  std::string name;
  Theory theory;
  std::function<Cell(const Size&)> run;
};

// The slope of log y against log x; NaN with fewer than two points.
inline double exponent(const std::vector<double>& x, const std::vector<double>& y) {
  double mx = 0, my = 0, xx = 0, xy = 0;
  const double n = static_cast<double>(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) mx += std::log(x[k]) / n, my += std::log(y[k]) / n;
  for (std::size_t k = 0; k < x.size(); ++k) {
    xx += (std::log(x[k]) - mx) * (std::log(x[k]) - mx);
    xy += (std::log(x[k]) - mx) * (std::log(y[k]) - my);
  }
  return xy / xx;
}

struct Axis {
  std::string name, label;
  std::vector<Size> sizes;
  std::function<double(const Size&)> value;
  Exponents Theory::*theory;
};

inline std::vector<Axis> axes() {
  return {{"n",
           "users",
           {{1000, 16, 3}, {2000, 16, 3}, {4000, 16, 3}},
           [](const Size& s) { return static_cast<double>(s.users); },
           &Theory::users},
          {"m",
           "records of each",
           {{2000, 4, 3}, {2000, 16, 3}, {2000, 64, 3}},
           [](const Size& s) { return static_cast<double>(s.records); },
           &Theory::records},
          {"epsilon",
           "epsilon",
           {{2000, 16, 1.5}, {2000, 16, 3}, {2000, 16, 6}, {2000, 16, 12}},
           [](const Size& s) { return s.epsilon; },
           &Theory::epsilon}};
}

inline std::string in_theory(const Line& line, const Axis& axis) {
  if (line.theory.name.empty()) return "–";
  const Exponents e = line.theory.*axis.theory;
  return e.statistical == e.privacy ? fmt::format("{}", e.privacy)
                                    : fmt::format("{} ({})", e.privacy, e.statistical);
}

// One method along one axis: its row of the table, its line and its theorem's in the plot.
inline std::string measure_line(const Line& line, const Axis& axis, const Size& like, tacit::Plot& plot) {
  tacit::Series series{.name = line.name};
  std::string row = fmt::format("| {} |", line.name);
  double gradients = 0, total = 1;
  for (Size size : axis.sizes) {
    size.radius = like.radius;
    size.smoothing = like.smoothing;
    size.smoothness = like.smoothness;
    const Cell cell = line.run(size);
    if (cell.refused) {
      row += " refused |";
      continue;
    }
    row += fmt::format(" {:.4f} ± {:.4f} |", cell.excess.mean, cell.excess.deviation);
    series.x.push_back(axis.value(size));
    series.y.push_back(cell.excess.mean);
    series.spread.push_back(cell.excess.deviation);
    gradients = cell.gradients;
    total = size.total();
  }
  const double measured =
      series.x.size() < 2 ? std::numeric_limits<double>::quiet_NaN() : exponent(series.x, series.y);
  row += fmt::format(" {:.2f} | {} | {:.2f} | {:.2f} |\n", measured, in_theory(line, axis), gradients / total,
                     gradients / std::pow(total, 1.125));
  if (!line.theory.name.empty() && !series.x.empty()) {
    const double slope = (line.theory.*axis.theory).privacy;
    tacit::Series theory{.name = fmt::format("{}, {}: slope {}", line.name, line.theory.name, slope),
                         .x = series.x,
                         .dashed = true};
    for (const double x : series.x)
      theory.y.push_back(series.y.front() * std::pow(x / series.x.front(), slope));
    plot.series.push_back(std::move(series));
    plot.series.push_back(std::move(theory));
  } else {
    plot.series.push_back(std::move(series));
  }
  fmt::print(stderr, "{}", row);
  return row;
}

// Tables go to user_level_NAME.md, plots to PREFIX followed by the axis.
inline void measure_axes(const Paths& paths, const std::string& name, const std::string& prefix,
                         const std::vector<Line>& lines, const Size& like) {
  std::string table;
  for (const Axis& axis : axes()) {
    tacit::Plot plot{.title = "Excess risk against " + axis.label,
                     .x_label = axis.label,
                     .y_label = "excess population risk",
                     .log_x = true,
                     .log_y = true};
    table += "| method |";
    for (const Size& size : axis.sizes) table += fmt::format(" {} = {} |", axis.name, axis.value(size));
    table += " exponent | in theory | gradients / nm | / (nm)^{9/8} |\n|---|";
    for (std::size_t k = 0; k < axis.sizes.size() + 4; ++k) table += "---|";
    table += "\n";
    for (const Line& line : lines) table += measure_line(line, axis, like, plot);
    table += "\n";
    tacit::write_file_atomically(paths.out / (prefix + axis.name + ".svg"), to_svg(plot));
  }
  publish(paths, name, table);
}

}  // namespace experiment
