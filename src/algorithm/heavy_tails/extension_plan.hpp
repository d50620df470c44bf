#pragma once

// The Lipschitz extension, record by record, as the methods of this folder solve it.

#include "algorithm/heavy_tails/options.hpp"
#include "solver/constrained.hpp"

namespace tacit::inline v1::heavy_tails {

// What a regularised problem over W needs of public values; the center w₀ may be any point of W.
struct ExtensionPlan {
  ExtendedSetting setting;  // with a center of its own, which solve_extension() replaces
  ConstrainedSetting solver;
  Sensitivity sensitivity;  // of the minimiser, one record replaced
};

// Throws UsageError for losses that have no extension here, and InfeasibleError where doubles are too coarse.
ExtensionPlan plan_extension_solver(const Shape& shape, const LossLimits& limits, double regularisation,
                                    double gradient_bound, const Options& options, const Domain& domain);

// A point of W that is surely within the plan's distance of the minimiser.
Vector solve_extension(const Problem& problem, const ExtensionPlan& plan, const Vector& center,
                       unsigned threads);

}  // namespace tacit::inline v1::heavy_tails
