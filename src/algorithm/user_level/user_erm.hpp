#pragma once

// Accelerated phased ERM with removal of outlying gradients [LowyLiuAsi24, Alg. 2 and 3; docs/user_erm.md].
//
// Solves      min over ‖w‖ ≤ radius of the mean over users of the mean loss of their records, plus
//             (strong_convexity/2)‖w‖², for linear models and softmax; kinked losses are smoothed by a ball.
// Assumes     nothing for privacy. Few users, or users who disagree, make it halt where it is.
// Guarantees  (ε,δ)-DP for all records of one user (replace_one). A user is in one phase, by a secret random
//             order. In a phase either all users are asked in every step, or a random sample is, amplified by
//             sampling; a noisy test comes before every release.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "algorithm/user_level/accelerated.hpp"
#include "algorithm/user_level/chosen_tau.hpp"
#include "algorithm/user_level/schedule.hpp"
#include "algorithm/user_level/user_phased.hpp"

namespace tacit::inline v1::user_level {

enum class Sampling {
  all,     // every user of a phase in every step
  sample,  // a random sample of `batch` users in each step, amplified
};
TACIT_API std::string_view name(Sampling sampling);

inline constexpr double most_iterations = 1e5;

struct TACIT_API ErmOptions {
  Approx target{1, 1e-5};
  std::int64_t records_per_user = usual_cap;  // m: 1 … 1000000
  std::optional<double> clip_norm;            // L, as in PhasedOptions
  double radius = 5;                          // R > 0
  std::optional<std::int64_t> phases;         // 1 … 20. Absent: 1
  std::int64_t iterations = 30;               // T of each phase, 1 … 100000
  Sampling sampling = Sampling::all;
  std::optional<std::int64_t> batch;        // users in a sample; needed for Sampling::sample
  Schedule schedule = Schedule::practical;  // theorem: T, batch, phases and λ by Theorem 3.2
  std::optional<double> regularisation;     // λ of the first phase, > 0
  std::optional<double> smoothness;         // β in units of L, > 0
  std::optional<double> smoothing;          // radius of the ball that smooths kinked losses, > 0
  double strong_convexity = 0;              // M ≥ 0, in units of L: the wrapper of Remark 3.6 when > 0
  std::optional<double> row_bound;          // public bound on every row's 2-norm, for the smoothness
  // τ·√m, > 0: how far users' gradients may lie apart; where they lie further the method halts. Absent: τ is
  // chosen from the data, privately, and follows it.
  std::optional<double> spread;
  TestShare share;
  unsigned threads = 0;  // 0: one per core

  static const OptionTable<ErmOptions>& table();
  void validate() const;
  static ErmOptions from(const Facts& facts) { return table().read(facts); }
};

// One phase: T gradients at points that follow from those before, then a point.
struct ErmPhase {
  std::size_t users = 0;    // n_i
  std::size_t batch = 0;    // K: users in each step, n_i or fewer
  std::size_t tests = 0;    // T, and a few more where a test that fails is not the end
  Approx sampled;           // Sampling::sample: (ε₀,δ₀) of one step on its sample
  std::vector<Step> steps;  // what it costs, its releases within
  TrackedMeans tracked;     // τ from the data
  // τ that is given, for Sampling::all and Sampling::sample.
  noise::StableTerms stream;
  TestedMean tested;
};
struct TACIT_API ErmPlan {
  std::vector<ErmPhase> phases;
  std::optional<double> tau;  // none: from the data
  std::vector<Step> steps;    // what is charged: the dearest phase's, the phases within

  // Of the noise on a gradient, at this tau of the grid, or at the one that is given.
  double sigma(const ErmPhase& phase, std::size_t tau_index) const;
};
TACIT_API ErmPlan plan_user_erm(const Shape& shape, std::size_t users, const ErmOptions& options);
// Fewest users that such a plan can be made for, and whether so many in a phase are enough for its tests.
TACIT_API std::size_t least_erm_users(const ErmOptions& options);
bool users_suffice(std::size_t users, const ErmOptions& options);

// What a phase does with gradients once their noise is known, which is all post-processing.
struct Descent {
  double regularisation = 0;  // λ_i
  double radius = 0;          // of the ball around x_{i−1}
  AccelerationFacts facts;
};
class TACIT_API Descents {
 public:
  Descents(const Shape& shape, const ErmOptions& options);
  Descent next(const ErmPhase& phase, double tau, double sigma);

 private:
  ErmOptions options_;
  double parameters_, smoothness_, radius_, lambda_ = 0;
};

// The radius that smooths a loss with a kink, where none is given.
TACIT_API double smoothing_of(const Shape& shape, const ErmOptions& options);
// The smoothness of the loss in units of L, where none is given. [heuristic: utility only]
TACIT_API double smoothness_of(const Shape& shape, const ErmOptions& options);

// The gradients of a problem's users in units of L: smooth, or smoothed. A mean of vectors no longer than 1,
// with its rounding, is no longer than mean_bound.
inline constexpr double mean_bound = 1.0001;
TACIT_API UserGradients user_gradients(const Problem& problem, const UserRecords& users,
                                       const ErmOptions& options, unsigned workers);

TACIT_API Release user_erm(const Problem& problem, const ErmOptions& options, Meter& meter,
                           RunCounts* counts = nullptr);

}  // namespace tacit::inline v1::user_level
