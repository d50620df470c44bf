#pragma once

#include "algorithm/intervals/intervals.hpp"
#include "tacit/meter.hpp"
#include "tacit/model.hpp"

// A fit that measured its records a second time, for the intervals of its coefficients [docs/intervals.md]:
// two steps, one after the other, each with its own steps within it.

namespace tacit::inline v1 {

inline constexpr std::string_view interval_step = "private-intervals";

// What was spent on the two.
struct IntervalSplit {
  Guarantee intervals, rest;  // Pure, Approx or Gaussian
};

// The fit that intervals are for, from the certificate of the fit alone.
TACIT_API intervals::Fit fit_of_intervals(const Certificate& fit);

// The certificate of both, from that of the fit alone and the step that was charged for the intervals.
TACIT_API Certificate with_intervals(Certificate fit, const Step& step, const Guarantee& total,
                                     const IntervalSplit& split, double level);

// The intervals that follow from what was released.
TACIT_API Intervals intervals_from(const Certificate& fit, const IntervalSplit& split,
                                   const Vector& parameters, double level, const Vector& released);

// The model as the fit alone would have left it, once its intervals are found to follow from the numbers in
// the file, at the stated cost. VerificationError otherwise.
FittedModel without_intervals(const FittedModel& model);

// How sure any combination of the model's parameters is, by what its file states; the statements themselves
// are checked by `verify` alone. The model has intervals. VerificationError where none follow.
intervals::Widths interval_widths(const FittedModel& model);

}  // namespace tacit::inline v1
