#pragma once

#include <functional>
#include <optional>
#include <span>

#include "tacit/core.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1::statistics {

// The cells between which noisy counts show that something is.
struct Support {
  std::size_t first = 0, last = 0;
};

// From noisy counts of cells in order and the step that gave them: cells, and runs of 2, 4 and 8 of them
// beyond those, whose sum no noise alone would reach, but with probability `false_alarm` for all of them
// together; an eighth of it for those that are far from the others. Nothing where there is none. A function
// of what was released.
TACIT_API std::optional<Support> support(std::span<const double> counts, const Step& step,
                                         double false_alarm);

// Two cells of one size and both signs.
using Pair = Support;

// Where `support` finds nothing: the same of runs of 1, 2, 4 and 8 pairs, smallest first. What lies about 0
// is on both sides of many empty cells, and no run of neighbours holds much of it. Between the largest
// pair's.
TACIT_API std::optional<Support> support_of_pairs(std::span<const double> counts, std::span<const Pair> pairs,
                                                  const Step& step, double false_alarm);

// Where neither finds anything: of all runs of cells and of pairs that noise alone would not reach, but with
// probability `false_alarm` for all of them together, the one that shows most for its length.
struct Guess {
  Support where;
  double shows = 0;  // against what noise reaches
};
TACIT_API std::optional<Guess> best_guess(std::span<const double> counts, std::span<const Pair> pairs,
                                          const Step& step, double false_alarm);

// How wide the range between the first and the last cell is.
using RangeWidth = std::function<double(const Support&)>;

// The same, widened by the runs next to it that show most against the noise, until the counts between its
// ends sum to `mass`: records that are too thinly spread to show by themselves are missed in the sum. The
// wider a run makes the range, the more it must show; where none does, it ends short of the mass.
TACIT_API Support widened(std::span<const double> counts, Support where, const Step& step, double mass,
                          const RangeWidth& width);

// Σ of the counts from the first to the last.
TACIT_API double sum_of(std::span<const double> counts, const Support& where);

// The deviation of one count's noise; 0: a plan.
TACIT_API double deviation(const Step& step);

// A single count that no noise alone would reach, one of so many.
TACIT_API double noise_level(const Step& step, std::size_t counts, double false_alarm);

}  // namespace tacit::inline v1::statistics
