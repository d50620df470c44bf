#pragma once

#include <vector>

#include "tacit/data.hpp"

namespace tacit::inline v1 {

// E‖b‖₂² for b with density ∝ exp(−‖b‖_K) in the plane of the full blocks, of which there are two or more
// [docs/shaped_noise.md, "The plane that gradients live in"], by quadrature over v₀: about, for rules of
// utility alone.
double mean_square_in_plane(const std::vector<FeatureBlock>& blocks);

}  // namespace tacit::inline v1
