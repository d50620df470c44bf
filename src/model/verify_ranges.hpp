#pragma once

#include "tacit/data.hpp"
#include "tacit/meter.hpp"
#include "tacit/model.hpp"

// A fit that found the columns' ranges first [docs/private_schema.md]: two steps, one after the other, each
// with its own steps within it.

namespace tacit::inline v1 {

inline constexpr std::string_view range_step = "private-ranges", fit_step = "fit";

// What was spent on the two.
struct RangeSplit {
  Guarantee ranges, rest;  // Pure, or Approx
};

// What they are one after the other, in the notion of `whole`.
TACIT_API Guarantee together(const RangeSplit& split, const Guarantee& whole);

// The certificate of both, from that of the fit alone and the steps that found the ranges. `asked_target`:
// whether the target was among the columns.
TACIT_API Certificate with_ranges(Certificate fit, std::vector<Step> range_steps, const Guarantee& total,
                                  const RangeSplit& split, bool asked_target);

// The model as the fit alone would have left it, once the ranges are found to be those that the answers in
// the file give, at the stated cost. VerificationError otherwise.
FittedModel without_ranges(const FittedModel& model);

}  // namespace tacit::inline v1
