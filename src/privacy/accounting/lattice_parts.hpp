#pragma once

#include <cmath>
#include <map>

#include "privacy/accounting/lattice.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::pld {

inline constexpr double largest_exponent = 700;  // e^700 is a double; beyond it masses are used, not ratios

// How far offset + index·step, as Grid::loss rounds it, may be from the real number.
inline double label_error(const Grid& grid, double loss) {
  return 4 * unit_roundoff * (std::fabs(loss) + grid.step);
}

// Where an atom lies: on a grid point up to `gap`, which goes into the shift, or above the grid point
// `below`.
struct Place {
  std::int64_t below = 0;
  double gap = 0;
  bool on_grid = false;
};
inline Place place(double loss, double step) {
  constexpr double close = 1e-6;  // in steps
  const double nearest = std::nearbyint(loss / step);
  const double gap = std::fabs(loss - nearest * step) + unit_roundoff * std::fabs(loss);
  if (gap <= close * step) return {static_cast<std::int64_t>(nearest), gap, true};
  return {static_cast<std::int64_t>(std::floor(loss / step)), 0, false};
}

LatticeLaw collect(const Grid& grid, const std::vector<double>& masses,
                   const std::map<std::int64_t, double>& atoms);

}  // namespace tacit::inline v1::pld
