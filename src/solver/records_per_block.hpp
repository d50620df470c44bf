#pragma once

#include <algorithm>

#include "tacit/problem.hpp"

namespace tacit::inline v1 {

// n·ε/d, which tells what encoded records can bear [docs/features.md]: ε or μ, d the blocks of features but
// the intercept's. Every column that is used makes one, each part of a date and each pair another.
inline double records_per_block(const Shape& shape, double epsilon) {
  const std::size_t blocks = shape.blocks.list().size(), constant = shape.intercept != 0 ? 1 : 0;
  const std::size_t columns = std::max<std::size_t>(blocks, constant + 1) - constant;
  return static_cast<double>(shape.records) * epsilon / static_cast<double>(columns);
}

}  // namespace tacit::inline v1
