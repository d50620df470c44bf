#pragma once

#include <cstdint>
#include <string_view>

#include "tacit/data.hpp"

namespace tacit::inline v1 {

// SipHash-2-4 [Aumasson–Bernstein, "SipHash: a fast short-input PRF", Indocrypt 2012], the same on every
// machine. Privacy does not rest on it: any public map of a cell would do.
std::uint64_t siphash_2_4(const HashKey& key, std::string_view text);

}  // namespace tacit::inline v1
