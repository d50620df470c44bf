#pragma once

#include "noise/samplers.hpp"
#include "tacit/guarantee.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1::noise {

// A lattice together with a shift that is a multiple of its grid. Rounding to the grid commutes with such a
// shift, round(x + shift) = round(x) + shift, so that proofs which shift real noise hold for rounded noise.
struct ShiftGrid {
  Lattice lattice;
  double shift = 0;  // ≥ the sensitivity asked for, by less than one cell
  double scale = 0;  // 2·shift/epsilon, rounded up: at most 2^36 cells
};

// Of scores that are compared with one another. Throws UsageError unless all three are within 1e±100, where
// neither a weight nor a quotient can overflow or vanish.
void check_scores(const Sensitivity& sensitivity, double range, Pure epsilon);

// For Laplace noise of `scale`, or of twice that, on scores in ±range. A noisy score is then less than 2^53
// cells, so that it is a double as it is: a second rounding, to 53 bits, would not commute with the shift.
// Throws UsageError where check_scores does, and where epsilon is so small that this would not hold.
ShiftGrid shift_grid(const Sensitivity& sensitivity, double range, Pure epsilon);

}  // namespace tacit::inline v1::noise
