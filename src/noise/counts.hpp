#pragma once

#include <cstddef>

#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"

// Noise on several numbers at once, by how far one unit moves them in sum (l1). Both are pure.

namespace tacit::inline v1::noise {

// Whole numbers + two-sided geometric noise, P(Z = k) ∝ exp(−|k|·rate), rate = epsilon/Δ, independent in each
// coordinate: at a large epsilon less noise than Laplace. Throws UsageError for numbers that are not whole,
// and for a rate below 2^−29.
TACIT_API Step plan_geometric(const Sensitivity& sensitivity, Pure epsilon, std::size_t dimension);
TACIT_API Released<Vector> geometric(const Sensitive<Vector>& x, Pure epsilon, double range, Meter& meter);

// Any numbers + Laplace noise of this scale, independent in each coordinate.
TACIT_API Step plan_laplace_vector(const Sensitivity& sensitivity, double scale, double range,
                                   std::size_t dimension);
TACIT_API Released<Vector> laplace_vector(const Sensitive<Vector>& x, double scale, double range,
                                          Meter& meter);

}  // namespace tacit::inline v1::noise
