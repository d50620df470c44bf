#pragma once

#include <vector>

#include "tacit/data.hpp"

namespace tacit::inline v1 {

// E‖b‖₂² for b with density ∝ exp(−‖b‖_K) in the plane of the full blocks, of which there are two or more
// [docs/shaped_noise.md, "The plane that gradients live in"], by quadrature over v₀: about, for rules of
// utility alone.
double mean_square_in_plane(const std::vector<FeatureBlock>& blocks);

// The same by coordinate, for each block: E b_l² of one of the `outputs` numbers that b has for a feature l
// of the block. In the plane, where there is one and one output; else in all of ℝᵖ, as
// FeatureBlocks::mean_square has it. They sum to that, each taken size·outputs times.
std::vector<double> coordinate_mean_squares(const FeatureBlocks& blocks, std::size_t outputs);

}  // namespace tacit::inline v1
