#pragma once

#include <vector>

#include "tacit/audit.hpp"

namespace tacit::inline v1::audit {

// user-sgd: the sum over all users moves within its sensitivity, at any parameters.
std::vector<Check> user_sgd_checks(const Replayed& replayed);

// user-phased and user-erm: how concentrated the points are, and, where that is enough, their mean, move
// within their sensitivities, at any start.
std::vector<Check> user_phased_checks(const Replayed& replayed);
std::vector<Check> user_erm_checks(const Replayed& replayed);
std::vector<Check> user_group_checks(const Replayed& replayed);

}  // namespace tacit::inline v1::audit
