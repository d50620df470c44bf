#pragma once

// What the tables of experiment_user_level share.

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tacit/core.hpp"

namespace experiment {

struct Paths {
  std::filesystem::path data, out;
};

struct Spread {
  double mean = 0, deviation = 0;
};

inline Spread spread_of(const std::vector<double>& values) {
  Spread spread;
  for (const double v : values) spread.mean += v / static_cast<double>(values.size());
  for (const double v : values) spread.deviation += (v - spread.mean) * (v - spread.mean);
  if (values.size() > 1)
    spread.deviation = std::sqrt(spread.deviation / static_cast<double>(values.size() - 1));
  return spread;
}

inline void publish(const Paths& paths, const std::string& name, const std::string& table) {
  tacit::write_file_atomically(paths.out / ("user_level_" + name + ".md"), table);
  fmt::print("{}\n{}\n", name, table);
}

}  // namespace experiment
