#pragma once

#include "algorithm/clipping/clip_norm.hpp"
#include "algorithm/clipping/options.hpp"
#include "tacit/problem.hpp"

// What dp-sgd, its parts and dp-gd share.

namespace tacit::inline v1::clipping {

// The private choice of the clip norm that the options ask for.
PrivateMin private_min_of(const Options& options, std::size_t records);

// The shape with the number of records that is public: the stated one, or that of the data. Under add_remove
// it bounds nothing: every contribution is clipped, however many there are.
Shape public_shape_of_clipped(const Problem& problem, Neighbours neighbours,
                              const std::optional<std::int64_t>& stated);
// How many records a sum may have. Under add_remove their number is private, so nothing but the engine's own
// limit, 32-bit record numbers, bounds it.
std::size_t most_records(std::size_t records, Neighbours neighbours);

// Step lengths where none is given [heuristic: utility only, docs/dp_sgd.md]: a residual of logistic changes
// at most a quarter as fast as its score, one of a number as fast.
inline constexpr double step_for_classes = 2, sgd_step_for_numbers = 0.2, gd_step_for_numbers = 0.5;

// The residual at which `auto` clips rows as encoders make them, in place of a fifth, which would make scores
// too large to be probabilities.
inline constexpr double encoded_threshold = 0.5;

// A saved state: the steps taken, the step whose iterate is returned, the clip norm, then w and the iterate
// or running sum that is kept.
inline constexpr Eigen::Index saved_taken = 0, saved_chosen_at = 1, saved_clip_norm = 2, saved_parameters = 3;

}  // namespace tacit::inline v1::clipping
