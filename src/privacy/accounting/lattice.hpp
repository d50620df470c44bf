#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "privacy/accounting/loss_law.hpp"

// Laws of the loss on a grid, above and below the true one. With F(z) = ∫ (1 − e^{z−l})_+ dν(l),
// `pessimistic` has F >= that of the law for every z, `optimistic` has F <= it. As F of a convolution is F of
// one factor averaged over the other, this survives composition.

namespace tacit::inline v1::pld {

// Indices stay below this in size: exact as doubles, and far from overflow. What would lie beyond counts as
// the end of a grid.
inline constexpr double index_limit = 0x1p52;

// The loss offset + index·step for an ascending list of indices, between which a law is resolved. A node that
// is not there is std::out_of_range: what decides an epsilon must not read past the end.
struct Grid {
  double step = 0, offset = 0;
  std::vector<std::int64_t> nodes;

  double loss(std::size_t j) const { return offset + step * static_cast<double>(nodes.at(j)); }
  double width(std::size_t j) const { return step * static_cast<double>(nodes.at(j + 1) - nodes.at(j)); }
};

// P-mass at the loss offset + index·step.
struct Tap {
  std::int64_t index = 0;
  double mass = 0;
};

struct LatticeLaw {
  double step = 0, offset = 0;
  std::vector<Tap> taps;  // ascending, masses > 0
  double infinite = 0;    // mass of an infinite loss
  double shift = 0;       // pessimistic: the losses are this much higher; optimistic: this much lower
};

// Above the last node the loss counts as infinite (pessimistic) or is left out (optimistic); below the first
// it counts as the first, or is left out. A law with atoms needs offset 0.
LatticeLaw pessimistic(const LossLaw& law, const Grid& grid);
LatticeLaw optimistic(const LossLaw& law, const Grid& grid);

}  // namespace tacit::inline v1::pld
