#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tacit/core/api.hpp"
#include "tacit/data/dataset.hpp"
#include "tacit/privacy/guarantee.hpp"
#include "tacit/solver/problem.hpp"

namespace tacit::inline v1::audit {

// Two datasets that differ in one record, and what makes the pair nasty.
struct NeighbourPair {
  std::string what;
  Dataset first, second;
};

// Pairs with far outliers, rows of norm 1e300, zero rows, denormals, duplicates and flipped labels: the
// differing record is the first, the others are ordinary. Labels fit the loss. records, features ≥ 1.
TACIT_API std::vector<NeighbourPair> adversarial_pairs(const LinearLoss& loss, std::size_t records,
                                                       std::size_t features, unsigned seed);

// Pairs on which a method has as little to hide behind as possible: one feature, and all records but the
// first contribute nothing. `row_bound` is the public bound on the rows; some rows keep it, some break it.
// records ≥ 1.
// `label`: ± this in place of a numeric target's extreme labels.
TACIT_API std::vector<NeighbourPair> lone_record_pairs(const LinearLoss& loss, std::size_t records,
                                                       double row_bound,
                                                       std::optional<double> label = std::nullopt);

// A label that the loss accepts; `which` picks among the extreme ones.
TACIT_API double extreme_label(const LinearLoss& loss, int which);

// The same for zero_out and add_remove: of each dataset of a pair, its first record, moved to the end, is
// there or not. (At the end, so that the coins of the others stay the same.)
TACIT_API std::vector<NeighbourPair> presence_pairs(const std::vector<NeighbourPair>& pairs);

// The same for users. Every record is a user's of its own, but for the first: its user holds as many copies
// of it as there are other records in the first dataset, half of all, and one in the second. Under zero_out
// and add_remove that user, the last, is there or not.
TACIT_API std::vector<NeighbourPair> user_pairs(const std::vector<NeighbourPair>& pairs, Neighbours relation);

// Users with one record and one feature each, whose gradients at 0 lie on a line so that one of them, the
// last, moves the mean of inliers far: most lie within τ, the others within 2τ of a few more than half of
// all, and the last is near those others or far from them. For an even number of users.
TACIT_API NeighbourPair fringe_pair(const LinearLoss& loss, std::size_t users);

// Throws DataError, naming what differs, unless the datasets have the same shape and at most one record
// differs.
TACIT_API void require_neighbours(const Dataset& first, const Dataset& second);
// The same for any relation: under zero_out and add_remove one dataset has a record that the other lacks,
// which is moved to the end, as above.
TACIT_API NeighbourPair as_neighbours(NeighbourPair pair, Neighbours relation);
// The same for users, in the order of their first records: all but one hold the same records, in the same
// order; that one has others, or is there in one dataset only, and becomes the last.
TACIT_API NeighbourPair as_user_neighbours(NeighbourPair pair, Neighbours relation);

}  // namespace tacit::inline v1::audit
