#pragma once

#include <optional>

#include "model/verify_intervals.hpp"
#include "tacit/fit.hpp"
#include "tacit/problem.hpp"

// Intervals of a fit's coefficients: what they leave of the guarantee, and their own release
// [docs/intervals.md].

namespace tacit::inline v1::service {

// UsageError for a level or share out of range, or intervals of a fit that cannot have them, as far as that
// is known without the records.
void check_interval_options(const FitOptions& options, const Method& method);

// What was asked for, with the guarantee that is left to the fit; unchanged where no intervals are wanted.
struct SharedFit {
  FitOptions options;
  std::optional<IntervalSplit> split;
};
SharedFit with_interval_share(FitOptions options);

// UsageError where the problem has none by this method.
void require_intervals(const SharedFit& fit, const Method& method, const Shape& shape, const Facts& facts);

// Measures the records at the released parameters, once the fit is made and everything is charged.
struct IntervalRun {
  IntervalSplit split;
  Step step;
  Vector released;
};
IntervalRun release_intervals(const SharedFit& fit, const Problem& problem, const Release& release,
                              const Budget& whole, BitSource& bits);

}  // namespace tacit::inline v1::service
