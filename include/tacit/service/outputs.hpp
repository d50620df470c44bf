#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tacit/core/api.hpp"

namespace tacit::inline v1::service {

// UsageError when `output`, which the caller knows as `what`, is one of the files that are read: it would be
// lost. Empty paths are none.
TACIT_API void require_no_input(std::string_view what, const std::string& output,
                                const std::vector<std::string>& inputs);

}  // namespace tacit::inline v1::service
