#pragma once

// The AUC from noisy counts of scores by cell and class, with an interval that is proved [docs/evaluate.md].

#include <optional>
#include <vector>

#include "algorithm/statistics/answers.hpp"
#include "algorithm/statistics/laws.hpp"

namespace tacit::inline v1::statistics {

// P(score of one of the second class > score of one of the first), ties counted half, from counts by cell and
// class (2·cell + class), at least 0; 0.5 where one of them is empty.
TACIT_API double auc_of(const std::vector<double>& counts);

// Noisy counts made possible: the nearest that are at least 0 and sum to `total`. Without a total, to their
// own sum, or 0 if that is negative. Cutting each at 0 would leave the noise of the empty cells in.
TACIT_API std::vector<double> possible_counts(const Vector& noisy, std::optional<double> total);

// `counts` is the answer and its law; `estimated` the counts that the value is computed from. The interval
// holds the records' own AUC, of scores and not of cells, with probability 1 − failure. It is [0, 1] where
// the noise hides everything, or where the noise allows that one class is empty.
TACIT_API Estimate auc_estimate(const Answer& counts, const std::vector<double>& estimated, double failure);

}  // namespace tacit::inline v1::statistics
