#pragma once

#include "tacit/algorithm/user_level/contribution.hpp"
#include "tacit/core/error.hpp"

namespace tacit::inline v1::user_level {

inline void require_cap(std::int64_t cap) {
  if (cap < 1 || cap > 1'000'000)
    throw_error<UsageError>("records-per-user is {}, expected 1 to 1000000", cap);
}

inline std::int64_t cap_of(const Facts& facts) {
  return facts.has("records_per_user") ? facts.integer("records_per_user") : usual_cap;
}

}  // namespace tacit::inline v1::user_level
