#pragma once

// User-level DP-SGD [McMahan et al. 2018; docs/user_sgd.md]: DP-SGD whose records are users.
//
// Solves      min over w of the mean over users of the mean loss of their records, for linear models,
//             softmax and two-layer networks.
// Assumes     nothing: every user's mean gradient is clipped.
// Guarantees  (ε,δ)-DP or μ-GDP for all records of one user, who is there or not (zero_out, add_remove), by
//             the account of T Poisson-sampled Gaussian steps.

#include <cstdint>
#include <vector>

#include "algorithm/clipping/dp_sgd.hpp"
#include "algorithm/user_level/contribution.hpp"
#include "solver/shard_pass.hpp"

namespace tacit::inline v1::user_level {

struct TACIT_API SgdOptions {
  // `records` counts users, `batch` is in users. A clip norm is that of a user's mean gradient. Without one
  // each record's gradient is scaled as dp-sgd does it, to length 1 at most, and a user's mean is limited to
  // a fifth. Neither private-min nor a schedule.
  clipping::Options common;
  std::int64_t records_per_user = usual_cap;  // 1 … 1000000
  Weighting weighting = Weighting::user;

  static const OptionTable<SgdOptions>& table();
  void validate() const;
  static SgdOptions from(const Facts& facts) { return table().read(facts); }
};

// clipping::plan_dp_sgd for `users` units.
TACIT_API clipping::Plan plan_user_sgd(std::size_t users, std::size_t parameters, const SgdOptions& options);

// The sums that a run takes its steps by.
TACIT_API BatchSums user_sgd_sums(const Problem& problem, const UserRecords& users,
                                  const clipping::Plan& plan, const SgdOptions& options);

// How a shard answers for its users.
PassKind user_sums_pass();

TACIT_API Release user_sgd(const Problem& problem, const SgdOptions& options, Meter& meter,
                           const clipping::Observer& observer = {});

}  // namespace tacit::inline v1::user_level
