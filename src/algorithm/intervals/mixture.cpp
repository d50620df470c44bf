#include "algorithm/intervals/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/bisect.hpp"

namespace tacit::inline v1::intervals {

namespace {

// P(|N| > t) of a standard normal.
double normal_tail(double t) { return std::erfc(t / std::numbers::sqrt2); }

// P(|N·√V| > t): the midpoint rule over V.
double mixture_tail(double t, double degrees) {
  constexpr int cells = 500;
  constexpr double deviations = 12;
  const double deviation = std::sqrt(2 * degrees);
  const double from = std::max(0.0, degrees - deviations * deviation);
  const double width = (degrees + deviations * deviation + 40 - from) / cells;
  const double constant = std::lgamma(degrees / 2) + degrees / 2 * std::numbers::ln2;
  double sum = 0;
  for (int k = 0; k < cells; ++k) {
    const double v = from + (k + 0.5) * width;
    sum +=
        width * std::exp((degrees / 2 - 1) * std::log(v) - v / 2 - constant) * normal_tail(t / std::sqrt(v));
  }
  return sum;
}

}  // namespace

double mixture_half_width(double level, double degrees) {
  // Beyond this many degrees V is its mean, to all digits that anyone reads.
  const bool normal = !(degrees < 1e6);
  const double unit = normal ? 1 : 1 / std::sqrt(degrees);
  const auto tail = [&](double t) { return normal ? normal_tail(t) : mixture_tail(t, degrees); };
  double high = 1;
  while (tail(high) > 1 - level) high *= 2;
  return unit * bisect(0, high, 1e-7, [&](double t) { return tail(t) <= 1 - level; }).first_true;
}

}  // namespace tacit::inline v1::intervals
