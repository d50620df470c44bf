#pragma once

#include <cstddef>
#include <span>

#include "noise/samplers.hpp"
#include "tacit/core.hpp"
#include "tacit/data.hpp"
#include "tacit/mechanisms.hpp"

// Noise with the shape of a record [ours, docs/shaped_noise.md]: density ∝ exp(−‖b‖_K/scale), ‖·‖_K the gauge
// of blocks of features. Where every record's gradient lies in s·K it is as private as isotropic noise that
// covers the ball around K, and shorter. Where blocks are full and the records' gradients lie in their plane,
// it is drawn there, and shorter still.

namespace tacit::inline v1::noise {

// out[i] = round(clamp(x[i]) + Z[i]) as the samplers of samplers.hpp, Z with this density on ℝ^{rp}, or in
// the plane of blocks.in_plane(), for one output: p = blocks.features(), r = outputs, output by output. The
// grid fits scale·blocks.largest_bound(). Throws UsageError unless x has r·p ≥ 1 numbers.
TACIT_API void add_shaped_laplace(std::span<const double> x, const FeatureBlocks& blocks, std::size_t outputs,
                                  double scale, const Lattice& lattice, BitSource& bits,
                                  std::span<double> out);

// perturb() of mechanisms.hpp with this noise: step.scale is the density's.
TACIT_API double shaped_perturbation_grid(const FeatureBlocks& blocks, double scale);
TACIT_API Perturbation perturb_shaped(const Step& step, const FeatureBlocks& blocks, std::size_t outputs,
                                      Meter& meter);

}  // namespace tacit::inline v1::noise
