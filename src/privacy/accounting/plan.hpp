#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "privacy/accounting/curve.hpp"
#include "privacy/accounting/saddle.hpp"

// Chooses grids [utility only: a bad choice widens the bracket, it cannot make it wrong].

namespace tacit::inline v1::pld {

// The most points a transform may have; bounds memory (8 MB a million points and factor) and time.
inline constexpr std::size_t most_points = std::size_t{1} << 21;

// A step with which the two ends of epsilon lie about `tolerance` apart, relative; coarser where the
// transform would get more than `points` points.
Plan make_plan(std::span<const Part> parts, const Aim& aim, double tolerance, std::size_t points);

// Whether so few of the spectrum's frequencies matter that a `Band` will do.
bool few_frequencies(std::span<const Part> parts, const Plan& plan);

// Whether the tilted law ends about where a Gaussian with its mean and variance would.
bool nearly_gaussian(std::span<const Part> parts, const Aim& aim);

// The aim with a smaller tilt where that makes the window much narrower: large losses that are rare, but
// common under the tilt, widen it.
Aim narrowed(std::span<const Part> parts, const Aim& aim, double step);

// The grid points between which a law is resolved: every one where the tilted law has its mass, fewer where a
// single step seldom goes. The offset puts a node where the untilted law has its peak.
Grid make_grid(const Part& part, const Plan& plan);

// The sketch without the losses above which the law has less than 2e-4 of e^{log_delta}: they are counted as
// infinite, and must not attract the tilt.
void truncate(Part& part, double log_delta);

}  // namespace tacit::inline v1::pld
