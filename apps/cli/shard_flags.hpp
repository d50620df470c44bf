#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tacit/fit.hpp"

namespace tacit::cli {

struct ShardFlags {
  std::size_t count = 1;
  std::string cluster;
};

// What --shards and --cluster come to, the files left out; joins the cluster.
service::ShardUse shard_use(const ShardFlags& flags);

// The files of a fit in shards; none without shards. A name may be a pattern, which stands for all files that
// match, in the order of their names.
std::vector<std::filesystem::path> shard_files(const service::ShardUse& use, const std::string& first,
                                               const std::vector<std::string>& more);

}  // namespace tacit::cli
