#pragma once

#include <span>

#include "tacit/core.hpp"
#include "tacit/meter.hpp"

// Exact noise, below the meter. Each function writes out[i] = round(clamp(x[i]) + Z[i]), rounded to the
// nearest multiple of a public grid, where Z has its true real-valued law, given ideal bits: the rounding is
// decided, never approximated (Ziv's strategy: a fast evaluation with a proved error bound; where that cannot
// tell, more bits of the same uniforms and interval arithmetic). A tie has probability zero; it would round
// up.
//
// x is clamped to [−range, range], NaN to −range. A multiple beyond 2^53 cells is itself rounded to a double
// (a multiple still), which is post-processing. −0 never comes out.
//
// The grid may be coarser than lattice_for makes it, or finer, down to scale·2^−40.

namespace tacit::inline v1::noise {

// The public grid of a release.
struct Lattice {
  double grid = 0;   // a power of two
  double range = 0;  // ≥ 0, at most 2^50·grid
};

// grid = max(scale·2^−20, range·2^−50, 2^−1022), rounded up to a power of two. Throws UsageError unless
// 0 < scale ≤ 2^960 and 0 ≤ range ≤ 2^960.
TACIT_API Lattice lattice_for(double scale, double range);

// Laplace: density ∝ exp(−|z|/scale) for each coordinate.
TACIT_API void add_laplace(std::span<const double> x, double scale, const Lattice& lattice, BitSource& bits,
                           std::span<double> out);

// Gaussian: N(0, sigma²) for each coordinate.
TACIT_API void add_gaussian(std::span<const double> x, double sigma, const Lattice& lattice, BitSource& bits,
                            std::span<double> out);

// Isotropic Laplace: density ∝ exp(−‖z‖₂/scale) on ℝᵈ, d = x.size().
TACIT_API void add_isotropic_laplace(std::span<const double> x, double scale, const Lattice& lattice,
                                     BitSource& bits, std::span<double> out);

}  // namespace tacit::inline v1::noise
