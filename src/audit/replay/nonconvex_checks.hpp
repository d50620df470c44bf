#pragma once

#include <vector>

#include "tacit/audit.hpp"

namespace tacit::inline v1::audit {

// The o2nc methods: both neighbours are led along the same points z_1, z_2, …, near and far, with the same
// bits, and every batch sum that is opened on the way is compared with its sensitivity; what the sums cost
// together is compared with the one step that was charged [docs/o2nc.md, "Privacy"].
std::vector<Check> nonconvex_checks(const Replayed& replayed);

}  // namespace tacit::inline v1::audit
