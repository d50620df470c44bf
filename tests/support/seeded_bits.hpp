#pragma once

#include <cstdint>
#include <memory>

#include "tacit/meter.hpp"

namespace tacit::testing {

// Reproducible bits for tests. What they touch says so and is not private.
std::unique_ptr<BitSource> seeded_bits(std::uint64_t seed);

}  // namespace tacit::testing
