#include "algorithm/intervals/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/bisect.hpp"
#include "core/log_gamma.hpp"

namespace tacit::inline v1::intervals {

namespace {

// P(|N| > t) of a standard normal.
double normal_tail(double t) { return std::erfc(t / std::numbers::sqrt2); }

// The midpoint rule over V.
class Mixture {
 public:
  explicit Mixture(double degrees) {
    constexpr int cells = 2000;
    constexpr double deviations = 12;
    const double deviation = std::sqrt(2 * degrees);
    const double from = std::max(0.0, degrees - deviations * deviation);
    const double width = (degrees + deviations * deviation + 40 - from) / cells;
    const double constant = log_gamma(degrees / 2) + degrees / 2 * std::numbers::ln2;
    for (int k = 0; k < cells; ++k) {
      const double v = from + (k + 0.5) * width;
      const double mass = width * std::exp((degrees / 2 - 1) * std::log(v) - v / 2 - constant);
      if (mass > 0) cells_.push_back({mass, 1 / std::sqrt(v)});
    }
  }

  // P(|N·√V| > t)
  double tail(double t) const {
    double sum = 0;
    for (const Cell& cell : cells_) sum += cell.mass * normal_tail(t * cell.inverse_deviation);
    return sum;
  }

 private:
  struct Cell {
    double mass, inverse_deviation;
  };
  std::vector<Cell> cells_;
};

template <class Tail>
double half_width(double level, const Tail& tail) {
  double high = 1;
  while (tail(high) > 1 - level) high *= 2;
  return bisect(0, high, 1e-9, [&](double t) { return tail(t) <= 1 - level; }).first_true;
}

}  // namespace

double mixture_half_width(double level, double degrees) {
  // Beyond this many degrees V is its mean, to all digits that anyone reads.
  if (!(degrees < 1e6)) return half_width(level, normal_tail);
  const Mixture mixture(degrees);
  return half_width(level, [&](double t) { return mixture.tail(t); }) / std::sqrt(degrees);
}

}  // namespace tacit::inline v1::intervals
