#pragma once

// What the tables of experiment_heavy_tails share.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "algorithm/heavy_tails/double_output.hpp"
#include "algorithm/heavy_tails/limited_objective.hpp"
#include "algorithm/heavy_tails/limited_output.hpp"
#include "core/plot.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/root_meter.hpp"

namespace experiment {

using namespace tacit;

struct Paths {
  std::filesystem::path data, out;
};

// The quantile, between the two values beside it.
inline double level(std::vector<double> values, double quantile) {
  std::ranges::sort(values);
  const double place = std::clamp(quantile, 0.0, 1.0) * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double share = place - static_cast<double>(below);
  return share == 0 ? values[below] : (1 - share) * values[below] + share * values[below + 1];
}

// Where a quantile may lie by the draws' chance: a standard error either way.
inline std::pair<double, double> level_range(const std::vector<double>& values, double quantile) {
  const double error = std::sqrt(quantile * (1 - quantile) / static_cast<double>(values.size()));
  return {level(values, quantile - error), level(values, quantile + error)};
}
inline double half_width(const std::vector<double>& values, double quantile) {
  const auto [low, high] = level_range(values, quantile);
  return (high - low) / 2;
}
inline std::string level_with_error(const std::vector<double>& values, double quantile) {
  const auto [low, high] = level_range(values, quantile);
  return fmt::format("{:.2g} ({:.2g} – {:.2g})", level(values, quantile), low, high);
}

// The mean and its standard error.
inline std::pair<double, double> mean_and_error(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const double x : values) mean += x / count;
  for (const double x : values) squares += (x - mean) * (x - mean);
  return {mean, std::sqrt(squares / (count - 1) / count)};
}

using PrivateFit = Release (*)(const Problem&, const heavy_tails::Options&, Meter&);

// For one replaced record, as the other methods here.
inline Release limited_objective(const Problem& problem, const heavy_tails::Options& options, Meter& meter) {
  return heavy_tails::limited_objective(problem, {.common = options}, meter);
}

inline Vector fit(PrivateFit method, const Problem& problem, heavy_tails::Options options) {
  const auto bits = noise::system_bits();
  RootMeter meter({.limit = Pure{options.epsilon}}, *bits);
  options.threads = 1;
  return method(problem, options, meter).parameters.value();
}

inline void publish(const Paths& paths, const std::string& name, const std::string& table) {
  write_file_atomically(paths.out / ("heavy_tails_" + name + ".md"), table);
  fmt::print("{}\n{}\n", name, table);
}

}  // namespace experiment
