#pragma once

#include <span>

#include "tacit/meter.hpp"

namespace tacit::inline v1 {

// What the steps of a run for zero_out or add_remove, which gives `stated`, guarantee when one unit is
// replaced by any other [docs/certificate.md, "Two numbers"]. An (ε, δ) keeps its δ where a bound at that δ
// is found.
TACIT_API Guarantee replaced_guarantee(std::span<const Step> steps, const Guarantee& stated);

}  // namespace tacit::inline v1
