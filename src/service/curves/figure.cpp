#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "service/curves/curves.hpp"
#include "service/curves/panel.hpp"
#include "service/report/html.hpp"
#include "tacit/core.hpp"
#include "tacit/service.hpp"

namespace tacit::inline v1::service {

namespace {

constexpr double header_height = 58, legend_row = 18;

// A dark page turns paper and ink; the colours of curves are readable on both.
constexpr std::string_view dark = R"(<style>
@media (prefers-color-scheme: dark) {
  .paper { fill: #15181c } .ink { fill: #e8e8e8 } .grid { stroke: #343a41 }
  .zero, .frame { stroke: #9aa0a6 } .ink-line { stroke: #e8e8e8 }
}
</style>
)";

std::string opening(double width, double height, const std::string& title, const std::string& description) {
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0:.0f} {1:.0f}' role='img' "
      "font-family='system-ui, sans-serif' font-size='11.5' "
      "fill='#1a1a1a'>\n<title>{2}</title>\n<desc>{3}</desc>\n",
      width, height, html::text(title), html::text(description));
}

// In words, for those who do not see it.
std::string described(const Curve& curve) {
  return fmt::format("{}: from {:.4g} to {:.4g}", curve.name, curve.y.minCoeff(), curve.y.maxCoeff());
}

const Curve& find(const Curves& curves, const std::string& column) {
  std::vector<std::string> names;
  for (const Curve& curve : curves.curves) {
    if (curve.name == column) return curve;
    names.push_back(curve.name);
  }
  throw_error<UsageError>("there is no column \"{}\", expected one of {}", column, fmt::join(names, ", "));
}

double range_of(const Curve& curve) { return curve.y.maxCoeff() - curve.y.minCoeff(); }

}  // namespace

std::vector<const Curve*> by_size(const Curves& curves) {
  std::vector<const Curve*> order;
  for (const Curve& curve : curves.curves) order.push_back(&curve);
  std::ranges::stable_sort(order, std::greater{}, [](const Curve* curve) { return range_of(*curve); });
  return order;
}

std::string output_legend(const Curves& curves, double x, double y, double width) {
  if (curves.outputs.size() < 2) return "";
  std::string drawn;
  double at = x;
  for (std::size_t k = 0; k < curves.outputs.size(); ++k) {
    const std::string name = shortened(curves.outputs[k], 20);
    const double room = 30 + 6.5 * static_cast<double>(name.size());
    if (at + room > width && at > x) at = x, y += legend_row;
    drawn += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='4.5' fill='{}'/>\n", at + 5, y - 4,
                         output_colour(k)) +
             label(at + 14, y, name);
    at += room;
  }
  return drawn;
}

std::vector<std::string> curve_figures(const Curves& curves, const Curve& curve, const std::string& adds) {
  std::vector<const Curve*> all;
  for (const Curve& other : curves.curves) all.push_back(&other);
  std::vector<std::string> made;
  for (const std::string& panel : panels(curve, panel_scale(curves, all)))
    made.push_back(
        opening(panel_width, panel_height, curve.name, "what it adds to " + adds + "; " + described(curve)) +
        panel + "</svg>\n");
  return made;
}

std::string curves_svg(const FittedModel& model, const std::string& column) {
  const Curves found = curves(model);
  const std::vector<const Curve*> shown =
      column.empty() ? by_size(found) : std::vector<const Curve*>{&find(found, column)};
  if (shown.empty()) throw_error<UsageError>("there are no curves: the model is a constant");
  const PanelScale scale = panel_scale(found, shown);
  std::vector<std::string> all;
  std::string description;
  for (const Curve* curve : shown) {
    for (std::string& panel : panels(*curve, scale)) all.push_back(std::move(panel));
    description += described(*curve) + ". ";
  }

  const std::size_t across = std::min<std::size_t>(3, all.size()), rows = (all.size() + across - 1) / across;
  const double width = std::max(520.0, static_cast<double>(across) * panel_width);
  const double names = 130 * static_cast<double>(found.outputs.size() < 2 ? 0 : found.outputs.size());
  const double legend = legend_row * std::ceil(names / width);
  const bool grey = std::ranges::any_of(shown, [](const Curve* curve) { return shows_noise(*curve); });
  const double header = header_height + (grey ? legend_row : 0);
  const double height = header + legend + static_cast<double>(rows) * panel_height;
  const std::string title = "What each column adds to " + adds_to(model);
  std::string note = "Each averages 0 over its column's range or listed categories";
  if (found.constants.size() == 1) note += fmt::format("; the constant is {:.4g}", found.constants[0]);
  if (found.no_half_width.empty()) note += fmt::format("; bands: {:g} % of the noise", 100 * found.level);

  std::string svg = opening(width, height, title, description) + std::string(dark);
  svg += fmt::format("<rect class='paper' width='{:.0f}' height='{:.0f}' fill='#fff'/>\n", width, height);
  svg += label(10, 24, shortened(title, across == 1 ? 58 : 100), "font-size='16' font-weight='600'");
  svg += label(10, 42, note);
  if (grey)
    svg += label(10, 59,
                 "Grey: how far noise alone moves a category, or a point of a curve, that no record has");
  svg += output_legend(found, 10, header + 4, width);
  for (std::size_t k = 0; k < all.size(); ++k)
    svg += fmt::format("<g transform='translate({:.0f} {:.0f})'>\n{}</g>\n",
                       static_cast<double>(k % across) * panel_width,
                       header + legend + static_cast<double>(k / across) * panel_height, all[k]);
  return svg + "</svg>\n";
}

}  // namespace tacit::inline v1::service
