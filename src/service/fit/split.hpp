#pragma once

#include <string_view>
#include <utility>

#include "tacit/guarantee.hpp"

namespace tacit::inline v1::service {

// Ranges, a fit and its intervals each have a budget of their own (`RootMeter`), not one that all are
// children of: a child admits the steps that were planned for it, and those of a fit are known only once the
// ranges are found, which say how many columns there are, and those of intervals once the fit has released
// what they are measured at. What bounds the whole is here: each part's meter refuses more than its part, the
// parts are fixed before the first, and one after the other they are within what was asked for.

// Two parts that one after the other are no more than the whole, which is Pure, Approx or Gaussian: the first
// has this share of epsilon, or of the square of mu. UsageError where the whole is too small to be shared by
// `whom`.
std::pair<Guarantee, Guarantee> split_guarantee(const Guarantee& whole, double share, std::string_view whom);

}  // namespace tacit::inline v1::service
