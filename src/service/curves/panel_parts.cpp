#include "service/curves/panel_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "service/report/html.hpp"

namespace tacit::inline v1::service {

namespace {

// Dark enough on white for lines, light enough on black; apart for the common colour-vision deficiencies.
constexpr std::array<std::string_view, 8> colours = {"#1f6fb4", "#c2570c", "#1d8a4b", "#a33bb5",
                                                     "#c22f2f", "#0f8a80", "#66707c", "#7d55e0"};

}  // namespace

std::string_view output_colour(std::size_t k) { return colours[k % colours.size()]; }

std::string shortened(std::string_view text, std::size_t most) {
  std::size_t characters = 0, cut = text.size();
  for (std::size_t k = 0; k < text.size(); ++k) {
    if ((static_cast<unsigned char>(text[k]) & 0xC0U) == 0x80U) continue;  // a character goes on
    if (++characters == most) cut = k;
    if (characters > most) return std::string(text.substr(0, cut)) + "…";
  }
  return std::string(text);
}

std::string label(double x, double y, std::string_view text, std::string_view more) {
  return fmt::format("<text class='ink' x='{:.1f}' y='{:.1f}'{}{}>{}</text>\n", x, y, more.empty() ? "" : " ",
                     more, html::text(text));
}

std::vector<double> even_ticks(double low, double high, int about) {
  const double raw = (high - low) / about, power = std::pow(10, std::floor(std::log10(raw)));
  const double step = power * (raw / power < 1.5 ? 1 : raw / power < 3.5 ? 2 : raw / power < 7.5 ? 5 : 10);
  std::vector<double> ticks;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k)
    ticks.push_back(k == 0 ? 0 : k * step);
  return ticks;
}

namespace {

// 0, 1, 10, … above the beginning, and the end: where a logarithm is readable.
std::vector<AxisTick> log_ticks(const ColumnAxis& axis) {
  const double from = *axis.log1p_from, range = axis.at.back() - from;
  std::vector<double> above{0};
  const double first = range <= 1 ? std::pow(10, std::floor(std::log10(range)) - 1) : 1;
  for (double v = first; v <= range; v *= 10) above.push_back(v);
  while (above.size() > 6) {  // every second one
    std::vector<double> fewer{0};
    for (std::size_t k = 1; k < above.size(); k += 2) fewer.push_back(above[k]);
    above = std::move(fewer);
  }
  std::vector<AxisTick> ticks;
  for (const double v : above) ticks.push_back({axis.place(from + v), fmt::format("{:.6g}", from + v)});
  return ticks;
}

}  // namespace

std::vector<AxisTick> axis_ticks(const ColumnAxis& axis) {
  std::vector<AxisTick> ticks;
  const std::size_t points = axis.at.size();
  if (axis.kind == AxisKind::number && axis.log1p_from) return log_ticks(axis);
  if (axis.kind == AxisKind::number) {
    for (const double v : even_ticks(axis.at.front(), axis.at.back(), 4))
      ticks.push_back({v, fmt::format("{:.6g}", v)});
    return ticks;
  }
  if (axis.kind == AxisKind::date) {  // the ends, and a point about the middle
    const std::size_t middle = points / 2;
    for (const std::size_t k : {std::size_t{0}, middle, points - 1})
      if (ticks.empty() || axis.at[k] != ticks.back().place)
        ticks.push_back({axis.at[k], axis.labels[k].substr(0, 10)});
    return ticks;
  }
  const std::size_t every = std::max<std::size_t>(1, (points + 11) / 12);
  for (std::size_t k = 0; k < points; k += every) ticks.push_back({axis.at[k], shortened(axis.labels[k], 8)});
  return ticks;
}

// Categories stand in the middle of a unit each.
PixelScale along(const ColumnAxis& axis, double from, double to) {
  const bool names = axis.kind == AxisKind::category || axis.kind == AxisKind::ordered;
  return {axis.place(axis.at.front()) - (names ? 0.5 : 0), axis.place(axis.at.back()) + (names ? 0.5 : 0),
          from, to};
}

std::string panel_frame(const Box& box) {
  return fmt::format("<path class='frame' d='M{} {}V{}H{}' fill='none' stroke='#767676'/>\n", box.left,
                     box.top, box.bottom, box.right);
}

std::string panel_title(const std::string& name, const std::string& note) {
  std::string title = label(10, 18, shortened(name, 42), "font-size='13' font-weight='600'");
  return note.empty() ? title : title + label(10, 33, shortened(note, 52));
}

std::string value_axis(const PixelScale& scale, const Box& box, bool upwards) {
  std::string drawn;
  for (const double v : even_ticks(scale.low, scale.high, upwards ? 4 : 3)) {
    const double at = scale(v);
    const char* const line = v == 0 ? "class='zero' stroke='#767676'" : "class='grid' stroke='#e2e2e2'";
    drawn += upwards ? fmt::format("<path {} d='M{} {:.1f}H{}'/>\n", line, box.left, at, box.right) +
                           label(box.left - 5, at + 4, fmt::format("{:.4g}", v), "text-anchor='end'")
                     : fmt::format("<path {} d='M{:.1f} {}V{}'/>\n", line, at, box.top, box.bottom) +
                           label(at, box.bottom + 15, fmt::format("{:.4g}", v), "text-anchor='middle'");
  }
  return drawn;
}

std::string bottom_axis(const ColumnAxis& axis, const PixelScale& scale, const Box& box, bool grid) {
  std::string drawn;
  const std::vector<AxisTick> ticks = axis_ticks(axis);
  for (const AxisTick& tick : ticks) {
    const double at = scale(tick.place);
    if (grid)
      drawn +=
          fmt::format("<path class='grid' stroke='#e2e2e2' d='M{:.1f} {}V{}'/>\n", at, box.top, box.bottom);
    // What stands at an end must not reach beyond the panel.
    const double half = 3.3 * static_cast<double>(tick.text.size());
    const char* const anchor = at + half > panel_width - 2 ? "text-anchor='end'"
                               : at - half < 2             ? "text-anchor='start'"
                                                           : "text-anchor='middle'";
    drawn += label(at, box.bottom + 15, tick.text, anchor);
  }
  const std::string name = shortened(axis.column, 34) + (axis.log1p_from ? " (log scale)" : "");
  return drawn + label((box.left + box.right) / 2, box.bottom + 31, name, "text-anchor='middle'");
}

}  // namespace tacit::inline v1::service
