#pragma once

#include <vector>

#include "tacit/audit.hpp"

namespace tacit::inline v1::audit {

// For localized-exponential: the second stage's scores on both neighbours around the same anchors, as it
// would see them after equal first releases, within their sensitivity.
std::vector<Check> cell_checks(const Replayed& replayed);

}  // namespace tacit::inline v1::audit
