#pragma once

#include "algorithm/clipping/clip_norm.hpp"
#include "algorithm/clipping/options.hpp"

// What the parts of dp-sgd share.

namespace tacit::inline v1::clipping {

// The private choice of the clip norm that the options ask for.
PrivateMin private_min_of(const Options& options, std::size_t records);

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
