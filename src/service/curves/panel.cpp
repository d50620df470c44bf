#include "service/curves/panel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "service/curves/panel_parts.hpp"

namespace tacit::inline v1::service {

namespace {

constexpr std::size_t most_rows = 12;  // of a bar chart

double half_width(const Curve& curve, Eigen::Index output, Eigen::Index point) {
  return curve.half_width.size() == 0 ? 0 : curve.half_width(output, point);
}

// What a point or category that no record has would add by noise alone; the same for every output, about.
double noise_at(const Curve& curve, Eigen::Index point) {
  return curve.noise.size() == 0 || curve.axes.size() != 1 ? 0 : curve.noise.col(point).maxCoeff();
}

// From −noise to noise, behind a bar.
std::string noise_band(double x, double y, double width, double height) {
  return fmt::format(
      "<rect class='noise' x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='#767676' "
      "fill-opacity='.18'/>\n",
      x, y, width, height);
}

// The same behind a line.
std::string noise_band(const Curve& curve, const PixelScale& xs, const PixelScale& ys) {
  const ColumnAxis& axis = curve.axes.front();
  std::string over, under;
  for (Eigen::Index k = 0; k < curve.y.cols(); ++k) {
    const double x = xs(axis.place(axis.at[static_cast<std::size_t>(k)])), noise = noise_at(curve, k);
    over += fmt::format("{}{:.1f} {:.1f}", k == 0 ? "M" : "L", x, ys(noise));
    under.insert(0, fmt::format("L{:.1f} {:.1f}", x, ys(-noise)));
  }
  return fmt::format("<path class='noise' d='{}{}Z' fill='#767676' fill-opacity='.18'/>\n", over, under);
}

std::string note_of(const Curve& curve) {
  if (curve.missing.size() == 0) return "";
  std::string note = "empty cells: ";
  for (const double v : curve.missing) note += fmt::format("{}{:+.3g}", note.back() == ' ' ? "" : ", ", v);
  return note;
}

std::string line(const Curve& curve, Eigen::Index output, const PixelScale& xs, const PixelScale& ys) {
  const ColumnAxis& axis = curve.axes.front();
  const std::string_view colour = output_colour(static_cast<std::size_t>(output));
  std::string path, over, under;
  for (Eigen::Index k = 0; k < curve.y.cols(); ++k) {
    const double x = xs(axis.place(axis.at[static_cast<std::size_t>(k)])), y = curve.y(output, k);
    const double half = half_width(curve, output, k);
    path += fmt::format("{}{:.1f} {:.1f}", k == 0 ? "M" : "L", x, ys(y));
    over += fmt::format("{}{:.1f} {:.1f}", k == 0 ? "M" : "L", x, ys(y + half));
    under.insert(0, fmt::format("L{:.1f} {:.1f}", x, ys(y - half)));
  }
  std::string drawn;
  if (curve.half_width.size() > 0)
    drawn = fmt::format("<path d='{}{}Z' fill='{}' fill-opacity='.18'/>\n", over, under, colour);
  drawn += fmt::format("<path d='{}' fill='none' stroke='{}' stroke-width='2' stroke-linejoin='round'/>\n",
                       path, colour);
  for (Eigen::Index k = 0; k < curve.y.cols() && curve.y.cols() <= 32; ++k)
    drawn +=
        fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='2.4' fill='{}'/>\n",
                    xs(axis.place(axis.at[static_cast<std::size_t>(k)])), ys(curve.y(output, k)), colour);
  return drawn;
}

// Numbers, dates, and what has an order: lines, or upright bars.
std::string upright(const Curve& curve, const PanelScale& scale) {
  const Box box{46, 42, panel_width - 12, panel_height - 40};
  const ColumnAxis& axis = curve.axes.front();
  const PixelScale xs = along(axis, box.left, box.right), ys{scale.low, scale.high, box.bottom, box.top};
  std::string drawn = bottom_axis(axis, xs, box, axis.kind != AxisKind::ordered) + value_axis(ys, box, true);
  if (axis.kind == AxisKind::ordered && curve.y.rows() == 1) {
    const double width = 0.7 * (xs(1) - xs(0));
    for (Eigen::Index k = 0; k < curve.y.cols(); ++k) {
      const double x = xs(static_cast<double>(k)), y = ys(curve.y(0, k)), zero = ys(0);
      if (const double noise = noise_at(curve, k); noise > 0)
        drawn +=
            noise_band(xs(static_cast<double>(k) - 0.5), ys(noise), xs(1) - xs(0), ys(-noise) - ys(noise));
      drawn += fmt::format(
          "<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='{}' fill-opacity='.85'/>\n",
          x - width / 2, std::min(y, zero), width, std::abs(y - zero), output_colour(0));
      if (const double half = half_width(curve, 0, k); half > 0)
        drawn += fmt::format("<path class='ink-line' stroke='#1a1a1a' d='M{:.1f} {:.1f}V{:.1f}'/>\n", x,
                             ys(curve.y(0, k) - half), ys(curve.y(0, k) + half));
    }
  } else {
    if (shows_noise(curve)) drawn += noise_band(curve, xs, ys);
    for (Eigen::Index output = 0; output < curve.y.rows(); ++output) drawn += line(curve, output, xs, ys);
  }
  return drawn + panel_frame(box) + panel_title(curve.name, note_of(curve));
}

// The categories that are shown: the largest, then by what they add.
std::vector<Eigen::Index> rows_of(const Curve& curve) {
  std::vector<Eigen::Index> rows(static_cast<std::size_t>(curve.y.cols()));
  std::iota(rows.begin(), rows.end(), Eigen::Index{0});
  const auto size = [&](Eigen::Index k) { return curve.y.col(k).cwiseAbs().maxCoeff(); };
  if (rows.size() > most_rows) {
    std::ranges::stable_sort(rows, std::greater{}, size);
    rows.resize(most_rows);
  }
  std::ranges::stable_sort(rows, std::greater{}, [&](Eigen::Index k) { return curve.y(0, k); });
  // What the schema does not list comes last: a value that never occurred has a bar of pure noise.
  std::stable_partition(rows.begin(), rows.end(), [&](Eigen::Index k) {
    const std::string& name = curve.axes.front().labels[static_cast<std::size_t>(k)];
    return name != "other" && name != "missing";
  });
  return rows;
}

// Categories: bars that lie, so that their names can be read; with several outputs a dot for each.
std::string lying(const Curve& curve, const PanelScale& scale) {
  const Box box{118, 42, panel_width - 14, panel_height - 24};
  const std::vector<Eigen::Index> rows = rows_of(curve);
  const PixelScale xs{scale.low, scale.high, box.left, box.right};
  const double step = (box.bottom - box.top) / static_cast<double>(rows.size());
  std::string drawn = value_axis(xs, box, false);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Eigen::Index k = rows[row];
    const double middle = box.top + (static_cast<double>(row) + 0.5) * step,
                 high = std::min(0.7 * step, 18.0);
    if (const double noise = noise_at(curve, k); noise > 0)
      drawn += noise_band(xs(-noise), middle - step / 2, xs(noise) - xs(-noise), step);
    drawn +=
        label(box.left - 6, middle + 4, shortened(curve.axes.front().labels[static_cast<std::size_t>(k)], 16),
              "text-anchor='end'");
    for (Eigen::Index output = 0; output < curve.y.rows(); ++output) {
      const double y = curve.y(output, k), half = half_width(curve, output, k), x = xs(y), zero = xs(0);
      const std::string_view colour = output_colour(static_cast<std::size_t>(output));
      drawn += curve.y.rows() == 1
                   ? fmt::format(
                         "<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='{}' "
                         "fill-opacity='.85'/>\n",
                         std::min(x, zero), middle - high / 2, std::abs(x - zero), high, colour)
                   : fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='3.2' fill='{}'/>\n", x, middle, colour);
      if (half > 0)
        drawn += fmt::format("<path class='ink-line' stroke='#1a1a1a' d='M{:.1f} {:.1f}H{:.1f}'/>\n",
                             xs(y - half), middle, xs(y + half));
    }
  }
  const auto all = static_cast<std::size_t>(curve.y.cols());
  const std::string note =
      rows.size() < all ? fmt::format("the {} of {} that add or take most", rows.size(), all) : "";
  return drawn + panel_frame(box) + panel_title(curve.name, note);
}

}  // namespace

bool shows_noise(const Curve& curve) {
  return curve.axes.size() == 1 && curve.noise.size() > 0 && curve.noise.maxCoeff() > 0;
}

PanelScale panel_scale(const Curves& curves, const std::vector<const Curve*>& shown) {
  double low = 0, high = 0;
  for (const Curve* curve : shown) {
    for (Eigen::Index output = 0; output < curve->y.rows(); ++output)
      for (Eigen::Index k = 0; k < curve->y.cols(); ++k) {
        const double half = half_width(*curve, output, k);
        low = std::min(low, curve->y(output, k) - half);
        high = std::max(high, curve->y(output, k) + half);
        low = std::min(low, -noise_at(*curve, k));
        high = std::max(high, noise_at(*curve, k));
      }
  }
  const double room = high > low ? 0.05 * (high - low) : 1;
  return {low - room, high + room, curves.outputs};
}

std::vector<std::string> panels(const Curve& curve, const PanelScale& scale) {
  std::vector<std::string> made;
  if (curve.axes.size() == 1) {
    made.push_back(curve.axes.front().kind == AxisKind::category ? lying(curve, scale)
                                                                 : upright(curve, scale));
  } else {
    for (std::size_t output = 0; output < scale.outputs.size(); ++output)
      made.push_back(heat_map(curve, output, scale));
  }
  return made;
}

}  // namespace tacit::inline v1::service
