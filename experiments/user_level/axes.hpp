#pragma once

// Excess risk of several methods along several axes: a table and a plot for each, the slopes measured beside
// those of the theorems.

#include <functional>

#include "core/plot.hpp"
#include "family.hpp"

namespace experiment {

// The exponents of a theorem's two terms.
struct Exponents {
  double statistical = 0, privacy = 0;
};

struct Line {
  std::string name;
  std::function<Cell(const Size&)> run;
  std::optional<Exponents> theory = {};  // of the axis that it stands under
};

struct Axis {
  std::string name, label;
  std::vector<Size> sizes;
  std::function<double(const Size&)> value;
  std::vector<Line> lines;
  std::function<double(const Size&)> bound = {};  // on the first line's excess, computed
};

inline Axis along_users(std::vector<std::size_t> users, Size like) {
  Axis axis{"n", "users", {}, [](const Size& s) { return static_cast<double>(s.users); }, {}};
  for (const std::size_t n : users) axis.sizes.push_back(like), axis.sizes.back().users = n;
  return axis;
}
inline Axis along_records(std::vector<std::size_t> records, Size like) {
  Axis axis{"m", "records of each", {}, [](const Size& s) { return static_cast<double>(s.records); }, {}};
  for (const std::size_t m : records) axis.sizes.push_back(like), axis.sizes.back().records = m;
  return axis;
}
inline Axis along_epsilon(std::vector<double> epsilons, Size like) {
  Axis axis{"epsilon", "epsilon", {}, [](const Size& s) { return s.epsilon; }, {}};
  for (const double e : epsilons) axis.sizes.push_back(like), axis.sizes.back().epsilon = e;
  return axis;
}
inline Axis along_dimension(std::vector<std::size_t> dimensions, Size like) {
  Axis axis{"d", "parameters", {}, [](const Size& s) { return static_cast<double>(s.dimension); }, {}};
  for (const std::size_t d : dimensions) axis.sizes.push_back(like), axis.sizes.back().dimension = d;
  return axis;
}

inline std::string in_theory(const Line& line) {
  if (!line.theory) return "–";
  const auto [statistical, privacy] = *line.theory;
  return statistical == privacy ? fmt::format("{}", privacy) : fmt::format("{} ({})", privacy, statistical);
}

// One method along the axis: its row of the table, its line and its theorem's in the plot.
inline std::string measure_line(const std::string& part, const Line& line, const Axis& axis, Cells& cells,
                                tacit::Plot& plot) {
  tacit::Series series{.name = line.name};
  std::vector<Spread> found;
  std::string row = fmt::format("| {} |", line.name);
  double gradients = 0;
  for (const Size& size : axis.sizes) {
    const auto key = fmt::format("{}, {}, {} = {}", part, line.name, axis.name, axis.value(size));
    const std::optional<Cell> measured_cell = cells.get(key, [&] { return line.run(size); });
    if (!measured_cell || measured_cell->refused) {
      row += measured_cell ? " refused |" : " – |";
      continue;
    }
    const Cell& cell = *measured_cell;
    row += fmt::format(" {:.2g} ± {:.1g} |", cell.excess.mean, cell.excess.error);
    series.x.push_back(axis.value(size));
    series.y.push_back(cell.excess.mean);
    series.spread.push_back(cell.excess.error);
    found.push_back(cell.excess);
    gradients = cell.gradients / size.total();
  }
  row += fmt::format(" {} | {} | {} |\n", shown_slope(series.x, found), in_theory(line),
                     found.empty() ? "–" : fmt::format("{:.2f}", gradients));
  plot.series.push_back(series);
  if (line.theory && !series.x.empty()) {
    const double privacy = line.theory->privacy;
    tacit::Series theory{.name = fmt::format("slope {}", privacy), .x = series.x, .dashed = true};
    for (const double x : series.x)
      theory.y.push_back(series.y.front() * std::pow(x / series.x.front(), privacy));
    plot.series.push_back(std::move(theory));
  }
  return row;
}

inline std::string bound_row(const Axis& axis) {
  std::string row = "| the bound on the first |";
  for (const Size& size : axis.sizes) row += fmt::format(" {:.2g} |", axis.bound(size));
  return row + " | | |\n";
}

// Tables go to user_level_NAME.md, plots to user_level_NAME_AXIS.svg.
inline void measure_axes(const Paths& paths, const std::string& name, const std::vector<Axis>& axes) {
  std::string table;
  Cells cells(paths);
  for (const Axis& axis : axes) {
    tacit::Plot plot{.title = "Excess risk against " + axis.label,
                     .x_label = axis.label,
                     .y_label = "excess population risk",
                     .log_x = true,
                     .log_y = true};
    table += "| method |";
    for (const Size& size : axis.sizes) table += fmt::format(" {} = {} |", axis.name, axis.value(size));
    table += " slope | in theory | gradients / nm |\n|---|";
    for (std::size_t k = 0; k < axis.sizes.size() + 3; ++k) table += "---|";
    table += "\n";
    for (const Line& line : axis.lines) table += measure_line(name, line, axis, cells, plot);
    if (axis.bound) table += bound_row(axis);
    table += "\n";
    if (paths.shares > 1) continue;
    tacit::write_file_atomically(paths.out / fmt::format("user_level_{}_{}.svg", name, axis.name),
                                 to_svg(plot));
  }
  publish(paths, name, table);
}

}  // namespace experiment
