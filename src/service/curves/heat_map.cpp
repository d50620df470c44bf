#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "service/curves/panel_parts.hpp"

namespace tacit::inline v1::service {

namespace {

constexpr std::size_t steps = 16, most_names = 12;  // cells along a number; categories that are shown

// Cells along an axis: two points of the axis each, and how far it is from one to the other.
struct Cell {
  double from, to;  // on the axis' scale
  std::size_t left, right;
  double share;
};

std::vector<Cell> cells_of(const ColumnAxis& axis) {
  std::vector<Cell> cells;
  if (axis.kind == AxisKind::category || axis.kind == AxisKind::ordered) {
    for (std::size_t k = 0; k < axis.at.size(); ++k)
      cells.push_back({axis.at[k] - 0.5, axis.at[k] + 0.5, k, k, 0});
    return cells;
  }
  const double start = axis.place(axis.at.front()), range = axis.place(axis.at.back()) - start;
  std::size_t left = 0;
  for (std::size_t k = 0; k < steps; ++k) {
    const auto edge = [&](double cell) { return start + range * cell / static_cast<double>(steps); };
    const double middle = edge(static_cast<double>(k) + 0.5);
    while (left + 2 < axis.at.size() && axis.place(axis.at[left + 1]) < middle) ++left;
    const double a = axis.place(axis.at[left]), b = axis.place(axis.at[left + 1]);
    cells.push_back({edge(static_cast<double>(k)), edge(static_cast<double>(k) + 1), left, left + 1,
                     (middle - a) / (b - a)});
  }
  return cells;
}

// Blue below 0, grey at it, orange above.
std::string colour(double share) {
  using Rgb = std::array<double, 3>;
  constexpr Rgb below{33, 102, 172}, zero{240, 240, 240}, above{200, 80, 10};
  const Rgb& end = share < 0 ? below : above;
  const double s = std::min(1.0, std::abs(share));
  std::array<int, 3> mixed{};
  for (std::size_t k = 0; k < 3; ++k)
    mixed[k] = static_cast<int>(std::lround(zero[k] + s * (end[k] - zero[k])));
  return fmt::format("#{:02x}{:02x}{:02x}", mixed[0], mixed[1], mixed[2]);
}

double between(const Curve& curve, std::size_t output, const Cell& a, const Cell& b) {
  const std::size_t size = curve.axes[1].at.size();
  const auto y = [&](std::size_t k, std::size_t l) {
    return curve.y(static_cast<Eigen::Index>(output), static_cast<Eigen::Index>(k * size + l));
  };
  return (1 - a.share) * ((1 - b.share) * y(a.left, b.left) + b.share * y(a.left, b.right)) +
         a.share * ((1 - b.share) * y(a.right, b.left) + b.share * y(a.right, b.right));
}

std::string side_axis(const ColumnAxis& axis, const PixelScale& scale, const Box& box) {
  std::string drawn;
  for (const AxisTick& tick : axis_ticks(axis))
    drawn += label(box.left - 5, scale(tick.place) + 4, shortened(tick.text, 10), "text-anchor='end'");
  return drawn;
}

// The first categories alone, where there are too many to show.
ColumnAxis first_of(ColumnAxis axis) {
  if (axis.kind == AxisKind::category && axis.at.size() > most_names) {
    axis.at.resize(most_names);
    axis.labels.resize(most_names);
  }
  return axis;
}

}  // namespace

std::string heat_map(const Curve& curve, std::size_t output, const PanelScale& scale) {
  const Box box{74, 42, panel_width - 46, panel_height - 40};
  const ColumnAxis first = first_of(curve.axes[0]), second = first_of(curve.axes[1]);
  const PixelScale xs = along(first, box.left, box.right), ys = along(second, box.bottom, box.top);
  // A scale of its own: colours are harder to tell apart than lengths, and the key says what they mean.
  const double largest = curve.y.row(static_cast<Eigen::Index>(output)).cwiseAbs().maxCoeff();
  const double most = largest > 0 ? largest : 1;
  std::string drawn;
  for (const Cell& a : cells_of(first))
    for (const Cell& b : cells_of(second))
      drawn += fmt::format("<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='{}'/>\n",
                           xs(a.from), ys(b.to), xs(a.to) - xs(a.from) + 0.3, ys(b.from) - ys(b.to) + 0.3,
                           colour(between(curve, output, a, b) / most));
  drawn += bottom_axis(first, xs, box, false) + side_axis(second, ys, box) + panel_frame(box);
  // What the colours mean.
  const PixelScale key{-most, most, box.bottom, box.top};
  constexpr int shades = 20;
  for (int k = 0; k < shades; ++k) {
    const double from = most * (2.0 * k / shades - 1), to = most * (2.0 * (k + 1) / shades - 1);
    drawn += fmt::format("<rect x='{}' y='{:.1f}' width='9' height='{:.1f}' fill='{}'/>\n", box.right + 6,
                         key(to), key(from) - key(to) + 0.3, colour((from + to) / 2 / most));
  }
  for (const double v : even_ticks(-most, most, 3))
    drawn += label(box.right + 18, key(v) + 4, fmt::format("{:.2g}", v));
  const std::string& of = scale.outputs[output];
  const bool several = scale.outputs.size() > 1;
  return drawn + panel_title(curve.name + (several ? ": " + of : ""),
                             "up: " + second.column +
                                 (first.at.size() < curve.axes[0].at.size() ||
                                          second.at.size() < curve.axes[1].at.size()
                                      ? fmt::format("; the first {} categories", most_names)
                                      : ""));
}

}  // namespace tacit::inline v1::service
