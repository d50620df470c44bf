#include "noise/round_exactly.hpp"

#include <algorithm>
#include <cmath>

#include "noise/lazy_uniform.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::noise {

namespace {

// noise·scale/grid + x/grid + 1/2; scaling by the grid is a shift.
Ball in_cells(Ball noise, double x, double scale, const Lattice& lattice, slong precision) {
  Ball offset(x), factor(scale);
  arb_mul(noise.get(), noise.get(), factor.get(), precision);
  arb_add(noise.get(), noise.get(), offset.get(), precision);
  arb_mul_2exp_si(noise.get(), noise.get(), -std::ilogb(lattice.grid));
  Ball half(0.5);
  arb_add(noise.get(), noise.get(), half.get(), precision);
  return noise;
}

// The floor of every number in the ball, if they agree.
bool common_floor(const Ball& ball, double& floor) {
  if (!arb_is_finite(ball.get())) return false;
  bool agree = false;
  arf_t low, high;
  arf_init(low);
  arf_init(high);
  arb_get_lbound_arf(low, ball.get(), 64 + arb_bits(ball.get()));
  arb_get_ubound_arf(high, ball.get(), 64 + arb_bits(ball.get()));
  arf_floor(low, low);
  arf_floor(high, high);
  if (arf_equal(low, high)) {
    agree = true;
    floor = arf_get_d(low, ARF_RND_NEAR);
  }
  arf_clear(low);
  arf_clear(high);
  return agree;
}

}  // namespace

double round_exactly(double x, double scale, const Lattice& lattice, std::size_t terms,
                     const NoiseEnclosure& noise) {
  const double above = x > -lattice.range ? x : -lattice.range;  // NaN goes to −range
  const double clamped = above < lattice.range ? above : lattice.range;
  for (std::size_t words = 1;; words *= 2) {
    require_sane_bits(words);
    // x/grid may have 53 bits at any exponent within 2^50 cells; 128 more bits hold them beside the noise.
    const slong precision = precision_for(words, terms) + 128;
    const Ball value = in_cells(noise(words, precision), clamped, scale, lattice, precision);
    double cells = 0;
    if (common_floor(value, cells)) return cells * lattice.grid;
  }
}

Ball box_muller_enclosure(const Ball& radius, const Ball& angle, Coordinate coordinate, slong precision) {
  Ball result, turn;
  arb_log(result.get(), radius.get(), precision);
  arb_mul_si(result.get(), result.get(), -2, precision);
  // The ball of −2 ln U reaches below 0 when U may be 1; the true number does not.
  arb_sqrtpos(result.get(), result.get(), precision);
  arb_mul_2exp_si(turn.get(), angle.get(), 1);
  if (coordinate == Coordinate::cosine)
    arb_cos_pi(turn.get(), turn.get(), precision);
  else
    arb_sin_pi(turn.get(), turn.get(), precision);
  arb_mul(result.get(), result.get(), turn.get(), precision);
  return result;
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
