#pragma once

#include <cstddef>
#include <span>

#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"

// Private choices among public candidates.

namespace tacit::inline v1::noise {

// Exponential mechanism: candidate i with probability exactly ∝ exp(f·scores[i]), f = epsilon/2Δ with room
// for the one rounding of each product. `scores` states its sensitivity in the max norm; each score is
// clamped to [−range, range]. The log-probability ratio between neighbours has range ≤ epsilon: charged as
// such.
TACIT_API Step plan_exponential(const Sensitivity& sensitivity, double range, Pure epsilon,
                                std::size_t candidates);
TACIT_API Released<std::size_t> exponential(const Sensitive<Vector>& scores, double range, Pure epsilon,
                                            Meter& meter);

// Report noisy max: Laplace noise on every score, exactly, on a grid that the sensitivity is a multiple of;
// the index of the largest, the first of equals. Pure epsilon.
TACIT_API Step plan_noisy_max(const Sensitivity& sensitivity, double range, Pure epsilon,
                              std::size_t candidates);
TACIT_API Released<std::size_t> noisy_max(const Sensitive<Vector>& scores, double range, Pure epsilon,
                                          Meter& meter);

// The `quantile` (in (0,1)) of private values over a public ascending grid, by the exponential mechanism with
// the rank utility u(c) = −max(#{v < c} − qn, qn − #{v ≤ c}, 0), which is right with ties too. With
// probability 1 − β the rank error is at most (2/ε)·ln(|grid|/β) beyond the best on the grid. Values may be
// anything, NaN included (it counts as above the grid). For replace_one and zero_out, where n is public; not
// for add_remove.
// One value for each record: not for budgets whose unit is the user.
TACIT_API Step plan_quantile(std::size_t records, Pure epsilon, std::size_t grid_points);
TACIT_API Released<double> quantile(std::span<const double> values, double quantile,
                                    std::span<const double> grid, Pure epsilon, Meter& meter);
// The same with a public number of records in place of n. The target rank is then fixed, and a record that
// comes, goes or is empty (not counted) moves each count by at most 1: for add_remove too.
TACIT_API Released<double> quantile_of(std::span<const double> values, std::size_t public_records,
                                       double quantile, std::span<const double> grid, Pure epsilon,
                                       Meter& meter);

}  // namespace tacit::inline v1::noise
