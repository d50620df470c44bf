#pragma once

#include <string>

#include "model/json.hpp"

namespace tacit::inline v1 {

// Rebuilding repeats the same arithmetic; only the C library's last digits may differ between machines.
bool same_number(double a, double b);

// The path of the first difference, with both values; empty when there is none. A member that only one of
// them has is one.
std::string difference(const Json& recorded, const Json& rebuilt, const std::string& path);

}  // namespace tacit::inline v1
