#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/data.hpp"
#include "tacit/model.hpp"

namespace tacit::inline v1 {

// A feature of a block that is not 0.
struct BlockEntry {
  std::size_t feature = 0;  // within the block
  double value = 1;
};

// A block of features from its column's side: at every point one feature has a value and all others are 0,
// but for values that are not listed. So an additive model is known everywhere from its values at the points:
// between two points of a number it is straight, on the axis' scale.
struct BlockAxis {
  ColumnAxis axis;
  std::vector<std::vector<BlockEntry>> entries;  // for each point of the axis
  std::vector<double> weights;                   // >= 0, one for each point, sum 1: of the column's average
  std::optional<BlockEntry> missing;  // of an empty cell of a number; categories have a point for it
  std::size_t features = 1;           // of the block
};

// One for each block that a column or a part of a date makes, in the order of the features. Pairs follow them
// in the features, and have none.
TACIT_API std::vector<BlockAxis> block_axes(const Schema& schema);

}  // namespace tacit::inline v1
