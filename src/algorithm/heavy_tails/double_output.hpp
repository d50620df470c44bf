#pragma once

// Localised double output perturbation [Lowy26, Alg. 2 and 4; docs/double_output.md].
//
// Solves      min over w in W of (1/n) Σ f(w, zᵢ) + (λ/2)‖w − w₀‖², each f replaced by a C-Lipschitz one: its
//             Lipschitz extension f_C, or for linear models the slope-limited loss.
// Assumes     nothing about the data.
// Guarantees  pure ε-DP for one record that is there or null, or that is replaced: two releases of ε/2, each
//             of a point that is surely within a public distance of a minimiser, whatever the first release
//             was.

#include <functional>
#include <optional>

#include "algorithm/heavy_tails/options.hpp"
#include "solver/extension.hpp"
#include "tacit/meter.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::heavy_tails {

// Every number of the two releases, from public values alone.
struct DoublePlan {
  Neighbours neighbours = Neighbours::replace_one;
  double range = 0;             // every coordinate of a point of W is at most this
  double local_radius = 0;      // r of W₀ = W ∩ B(w_loc, r)
  double first_accuracy = 0;    // α of Alg. 2, line 1; 0 where the solver certifies a distance instead
  double second_accuracy = 0;   // α of Alg. 4, line 3
  double first_iterations = 0;  // that Algorithm 3 may need, or that the structured route takes
  double second_iterations = 0;
  Step localisation, release;  // Alg. 2, line 2 and Alg. 4, line 4
};

// What the plan for a custom loss depends on, besides the setting and the sizes of the loss.
struct DoubleBudget {
  double epsilon = 1;
  double iteration_limit = 1e8;                     // of Algorithm 3, for each release
  Neighbours neighbours = Neighbours::replace_one;  // or zero_out
};

// Alg. 4 for any convex loss, W a ball or box, setting.local empty. Throws InfeasibleError, with the number,
// when Algorithm 3 may need more iterations than the limit. Under zero_out sizes.records, and what the loss
// says of their number, counts null ones, whose value and subgradient are 0.
TACIT_API DoublePlan plan_double_perturbation(const ExtensionSetting& setting, const LossSizes& sizes,
                                              const DoubleBudget& budget);
TACIT_API Released<Vector> double_perturbation(const ExtensionSetting& setting, const ConvexLossRef& loss,
                                               const DoublePlan& plan, Meter& meter);

// The method `double-output`: linear models on options.domain, or the ball of options.radius around 0.
struct DoubleOutputPlan {
  LossLimits limits;
  double regularisation = 0;
  double gradient_bound = 0;  // A, for the oracles that extend the loss
  DoublePlan noise;
};
// The lines of its options, and what the certificate of a run states of them.
TACIT_API const OptionTable<Options>& double_output_table();
TACIT_API Facts certified_options(const DoubleOutputPlan& plan, const Options& options);

TACIT_API DoubleOutputPlan plan_double_output(const Shape& shape, const Options& options);
TACIT_API Release double_output(const Problem& problem, const Options& options, Meter& meter);

// The same around a public center of norm ≤ center_bound, with the oracles `limited` and `extension`: on
// options.domain, which holds the center; without one (`limited` alone), on the ball of options.radius around
// it.
TACIT_API DoubleOutputPlan plan_double_output(const Shape& shape, const Options& options,
                                              double center_bound);
TACIT_API Released<Vector> double_output_around(const Vector& center, double center_bound,
                                                const Problem& problem, const Options& options, Meter& meter);

// `minimise(local)` returns a point that is surely within the plan's slack of the minimiser over W (no ball)
// or W ∩ ball: what a release opens.
using LocalMinimiser = std::function<Vector(const std::optional<Ball>& local)>;
// That of `double-output`. The problem must outlive it.
TACIT_API LocalMinimiser double_output_minimiser(const Problem& problem, const Options& options,
                                                 const DoubleOutputPlan& plan);
// The two releases around any such minimiser.
TACIT_API Released<Vector> perturb_twice(const Domain& domain, const LocalMinimiser& minimise,
                                         const DoublePlan& plan, Meter& meter);

}  // namespace tacit::inline v1::heavy_tails
