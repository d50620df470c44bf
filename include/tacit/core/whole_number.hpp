#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tacit/core/api.hpp"

namespace tacit::inline v1 {

// A count as people write it: 1000, or 1e3 where that is a whole number of at most 2^53, which a double holds
// exactly. Nothing for anything else.
TACIT_API std::optional<std::int64_t> parse_whole_number(std::string_view text);

}  // namespace tacit::inline v1
