#pragma once

// Limits for data of which nothing is known [ours, docs/private_limits.md].
//
// Solves      what size the rows, the labels and the gradients have, when neither a schema nor the caller
//             says.
// Assumes     nothing about the data.
// Guarantees  pure DP for one replaced record: every size is a quantile by the exponential mechanism, charged
//             to the meter; what follows from the sizes is post-processing.

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "algorithm/heavy_tails/options.hpp"
#include "tacit/meter.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::heavy_tails {

// Which sizes are asked for, and what each costs: from public values alone.
struct LimitQueries {
  std::size_t columns = 0;   // a scale for each column, before the rows' size; 0: none
  bool rows = false;         // the size of the rows
  bool label_map = false;    // location and spread of the labels: three quantiles
  bool label_bound = false;  // a bound on counts
  bool gradients = false;    // the size of the gradients at 0, where the link's slope depends on the label
  double share = 0, column_share = 0;      // of epsilon: what was asked for, or by rule
  double column_epsilon = 0, epsilon = 0;  // of one quantile
  double rest = 0;                         // epsilon that is left for the fit
  std::vector<Step> steps;                 // in the order they are taken
};
TACIT_API LimitQueries plan_private_limits(const Shape& shape, const Options& options);

// Whether the rules of choose_limits lack a public value, and options.limit_share allows to choose it
// privately.
TACIT_API bool needs_private_limits(const Shape& shape, const Options& options);

// UsageError for a share, or an order of moments, that would have no effect: where all sizes are public
// nothing is chosen, and where the rows' is no column has a scale of its own.
TACIT_API void require_effect(const Shape& shape, const Options& options);

// A method of this folder, and the steps it takes.
using Solve = std::function<Release(const Problem& problem, const Options& options, Meter& meter)>;
using PlanSteps = std::function<std::vector<Step>(const Shape& shape, const Options& options)>;

// The method, with limits that are chosen privately first where needs_private_limits. The method then sees
// features divided by powers of two and labels (y − offset)/scale; the parameters come back in the units of
// the features. With `plan`, what the method would refuse whatever the sizes are is refused before they are
// paid for.
TACIT_API Release with_private_limits(const Problem& problem, const Options& options, Meter& meter,
                                      const Solve& solve, const PlanSteps& plan = {});
TACIT_API std::vector<Step> rebuild_steps(const Facts& options, const Facts& assumed_public,
                                          const PlanSteps& plan);
// What a certificate states among its options: what `plan` gives, and how the limits were chosen.
using PlanFacts = std::function<Facts(const Shape& shape, const Options& options)>;
TACIT_API Facts rebuild_options(const Facts& options, const Facts& assumed_public, const PlanFacts& plan);

// The columns of the same name of every row (tacit/method.hpp). They change nothing where nothing was chosen.
Vector as_released(const Vector& parameters, const Facts& options, const Facts& assumed_public);
LabelMap label_map(const Facts& options);

}  // namespace tacit::inline v1::heavy_tails
