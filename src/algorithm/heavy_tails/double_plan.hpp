#pragma once

#include "algorithm/heavy_tails/double_output.hpp"

namespace tacit::inline v1::heavy_tails {

// Two releases of ε/2 each, of points of norm ≤ size.
DoublePlan plan_noise(const Sensitivity& first, const Sensitivity& second, double size, double epsilon,
                      std::size_t dimension, Neighbours neighbours);

// How many iterations a solver of the extension needs for an accuracy: subgradient_iterations or
// structured_iterations.
using CountIterations = IterationBound (*)(const ExtensionSetting&, const LossSizes&, double accuracy);

DoublePlan plan_extension(const ExtensionSetting& setting, const LossSizes& sizes, const DoubleBudget& budget,
                          CountIterations count);

}  // namespace tacit::inline v1::heavy_tails
