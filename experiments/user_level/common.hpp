#pragma once

// What the tables of experiment_user_level share.

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tacit/core.hpp"

namespace experiment {

constexpr int draws = 10;

struct Paths {
  std::filesystem::path data, out;
  int share = 0, shares = 1;  // of the cells that are still to be measured (cells.hpp)
  bool measures = true;       // else what is known is shown
};

// Of several draws: their mean and its standard error.
struct Spread {
  double mean = 0, error = 0;
};

inline Spread spread_of(const std::vector<double>& values) {
  Spread spread;
  const double n = static_cast<double>(values.size());
  for (const double v : values) spread.mean += v / n;
  for (const double v : values) spread.error += (v - spread.mean) * (v - spread.mean);
  spread.error =
      values.size() > 1 ? std::sqrt(spread.error / (n - 1) / n) : std::numeric_limits<double>::quiet_NaN();
  return spread;
}

// The slope of log y against log x, and what the errors of y leave it uncertain by.
inline Spread slope(const std::vector<double>& x, const std::vector<Spread>& y) {
  double mx = 0, xx = 0;
  for (const double v : x) mx += std::log(v) / static_cast<double>(x.size());
  for (const double v : x) xx += (std::log(v) - mx) * (std::log(v) - mx);
  Spread found;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double weight = (std::log(x[k]) - mx) / xx;
    found.mean += weight * std::log(y[k].mean);
    found.error += std::pow(weight * y[k].error / y[k].mean, 2);
  }
  found.error = std::sqrt(found.error);
  return found;
}

// Fewer than four sizes tell no slope.
inline std::string shown_slope(const std::vector<double>& x, const std::vector<Spread>& y) {
  if (x.size() < 4) return "–";
  const Spread found = slope(x, y);
  return fmt::format("{:.2f} ± {:.2f}", found.mean, found.error);
}

inline void publish(const Paths& paths, const std::string& name, const std::string& table) {
  if (paths.shares > 1) return;
  tacit::write_file_atomically(paths.out / ("user_level_" + name + ".md"), table);
  fmt::print("{}\n{}\n", name, table);
}

}  // namespace experiment
