#pragma once

// Phased SGD with removal of outlying iterates [LowyLiuAsi24, Alg. 1; docs/user_phased.md].
//
// Solves      min over ‖w‖ ≤ radius of the mean loss, for linear models and softmax, with one pass over the
//             records: at most users·cap gradients.
// Assumes     nothing for privacy. Few users, or users who disagree, make it halt where it began.
// Guarantees  (ε,δ)-DP for all records of one user (replace_one), by a noisy test in each phase; a
//             user is in one phase, by a secret random order. How far groups lie apart is chosen by the
//             exponential mechanism, unless it is given.

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithm/user_level/chosen_tau.hpp"
#include "algorithm/user_level/contribution.hpp"
#include "algorithm/user_level/schedule.hpp"
#include "solver/outliers.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1::user_level {

struct TACIT_API PhasedOptions {
  Approx target{1, 1e-5};
  std::int64_t records_per_user = usual_cap;  // m: 1 … 1000000
  // L, > 0: gradients are cut to it and measured in units of it. Absent ("auto"): each record has its own, as
  // in dp-sgd.
  std::optional<double> clip_norm;
  double radius = 5;                   // R > 0
  std::optional<std::int64_t> phases;  // l, 1 … 20. Absent: by a rule from public values, as all that follow
  std::optional<std::int64_t> groups;  // C of each phase, even
  std::optional<double> step;          // η of the first phase, > 0; a quarter of it in each one that follows
  Schedule schedule = Schedule::practical;  // theorem: those three by Theorem 2.1
  // τ over η√T, > 0: how far the groups' averages may lie apart; where they lie further the method halts.
  // Absent: τ is chosen from the data, privately.
  std::optional<double> spread;
  TestShare share;
  unsigned threads = 0;  // 0: one per core

  static const OptionTable<PhasedOptions>& table();
  void validate() const;
  static PhasedOptions from(const Facts& facts) { return table().read(facts); }
};

struct Phase {
  std::size_t users = 0;   // n_i: groups of equal size
  std::size_t groups = 0;  // C
  double step = 0;         // η_i
  double tau = 0;          // τ_i, where it is given
  TestedMean release;      // at the τ that is given
  ChosenMean chosen;       // τ from the data
};
struct PhasedPlan {
  std::vector<Phase> phases;
  double bound = 0;         // on the length of every average
  std::vector<Step> steps;  // what is charged: the dearest phase's
};
TACIT_API PhasedPlan plan_user_phased(std::size_t users, std::size_t parameters,
                                      const PhasedOptions& options);

inline constexpr double step_decay = 4;  // η_i = η·4^{1−i}, as in [FKT20]; the paper's p is larger
// Fewest groups of a phase that can be tested.
std::size_t least_groups(const PhasedOptions& options);
// k: the noise on a mean of C averages is about k·η√T/C [heuristic: utility only].
double released_noise(const PhasedOptions& options);

// What a run did beside its release. It depends on the data, and is for tests and experiments only.
struct RunCounts {
  std::size_t gradients = 0;
};

// The groups' average iterates from `start`, one a row: members in the order of the groups. Audits look at
// them.
TACIT_API Points group_averages(const Problem& problem, const UserRecords& users,
                                std::span<const std::size_t> members, const Vector& start, const Phase& phase,
                                const PhasedOptions& options, std::size_t& gradients);

TACIT_API Release user_phased(const Problem& problem, const PhasedOptions& options, Meter& meter,
                              RunCounts* counts = nullptr);

}  // namespace tacit::inline v1::user_level
