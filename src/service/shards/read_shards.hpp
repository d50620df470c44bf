#pragma once

#include <memory>

#include "core/shards.hpp"
#include "service/fit/steps.hpp"

namespace tacit::inline v1::service {

// What can be refused before any record is looked at.
void check_shards(const ReadOptions& reading, const FitOptions& options);

// 2. read, where others hold the records: each shard is told what is public and reads its own; what comes
// back here has their number and their shape, and no row.
FitRecords read_shards(std::shared_ptr<Shards> shards, const ReadOptions& reading, const FitPlan& plan,
                       const BitSource& bits);

}  // namespace tacit::inline v1::service
