#pragma once

#include "solver/limited_sums.hpp"

namespace tacit::inline v1 {

// The sums over the records of all shards of the problem's data: each shard's by itself, then theirs.
std::unique_ptr<LimitedSums> sharded_limited_sums(const Problem& problem, const LossLimits& limits,
                                                  double label_bound);

}  // namespace tacit::inline v1
