#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

using Sha256 = std::array<std::uint8_t, 32>;

TACIT_API Sha256 sha256_of(std::string_view bytes);

// Two hexadecimal digits a byte.
TACIT_API std::string hex(std::span<const std::uint8_t> bytes);

}  // namespace tacit::inline v1
