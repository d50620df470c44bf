#pragma once

#include <cstddef>
#include <vector>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

// `size` zeros, in large pages where the system has them: rows that are read far apart then cost fewer
// translations of addresses.
TACIT_API std::vector<double> large_array(std::size_t size);

}  // namespace tacit::inline v1
