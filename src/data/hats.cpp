#include "data/hats.hpp"

#include <algorithm>
#include <cmath>

namespace tacit::inline v1 {
namespace {

// The nearest multiple of 2^-53, ties to even. Scaling by a power of two is exact, and every multiple of
// 2^-53 in [0, 1] is a double.
double on_grid(double share) { return std::nearbyint(share * 0x1p53) * 0x1p-53; }

// The coordinate in which curves are straight between knots; the list's knots are in the column's units.
double transformed(const NumericColumn& column, double value) {
  return column.log1p ? std::log1p(value - column.min) : value;
}

}  // namespace

HatPosition hat_position(const NumericColumn& column, std::size_t knots, double value) {
  // u <= 1 and rounding is monotone, so at <= knots − 1. The difference is exact: at lies in [left, left +
  // 1].
  const double at = encode_number(column, value) * static_cast<double>(knots - 1);
  const std::size_t left = std::min(static_cast<std::size_t>(at), knots - 2);
  return {left, on_grid(at - static_cast<double>(left))};
}

HatPosition hat_position(const NumericColumn& column, std::span<const double> knots, double value) {
  const double x = std::clamp(value, knots.front(), knots.back());
  const auto after = std::upper_bound(knots.begin() + 1, knots.end() - 1, x);
  const auto left = static_cast<std::size_t>(after - knots.begin()) - 1;
  const double from = transformed(column, knots[left]);
  const double way = transformed(column, x) - from, whole = transformed(column, knots[left + 1]) - from;
  // The library's logarithm is not known to be monotone.
  return {left, on_grid(std::clamp(way / whole, 0.0, 1.0))};
}

bool tells_apart(const NumericColumn& column, double knot, double next) {
  return transformed(column, knot) < transformed(column, next);
}

double even_knot(const NumericColumn& column, std::size_t knots, std::size_t k) {
  if (k == 0) return column.min;
  if (k + 1 == knots) return column.max;
  const double u = static_cast<double>(k) / static_cast<double>(knots - 1), range = column.max - column.min;
  return column.min + (column.log1p ? std::expm1(u * std::log1p(range)) : u * range);
}

}  // namespace tacit::inline v1
