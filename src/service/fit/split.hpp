#pragma once

#include <string_view>
#include <utility>

#include "tacit/guarantee.hpp"

namespace tacit::inline v1::service {

// Two parts that one after the other are no more than the whole, which is Pure, Approx or Gaussian: the first
// has this share of epsilon, or of the square of mu. UsageError where the whole is too small to be shared by
// `whom`.
std::pair<Guarantee, Guarantee> split_guarantee(const Guarantee& whole, double share, std::string_view whom);

}  // namespace tacit::inline v1::service
