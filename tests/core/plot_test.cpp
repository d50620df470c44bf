#include "core/plot.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <sstream>

namespace tacit {
namespace {

TEST(Plot, DrawsEverySeriesAndEscapesText) {
  const std::string svg = to_svg(
      {.title = "a < b & c",
       .x_label = "x",
       .y_label = "y",
       .log_x = true,
       .series = {{"one", {0.1, 1, 10}, {1, 2, 3}, {0.1, 0.1, 0.1}}, {"two", {1, 10}, {2, 2}, {}, true}}});
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
  EXPECT_NE(svg.find(">one<"), std::string::npos);
  EXPECT_NE(svg.find("stroke-dasharray"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

// Eight colours, then the same ones with lines of another pattern.
TEST(Plot, NoTwoLinesLookAlike) {
  Plot plot{.title = "t", .x_label = "x", .y_label = "y", .log_x = false, .log_y = false, .series = {}};
  for (int k = 0; k < 20; ++k) plot.series.push_back({.name = "s", .x = {1, 2}, .y = {1, 2}});
  std::set<std::string> looks;
  std::istringstream lines(to_svg(plot));
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t at = line.find("h22'"); at != std::string::npos) looks.insert(line.substr(at));
  EXPECT_EQ(looks.size(), 20u);
}

TEST(Plot, LeavesOutWhatAnAxisCannotShow) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const std::string svg = to_svg({.title = "t",
                                  .x_label = "x",
                                  .y_label = "y",
                                  .log_y = true,
                                  .series = {{"s", {1, 2, 3, 4}, {0, nan, inf, 5}}, {"empty", {}, {}}}});
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

}  // namespace
}  // namespace tacit
