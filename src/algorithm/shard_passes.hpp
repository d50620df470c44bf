#pragma once

#include <span>

#include "solver/shard_pass.hpp"

namespace tacit::inline v1 {

// Every pass that a shard can answer.
TACIT_API std::span<const PassKind> shard_passes();

}  // namespace tacit::inline v1
