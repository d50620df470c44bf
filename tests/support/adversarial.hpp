#pragma once

#include <vector>

#include "tacit/data/dataset.hpp"
#include "tacit/solver/problem.hpp"

namespace tacit::testing {

// Two datasets that differ in record 0, and what makes the pair nasty.
struct NeighbourPair {
  Dataset first, second;
  const char* what = "";
};

// Pairs with far outliers, rows of norm 1e300, zero rows, denormals, duplicates and flipped labels. Labels fit
// the loss.
std::vector<NeighbourPair> adversarial_pairs(const LinearLoss& loss, std::size_t records, std::size_t features,
                                             unsigned seed);

// A label that the loss accepts; `which` picks among the extreme ones.
double extreme_label(const LinearLoss& loss, int which);

}  // namespace tacit::testing
