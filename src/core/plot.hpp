#pragma once

#include <string>
#include <vector>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

// A line plot as SVG: self-contained, readable in black and white (markers differ), with a text alternative.

struct Series {
  std::string name;  // empty: not in the legend
  std::vector<double> x, y;
  std::vector<double> spread;  // empty, or half the height of an error bar at each point
  bool dashed = false;         // reference lines
};

struct Plot {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<Series> series;  // points that a logarithmic axis cannot show, and NaN, are left out
};

TACIT_API std::string to_svg(const Plot& plot);

}  // namespace tacit::inline v1
