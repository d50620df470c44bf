#include "noise/round_exactly.hpp"

#include <algorithm>
#include <cmath>

#include "noise/lazy_uniform.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::noise {

namespace {

// noise·scale/grid + x/grid + 1/2; scaling by the grid is a shift.
Interval in_cells(const Interval& noise, double x, double scale, const Lattice& lattice) {
  return (noise * scale + x).times_power_of_two(-std::ilogb(lattice.grid)) + 0.5;
}

}  // namespace

double round_exactly(double x, double scale, const Lattice& lattice, std::size_t terms,
                     const NoiseEnclosure& noise) {
  const double above = x > -lattice.range ? x : -lattice.range;  // NaN goes to −range
  const double clamped = above < lattice.range ? above : lattice.range;
  for (std::size_t words = 1;; words *= 2) {
    require_sane_bits(words);
    // x/grid may have 53 bits at any exponent within 2^50 cells; 128 more bits hold them beside the noise.
    const long precision = precision_for(words, terms) + 128;
    const Interval value = in_cells(noise(words, precision), clamped, scale, lattice);
    if (const auto cells = value.common_floor()) return *cells * lattice.grid;
  }
}

Interval box_muller_enclosure(const Interval& radius, const Interval& angle, Coordinate coordinate) {
  const Interval length = sqrt_of_positive(-log(radius) * 2.0), turn = angle.times_power_of_two(1);
  return length * (coordinate == Coordinate::cosine ? cos_pi(turn) : sin_pi(turn));
}

namespace {
// The exponent of the least power of two ≥ value > 0.
int ceil_log2(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);  // in [1/2, 1)
  return mantissa == 0.5 ? exponent - 1 : exponent;
}
}  // namespace

Lattice lattice_for(double scale, double range) {
  if (!(scale > 0 && scale <= 0x1p960))
    throw_error<UsageError>("the noise scale is {}, expected 0 < scale <= 2^960", scale);
  if (!(range >= 0 && range <= 0x1p960))
    throw_error<UsageError>("the range is {}, expected 0 <= range <= 2^960", range);
  int exponent = std::max(ceil_log2(scale) - 20, -1022);
  if (range > 0) exponent = std::max(exponent, ceil_log2(range) - 50);
  return {std::ldexp(1.0, exponent), range};
}

void validate(double scale, const Lattice& lattice) {
  lattice_for(scale, lattice.range);  // throws unless both are in range
  // Down to scale·2^−40: finer than any release needs; noise that enters a problem is rounded this finely.
  const Lattice least = lattice_for(std::max(scale * 0x1p-20, 0x1p-1022), lattice.range);
  int exponent = 0;
  if (!(lattice.grid >= least.grid && lattice.grid <= 0x1p941) || std::frexp(lattice.grid, &exponent) != 0.5)
    throw_error<UsageError>(
        "the grid is {}, expected a power of two from {} (for scale {}, range {}) to 2^941", lattice.grid,
        least.grid, scale, lattice.range);
}

}  // namespace tacit::inline v1::noise
