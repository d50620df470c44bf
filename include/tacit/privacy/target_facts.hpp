#pragma once

#include "tacit/privacy/facts.hpp"
#include "tacit/privacy/guarantee.hpp"

// A guarantee among named values: "epsilon", "epsilon" and "delta", or "mu".

namespace tacit::inline v1 {

TACIT_API void set_target(Facts& facts, const Guarantee& target);
// Back from them.
TACIT_API Guarantee target_from(const Facts& facts);

}  // namespace tacit::inline v1
