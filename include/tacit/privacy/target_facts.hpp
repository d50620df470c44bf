#pragma once

#include "tacit/privacy/facts.hpp"
#include "tacit/privacy/guarantee.hpp"

// A guarantee among named values: "epsilon", "epsilon" and "delta", or "mu".

namespace tacit::inline v1 {

TACIT_API void set_target(Facts& facts, const Guarantee& target);
// For methods that keep no pure guarantee. Throws VerificationError when "epsilon" stands without "delta".
TACIT_API Guarantee gaussian_or_approx(const Facts& facts);

}  // namespace tacit::inline v1
