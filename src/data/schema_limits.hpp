#pragma once

#include <cstddef>

namespace tacit::inline v1 {

// More would be noise alone [heuristic: utility only]; they keep a mistyped number from filling the memory.
inline constexpr std::size_t most_knots = 1024, most_buckets = std::size_t{1} << 20,
                             most_categories = most_buckets;

}  // namespace tacit::inline v1
