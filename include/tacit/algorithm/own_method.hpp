#pragma once

#include "tacit/algorithm/method.hpp"

namespace tacit::inline v1 {

// Enters a method of one's own, for this process, before anything looks at the table; true, so that a static
// value can do it. UsageError for a name that is taken.
TACIT_API bool add_method(Method method);

}  // namespace tacit::inline v1
