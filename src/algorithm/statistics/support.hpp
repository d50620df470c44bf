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

// How wide the range between the first and the last cell is.
using RangeWidth = std::function<double(const Support&)>;

// The same, widened by the runs next to it that show most against the noise, until the counts between its
// ends sum to `mass`: records that are too thinly spread to show by themselves are missed in the sum. The
// wider a run makes the range, the more it must show; where none does, it ends short of the mass.
TACIT_API Support widened(std::span<const double> counts, Support where, const Step& step, double mass,
                          const RangeWidth& width);

// Σ of the counts from the first to the last.
TACIT_API double sum_of(std::span<const double> counts, const Support& where);

// A single count that no noise alone would reach, one of so many.
TACIT_API double noise_level(const Step& step, std::size_t counts, double false_alarm);

}  // namespace tacit::inline v1::statistics
