#pragma once

#include <limits>

#include "tacit/core.hpp"

// Short names for the formulas of bounds.

namespace tacit::inline v1 {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double u = unit_roundoff;

}  // namespace tacit::inline v1
