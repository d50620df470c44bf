#pragma once

// Group privacy, the baseline of user-level methods [docs/user_group.md]: dp-sgd over records, asked for so
// much privacy of each that all records of a user, as many as the cap allows, have (ε,δ) together.
//
// Solves      min over w of the mean loss of the records, for linear models, softmax and two-layer networks.
// Assumes     nothing: every record's gradient is clipped.
// Guarantees  (ε,δ)-DP for all records of one user, who is there or not (zero_out, add_remove).

#include "algorithm/clipping/dp_sgd.hpp"
#include "algorithm/user_level/contribution.hpp"
#include "solver/shard_pass.hpp"

namespace tacit::inline v1::user_level {

struct TACIT_API GroupOptions {
  Approx target{1, 1e-5};                     // of a user
  clipping::Options common;                   // of dp-sgd; its target and number of records follow from these
  std::int64_t records_per_user = usual_cap;  // 1 … 1000000
  std::optional<std::int64_t> user_count;     // public; absent: as many as there are

  static const OptionTable<GroupOptions>& table();
  void validate() const;
  static GroupOptions from(const Facts& facts) { return table().read(facts); }
};

struct GroupPlan {
  clipping::Options common;  // what dp-sgd is asked for
  clipping::Plan records;    // of dp-sgd over users·cap records
  Step release;              // what is charged
};
TACIT_API GroupPlan plan_user_group(std::size_t users, const Shape& shape, const GroupOptions& options);

// How a shard answers for its users.
PassKind group_sums_pass();

TACIT_API Release user_group(const Problem& problem, const GroupOptions& options, Meter& meter);

}  // namespace tacit::inline v1::user_level
