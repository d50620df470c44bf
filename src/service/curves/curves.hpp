#pragma once

#include <string>
#include <vector>

#include "tacit/model.hpp"

namespace tacit::inline v1::service {

// What the curves of the model add to: "the score for >50K (against <=50K)", "income".
std::string adds_to(const FittedModel& model);

// The curve as an SVG for a page, one for each of its panels.
std::vector<std::string> curve_figures(const Curves& curves, const Curve& curve, const std::string& adds);

// Largest first: by the range of what they add.
std::vector<const Curve*> by_size(const Curves& curves);

// The names of the outputs with their colours, from `x` on; empty for one output.
std::string output_legend(const Curves& curves, double x, double y, double width);

}  // namespace tacit::inline v1::service
