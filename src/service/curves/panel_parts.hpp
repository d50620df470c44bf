#pragma once

#include <string>
#include <vector>

#include "service/curves/panel.hpp"

// What the kinds of panels have in common.

namespace tacit::inline v1::service {

// A range of values on a range of pixels.
struct PixelScale {
  double low = 0, high = 1, from = 0, to = 1;
  double operator()(double v) const { return from + (v - low) / (high - low) * (to - from); }
};

struct Box {
  double left, top, right, bottom;
};

struct AxisTick {
  double place;  // on the axis' own scale: ColumnAxis::place
  std::string text;
};

std::vector<double> even_ticks(double low, double high, int about);
// Where a column's axis is labelled.
std::vector<AxisTick> axis_ticks(const ColumnAxis& axis);
PixelScale along(const ColumnAxis& axis, double from, double to);

std::string panel_frame(const Box& box);
std::string panel_title(const std::string& name, const std::string& note);
// Ticks and grid lines of what columns add: upwards at the left side, or sideways at the bottom.
std::string value_axis(const PixelScale& scale, const Box& box, bool upwards);
std::string bottom_axis(const ColumnAxis& axis, const PixelScale& scale, const Box& box, bool grid);

// Columns number `output` of a pair as colours.
std::string heat_map(const Curve& curve, std::size_t output, const PanelScale& scale);

}  // namespace tacit::inline v1::service
