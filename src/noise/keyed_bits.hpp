#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "tacit/core.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1::noise {

// The words that a secret key stands for, wherever they are made: AES-256-CTR, the generator of
// system_bits(). Under a key that was drawn from such bits they are taken to be as good as those.
using BitsKey = std::array<std::uint64_t, 4>;
TACIT_API std::unique_ptr<BitSource> keyed_bits(const BitsKey& key);

}  // namespace tacit::inline v1::noise
