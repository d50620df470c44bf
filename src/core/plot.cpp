#include "core/plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

namespace tacit::inline v1 {

namespace {

constexpr double usual_width = 720, left = 76, top = 44, bottom = 56, legend_step = 20;
// Dark enough on white for text and lines, apart for the common colour-vision deficiencies.
constexpr std::array colours = {"#0b5394", "#b45309", "#15803d", "#a21caf",
                                "#b91c1c", "#0f766e", "#4b5563", "#7c3aed"};

// References are dashed; lines whose colour was used before have another pattern.
std::string dashes(const Series& series, std::size_t number) {
  constexpr std::array patterns = {"", "2 3", "10 3 2 3"};
  const std::string_view pattern =
      series.dashed ? "6 4" : patterns[number / colours.size() % patterns.size()];
  return pattern.empty() ? "" : fmt::format(" stroke-dasharray='{}'", pattern);
}

// What depends on the legend: it takes room at the right, and may be taller than the usual plot.
struct Frame {
  double width = usual_width, height = 440, right = 190;
};
Frame frame_for(const Plot& plot) {
  Frame frame;
  if (plot.series.size() == 1 && plot.series.front().name.empty()) frame.right = 24;
  for (const Series& series : plot.series) {
    const double extra = 46 + 6.8 * static_cast<double>(series.name.size()) - frame.right;
    if (!series.name.empty() && extra > 0) frame.right += extra, frame.width += extra;
  }
  const double legend = top + bottom + legend_step * static_cast<double>(plot.series.size());
  frame.height = std::max(frame.height, legend);
  return frame;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

// One axis: data value ↦ pixel.
class Axis {
 public:
  Axis(bool logarithmic, double from, double to) : log_(logarithmic), from_(from), to_(to) {}

  bool shows(double v) const { return std::isfinite(v) && (!log_ || v > 0); }
  void include(double v) {
    if (!shows(v)) return;
    low_ = std::min(low_, v);
    high_ = std::max(high_, v);
  }
  void settle() {
    if (low_ > high_) low_ = log_ ? 1 : 0, high_ = low_ + 1;
    if (low_ == high_) low_ -= log_ ? 0.5 * low_ : 0.5, high_ += log_ ? high_ : 0.5;
    const double a = place(low_), b = place(high_), room = 0.04 * (b - a);
    start_ = a - room;
    end_ = b + room;
  }
  double pixel(double v) const { return from_ + (place(v) - start_) / (end_ - start_) * (to_ - from_); }

  std::vector<double> ticks() const {
    std::vector<double> at;
    if (log_ && end_ - start_ >= 1) {
      const int step = std::max(1, static_cast<int>(std::ceil((end_ - start_) / 8)));
      for (int k = static_cast<int>(std::ceil(start_)); k <= end_; k += step) at.push_back(std::pow(10.0, k));
      if (at.size() >= 2) return at;
      at.clear();
    }
    const double a = log_ ? std::pow(10, start_) : start_, b = log_ ? std::pow(10, end_) : end_;
    const double raw = (b - a) / 6, power = std::pow(10, std::floor(std::log10(raw)));
    const double step = power * (raw / power < 1.5 ? 1 : raw / power < 3.5 ? 2 : raw / power < 7.5 ? 5 : 10);
    for (double v = std::ceil(a / step) * step; v <= b; v += step)
      at.push_back(std::fabs(v) < step * 1e-9 ? 0.0 : v);
    return at;
  }

 private:
  double place(double v) const { return log_ ? std::log10(v) : v; }
  bool log_;
  double from_, to_, start_ = 0, end_ = 1;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -std::numeric_limits<double>::infinity();
};

// Colour and marker together tell 32 series apart, and lines their pattern.
std::string marker(std::size_t number, double x, double y) {
  const char* colour = colours[number % colours.size()];
  switch ((number + number / colours.size()) % 4) {
    case 0:
      return fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='3.5' fill='{}'/>\n", x, y, colour);
    case 1:
      return fmt::format("<rect x='{:.1f}' y='{:.1f}' width='7' height='7' fill='{}'/>\n", x - 3.5, y - 3.5,
                         colour);
    case 2:
      return fmt::format("<path d='M{:.1f} {:.1f}l4.5 8h-9z' fill='{}'/>\n", x, y - 5, colour);
    default:
      return fmt::format(
          "<path d='M{:.1f} {:.1f}l5 5l-5 5l-5 -5z' fill='none' stroke='{}' stroke-width='1.6'/>\n", x, y - 5,
          colour);
  }
}

std::string drawn(const Series& series, std::size_t number, const Axis& xs, const Axis& ys) {
  const char* colour = colours[number % colours.size()];
  std::string line, marks;
  for (std::size_t k = 0; k < series.x.size() && k < series.y.size(); ++k) {
    if (!xs.shows(series.x[k]) || !ys.shows(series.y[k])) continue;
    const double x = xs.pixel(series.x[k]), y = ys.pixel(series.y[k]);
    line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", x, y);
    if (!series.dashed && series.x.size() <= 40) marks += marker(number, x, y);
    if (k < series.spread.size() && ys.shows(series.y[k] - series.spread[k]))
      marks += fmt::format("<path d='M{:.1f} {:.1f}V{:.1f}' stroke='{}'/>\n", x,
                           ys.pixel(series.y[k] - series.spread[k]), ys.pixel(series.y[k] + series.spread[k]),
                           colour);
  }
  return fmt::format("<path d='{}' fill='none' stroke='{}' stroke-width='1.8'{}/>\n{}", line, colour,
                     dashes(series, number), marks);
}

std::string legend_row(const Series& series, std::size_t number, double left_end) {
  const char* colour = colours[number % colours.size()];
  const double x = left_end + 14, y = top + 10 + legend_step * static_cast<double>(number);
  return fmt::format(
      "<path d='M{:.1f} {:.1f}h22' stroke='{}' stroke-width='1.8'{}/>\n{}<text x='{:.1f}' "
      "y='{:.1f}'>{}</text>\n",
      x, y, colour, dashes(series, number), series.dashed ? "" : marker(number, x + 11, y), x + 28, y + 4,
      escaped(series.name));
}

}  // namespace

std::string to_svg(const Plot& plot) {
  const auto [width, height, right] = frame_for(plot);
  Axis xs(plot.log_x, left, width - right), ys(plot.log_y, height - bottom, top);
  for (const Series& series : plot.series)
    for (std::size_t k = 0; k < series.x.size() && k < series.y.size(); ++k) {
      if (!xs.shows(series.x[k]) || !ys.shows(series.y[k])) continue;
      xs.include(series.x[k]);
      ys.include(series.y[k]);
      if (k < series.spread.size()) {
        ys.include(series.y[k] - series.spread[k]);
        ys.include(series.y[k] + series.spread[k]);
      }
    }
  xs.settle();
  ys.settle();

  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0} {1}' role='img' font-family='sans-serif' "
      "font-size='12' fill='#111'>\n<title>{2}</title>\n<desc>{3} against {4}</desc>\n"
      "<rect width='{0}' height='{1}' fill='#fff'/>\n",
      width, height, escaped(plot.title), escaped(plot.y_label), escaped(plot.x_label));
  for (const double tick : xs.ticks())
    svg += fmt::format(
        "<path d='M{0:.1f} {1}V{2}' stroke='#ddd'/><text x='{0:.1f}' y='{3}' "
        "text-anchor='middle'>{4:.4g}</text>\n",
        xs.pixel(tick), top, height - bottom, height - bottom + 17, tick);
  for (const double tick : ys.ticks())
    svg += fmt::format(
        "<path d='M{1} {0:.1f}H{2}' stroke='#ddd'/><text x='{3}' y='{4:.1f}' "
        "text-anchor='end'>{5:.4g}</text>\n",
        ys.pixel(tick), left, width - right, left - 7, ys.pixel(tick) + 4, tick);
  svg += fmt::format("<rect x='{}' y='{}' width='{}' height='{}' fill='none' stroke='#555'/>\n", left, top,
                     width - left - right, height - top - bottom);
  svg += fmt::format("<text x='{}' y='26' font-size='15' font-weight='bold'>{}</text>\n", left,
                     escaped(plot.title));
  svg += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{}</text>\n",
                     (left + width - right) / 2, height - 14, escaped(plot.x_label));
  svg += fmt::format("<text transform='translate(18 {:.1f}) rotate(-90)' text-anchor='middle'>{}</text>\n",
                     (top + height - bottom) / 2, escaped(plot.y_label));
  for (std::size_t k = 0; k < plot.series.size(); ++k)
    svg += drawn(plot.series[k], k, xs, ys) +
           (plot.series[k].name.empty() ? "" : legend_row(plot.series[k], k, width - right));
  return svg + "</svg>\n";
}

}  // namespace tacit::inline v1
