#pragma once

// Accelerated phased ERM with removal of outlying gradients [LowyLiuAsi24, Alg. 2 and 3; docs/user_erm.md].
//
// Solves      min over ‖w‖ ≤ radius of the mean over users of the mean loss of their records, plus
//             (strong_convexity/2)‖w‖², for linear models and softmax; kinked losses are smoothed by a ball.
// Assumes     nothing for privacy. Few users, or users who disagree, make it halt where it is.
// Guarantees  (ε,δ)-DP for all records of one user (replace_one). A user is in one phase, by a secret random
//             order. In a phase either all users are asked in every step and one AboveThreshold tests them
//             all, or a random sample is, with a test for each and amplification by sampling.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tacit/algorithm/user_level/accelerated.hpp"
#include "tacit/algorithm/user_level/user_phased.hpp"

namespace tacit::inline v1::user_level {

enum class Sampling {
  all,     // every user of a phase in every step; AboveThreshold
  sample,  // a random sample of `batch` users in each step; a test of its own, amplified
};
TACIT_API std::string_view name(Sampling sampling);
TACIT_API Sampling parse_sampling(std::string_view text);  // throws UsageError

struct TACIT_API ErmOptions {
  Approx target{1, 1e-5};
  std::int64_t records_per_user = usual_cap;  // m: 1 … 1000000
  std::optional<double> clip_norm;            // L, as in PhasedOptions
  double radius = 5;                          // R > 0
  std::optional<std::int64_t> phases;         // 1 … 20. Absent: 1
  std::int64_t iterations = 30;               // T of each phase, 1 … 100000
  Sampling sampling = Sampling::all;
  std::optional<std::int64_t> batch;     // users in a sample; needed for Sampling::sample
  std::optional<double> regularisation;  // λ of the first phase, > 0
  std::optional<double> smoothness;      // β in units of L, > 0
  double smoothing = 0.1;                // radius of the ball that smooths kinked losses, > 0
  double strong_convexity = 0;           // M ≥ 0, in units of L: the wrapper of Remark 3.6 when > 0
  std::optional<double> row_bound;       // public bound on every row's 2-norm, for the smoothness
  // τ·√m, > 0: how far users' gradients may lie apart. Absent: so that most pairs of users do who draw their
  // records alike.
  std::optional<double> spread;
  TestShare share;
  unsigned threads = 0;  // 0: one per core

  void validate() const;
  static ErmOptions from(const Facts& facts);
};
TACIT_API std::vector<OptionSpec> erm_option_specs();

// One phase: T gradients at points that follow from those before, then a point.
struct ErmPhase {
  std::size_t users = 0;      // n_i
  std::size_t batch = 0;      // K: users in each step, n_i or fewer
  double regularisation = 0;  // λ_i
  double radius = 0;          // of the ball around x_{i−1}
  double sigma = 0;           // of the noise on each gradient
  AccelerationFacts facts;
  noise::StableTerms stream;  // Sampling::all
  Approx sampled;             // Sampling::sample: (ε₀,δ₀) of one step on its sample
  TestedMean tested;
};
struct ErmPlan {
  std::vector<ErmPhase> phases;
  double spread = 0, tau = 0;
  std::vector<Step> steps;  // what is charged: the dearest phase's
};
TACIT_API ErmPlan plan_user_erm(const Shape& shape, std::size_t users, const ErmOptions& options);

// The gradients of a problem's users in units of L: smooth, or smoothed. A mean of vectors no longer than 1,
// with its rounding, is no longer than mean_bound.
inline constexpr double mean_bound = 1.0001;
TACIT_API UserGradients user_gradients(const Problem& problem, const UserRecords& users,
                                       const ErmOptions& options, unsigned workers);

TACIT_API Release user_erm(const Problem& problem, const ErmOptions& options, Meter& meter,
                           RunCounts* counts = nullptr);

}  // namespace tacit::inline v1::user_level
