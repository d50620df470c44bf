#include "tacit/core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace tacit::inline v1 {

namespace {

// The nearest decimal, moved by a unit of its last digit where it lies on the wrong side of x.
std::string rounded(double x, int digits, bool up) {
  digits = std::clamp(digits, 1, std::numeric_limits<double>::max_digits10);
  std::string text = fmt::format("{:.{}g}", x, digits);
  if (!std::isfinite(x) || x == 0) return text;
  const double unit = std::pow(10.0, std::floor(std::log10(std::fabs(x))) - digits + 1);
  const double shown = std::strtod(text.c_str(), nullptr);
  if (up ? shown < x : shown > x) text = fmt::format("{:.{}g}", shown + (up ? unit : -unit), digits);
  return text;
}

}  // namespace

std::string decimal_up(double x, int digits) { return rounded(x, digits, true); }
std::string decimal_down(double x, int digits) { return rounded(x, digits, false); }

std::string factor_up(double x, int digits) {
  constexpr int most_digits = 12;
  const double excess = x - 1;
  if (!(excess > 0 && excess < 0.1)) return decimal_up(x, digits);
  return decimal_up(x, std::min(most_digits, digits - static_cast<int>(std::floor(std::log10(excess)))));
}

}  // namespace tacit::inline v1
