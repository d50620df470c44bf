#pragma once

#include "tacit/noise/samplers.hpp"
#include "tacit/privacy/guarantee.hpp"
#include "tacit/privacy/step.hpp"

namespace tacit::inline v1::noise {

// A lattice together with a shift that is a multiple of its grid. Rounding to the grid commutes with such a
// shift, round(x + shift) = round(x) + shift, so that proofs which shift real noise hold for rounded noise.
struct ShiftGrid {
  Lattice lattice;
  double shift = 0;  // ≥ the sensitivity asked for, by less than one cell
};

// Of scores that are compared with one another. Throws UsageError unless all three are within 1e±100, where
// neither a weight nor a quotient can overflow or vanish.
void check_scores(const Sensitivity& sensitivity, double range, Pure epsilon);

// For noise of about `scale` on numbers in ±range.
ShiftGrid shift_grid(double scale, double sensitivity, double range);

}  // namespace tacit::inline v1::noise
