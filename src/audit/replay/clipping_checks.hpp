#pragma once

#include <vector>

#include "tacit/audit.hpp"

namespace tacit::inline v1::audit {

// DP-SGD: how far the sum of all records moves, at parameters of many sizes. Replay sees the first step only,
// since later ones are taken at parameters that differ.
std::vector<Check> clipping_checks(const Replayed& replayed);
// The same for dp-gd.
std::vector<Check> descent_checks(const Replayed& replayed);

}  // namespace tacit::inline v1::audit
