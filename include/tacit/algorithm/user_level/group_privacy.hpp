#pragma once

#include <cstdint>

#include "tacit/core/api.hpp"
#include "tacit/privacy/guarantee.hpp"

namespace tacit::inline v1::user_level {

// The baseline: what an item-level method must be asked for so that everyone with at most `records` records
// has (ε,δ) as a group. An (ε',δ')-DP method is (kε', δ'(e^{kε'} − 1)/(e^{ε'} − 1))-DP for k records that
// come or go together [Vadhan 2017, Lemma 2.2]; both numbers are rounded to the safe side.
TACIT_API Approx item_target(const Approx& user, std::int64_t records);

}  // namespace tacit::inline v1::user_level
