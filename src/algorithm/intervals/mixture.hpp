#pragma once

#include "tacit/core.hpp"

namespace tacit::inline v1::intervals {

// t with P(|X| ≤ t) = level, where X = N·√(V/degrees) has variance 1: N a standard normal and V a χ² variable
// with this many degrees of freedom, ≥ 2. Its excess kurtosis is 6/degrees; infinite degrees: X = N.
// Isotropic Laplace noise on ℝᵖ is such a mixture in every direction, with p + 1 degrees. For people to
// read: privacy does not rest on it.
TACIT_API double mixture_half_width(double level, double degrees);

}  // namespace tacit::inline v1::intervals
