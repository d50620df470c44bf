#pragma once

#include <functional>
#include <string>

#include "tacit/mechanisms.hpp"

// Approximate sample perturbation [Lin24, Alg. 2]: an approximate sample of an ideal mechanism, and the noise
// that covers its distance. With a Pure epsilon the noise is that of noise::cover.

namespace tacit::inline v1::noise {

// A sample that is within `distance` of one of the ideal mechanism (W∞ in the 2-norm), which the caller has
// proved, or states as an assumption. Charges `step`, what the ideal costs, then draws.
TACIT_API Ideal<Vector> sample_approximately(const Step& step, double distance, std::string reason,
                                             const std::function<Vector(BitSource&)>& draw, Meter& meter);

// The noise cover for Gaussian DP [Lin24, Thm 2]: N(0, (2·distance/mu)²I) at the cost of mu.
TACIT_API Step plan_cover(double distance, Gaussian mu, double range, std::size_t dimension);
TACIT_API Released<Vector> cover(const Ideal<Vector>& x, Gaussian mu, double range, Meter& meter);

}  // namespace tacit::inline v1::noise
