#pragma once

#include <vector>

#include "tacit/audit/replay.hpp"

namespace tacit::inline v1::audit {

// Of population localisation: every block costs at most what is charged, and a block's minimiser moves by at
// most its sensitivity around any center.
std::vector<Check> localized_checks(const Replayed& replayed);

}  // namespace tacit::inline v1::audit
