#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tacit/model.hpp"

// One curve, bar chart or heat map as a piece of SVG: panel_width × panel_height, its corner at (0, 0).
// Colours are attributes for a light page, and classes that a style may override.

namespace tacit::inline v1::service {

inline constexpr double panel_width = 320, panel_height = 230;

// What all panels of a figure share, so that sizes can be compared.
struct PanelScale {
  double low = 0, high = 1;          // of what columns add
  std::vector<std::string> outputs;  // lines of one panel; a single one has no name
};
// Whether bars and lines have grey bands behind them: what noise alone adds where no record has the category,
// or a number near the point.
bool shows_noise(const Curve& curve);
PanelScale panel_scale(const Curves& curves, const std::vector<const Curve*>& shown);

// As many as a pair has outputs, one for every other curve.
std::vector<std::string> panels(const Curve& curve, const PanelScale& scale);

// Colour of output number k.
std::string_view output_colour(std::size_t k);
// At most so many characters, the last one "…" if some were left out.
std::string shortened(std::string_view text, std::size_t most);
// Text of an SVG.
std::string label(double x, double y, std::string_view text, std::string_view more = "");

}  // namespace tacit::inline v1::service
