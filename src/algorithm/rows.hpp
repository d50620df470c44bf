#pragma once

#include "tacit/algorithm/method.hpp"

// The rows of the table of methods, each defined beside its algorithm.

namespace tacit::inline v1 {

Method limited_objective_method();
Method limited_output_method();
Method double_output_method();
Method localized_method();
Method net_exponential_method();
Method tuned_method();
Method plain_method();

}  // namespace tacit::inline v1
