#pragma once

// DP-GD: gradient descent over all records, every gradient clipped, with Gaussian noise [docs/dp_gd.md].
//
// Solves      min over w of (1/n) Σ f(w; x_i, y_i) + (λ/2)‖w‖² for linear models, softmax and networks.
// Assumes     nothing: every gradient is clipped.
// Guarantees  μ-GDP for one replaced record, or one that is there or not (zero_out, add_remove), exactly that
//             of T Gaussian mechanisms; (ε,δ)-DP by the μ that gives it.

#include "algorithm/clipping/options.hpp"
#include "solver/clipped_sums.hpp"
#include "tacit/meter.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::clipping {

// What is not given follows a rule from public values.
struct TACIT_API GdOptions {
  Guarantee target = Gaussian{1};  // gaussian or approx; the whole budget
  Neighbours neighbours =
      Neighbours::replace_one;  // or zero_out, which methods() has as the default, or add_remove
  // Public number of records. At least as many as there are, the others null; for add_remove it must be
  // given, and may be any.
  std::optional<std::int64_t> records;
  // tau, 1e-30 … 1e30. Absent ("auto"): each record has its own, a fifth of its gradient for a unit residual.
  std::optional<double> clip_norm;
  std::int64_t steps = 50;            // T, 1 … 1e9
  std::optional<double> step_length;  // η·τ: how far aligned gradients move w; 1e-30 … 1e30
  // λ ≥ 0. With a clip norm, ηλ ≤ 1. With `auto`, (λ/2)‖w‖² is a part of every record's loss, and its
  // gradient is clipped with the record's [Lin24, App. D.2].
  double regularisation = 0;
  double radius = 0;  // project onto the ball ‖w‖ ≤ radius; 0: do not
  Iterate iterate = Iterate::average;
  std::int64_t seed = 1;  // of a network's initial weights, which are public
  unsigned threads = 0;   // 0: one per core

  static const OptionTable<GdOptions>& table();
  void validate() const;
  static GdOptions from(const Facts& facts) { return table().read(facts); }
};

// Every number of a run, from public values alone.
struct GdPlan {
  double mu = 0;            // of the whole run
  double step_length = 0;   // η·τ
  double shrink = 1;        // 1 − ηλ
  double within = 0;        // λ, where the regulariser is a part of every record's loss
  Clip clip;                // one record contributes length·g/max(τ,‖g‖), length = step_length/n
  Sensitivity sensitivity;  // of the sum over all records
  double range = 0;         // coordinates of a sum are clamped to ± this
  Step release;             // what is charged: all steps together
};
TACIT_API GdPlan plan_dp_gd(const Shape& shape, const GdOptions& options);
// What the certificate of such a run states.
TACIT_API Facts certified_options(const GdPlan& plan, GdOptions options);

// The sums that such a run releases with noise. The problem must outlive them.
TACIT_API BatchSums descent_sums(const Problem& problem, const GdPlan& plan, unsigned threads);

TACIT_API Release dp_gd(const Problem& problem, const GdOptions& options, Meter& meter);

}  // namespace tacit::inline v1::clipping
