#pragma once

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "core/plot.hpp"
#include "tacit/core.hpp"

namespace nonconvex_runs {

using namespace tacit;

struct Flags {
  std::filesystem::path data, out = ".";
  std::string only;
  std::int64_t longest = 1024;  // period
  bool runs = true;             // else what is stored is shown
};

struct Mean {
  double mean = 0, deviation = 0;
};
inline Mean mean_of(const std::vector<double>& values) {
  const double n = static_cast<double>(values.size());
  Mean result;
  for (const double v : values) result.mean += v / n;
  for (const double v : values)
    result.deviation += (v - result.mean) * (v - result.mean) / std::max(1.0, n - 1);
  result.deviation = std::sqrt(result.deviation);
  return result;
}

// "mean ± deviation", or that all are the same to so many digits.
inline std::string shown(const std::vector<double>& values, int digits) {
  const Mean mean = mean_of(values);
  if (mean.deviation < 0.5 * std::pow(10, -digits))
    return fmt::format("{:.{}f}, all {}", mean.mean, digits, values.size());
  return fmt::format("{:.{}f} ± {:.{}f}", mean.mean, digits, mean.deviation, digits);
}

inline void write(const Flags& flags, const std::string& name, const std::string& table, const Plot* plot) {
  write_file_atomically(flags.out / ("nonconvex_" + name + ".md"), table);
  if (plot) write_file_atomically(flags.out / ("nonconvex_" + name + ".svg"), to_svg(*plot));
  fmt::print("{}\n{}\n", name, table);
}

}  // namespace nonconvex_runs
