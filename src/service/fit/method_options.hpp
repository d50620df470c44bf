#pragma once

#include <vector>

#include "tacit/meter.hpp"
#include "tacit/method.hpp"

// What a caller asks of a method.

namespace tacit::inline v1::service {

// The same under their fact names: "slope-limit" is "slope_limit". UsageError for one that is given twice.
Facts under_fact_names(const Facts& given);

// UsageError for an option that the method does not have, and for a value that it may not have there.
void check_method_options(const Method& method, const Facts& given);
// Where one of several will be chosen, each with all that is given: a value must do for one of them.
void check_method_options(const std::vector<const Method*>& methods, const Facts& given);

}  // namespace tacit::inline v1::service
