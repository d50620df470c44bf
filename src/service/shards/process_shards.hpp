#pragma once

#include <memory>

#include "core/shards.hpp"
#include "tacit/fit.hpp"

namespace tacit::inline v1::service {

// The shards of a fit: all in this process, or one in each process of the cluster.
std::shared_ptr<Shards> make_shards(const ReadOptions& reading, const FitOptions& options);

// Those that the caller asks.
std::shared_ptr<Shards> callback_shards(std::size_t count, AskShards ask);

}  // namespace tacit::inline v1::service
