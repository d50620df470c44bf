#pragma once

#include <vector>

#include "solver/batch_blocks.hpp"
#include "solver/clipped_sums.hpp"
#include "solver/row_products.hpp"

namespace tacit::inline v1 {

// Clipped sums of a two-layer network.
BatchSums network_sums(const Problem& problem, const Clip& clip, unsigned threads);

// What the models share.
RowBlock gather(const Problem& problem, const Portion& portion);
// row_norm() of every record: 0 for one that contributes nothing.
std::vector<double> row_norms(const Problem& problem, unsigned threads);
// x·factor; a factor of 0 makes zeros of anything.
void scale(std::span<double> x, double factor);

}  // namespace tacit::inline v1
