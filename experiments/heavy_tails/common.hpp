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

inline double level(std::vector<double> values, double quantile) {
  const auto at =
      std::min(values.size() - 1, static_cast<std::size_t>(quantile * static_cast<double>(values.size())));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
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
