#pragma once

// What the tables of experiment_posterior share.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "algorithm/posterior/asap.hpp"
#include "algorithm/posterior/exact.hpp"
#include "core/plot.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/meter.hpp"

namespace experiment {

using namespace tacit;

struct Paths {
  std::filesystem::path data, out;
};

// What both samplers are run with in the tables.
inline posterior::Options exact_options(const heavy_tails::Options& limits, const Guarantee& budget) {
  posterior::Options options;
  options.limits = limits;
  options.budget = budget;
  options.least_acceptance = 1e-9;
  return options;
}

inline posterior::AsapOptions chain_options(const heavy_tails::Options& limits, const Guarantee& budget,
                                            std::int64_t steps) {
  posterior::AsapOptions options;
  options.limits = limits;
  options.budget = budget;
  options.mala_steps = steps;
  return options;
}

inline void publish(const Paths& paths, const std::string& name, const std::string& table) {
  write_file_atomically(paths.out / ("posterior_" + name + ".md"), table);
  fmt::print("{}\n{}\n", name, table);
}

// Two plots side by side, as the panels of one figure.
inline void publish(const Paths& paths, const std::string& name, const Plot& left, const Plot& right) {
  constexpr int width = 720, height = 440;
  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {} {}' role='img'>\n<title>{}; {}</title>\n",
      2 * width, height, left.title, right.title);
  for (const auto& [plot, x] : {std::pair(&left, 0), std::pair(&right, width)}) {
    std::string panel = to_svg(*plot);
    panel.replace(0, 4, fmt::format("<svg x='{}' width='{}' height='{}'", x, width, height));
    svg += panel;
  }
  write_file_atomically(paths.out / ("posterior_" + name + ".svg"), svg + "</svg>\n");
}

}  // namespace experiment
