#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tacit/core/api.hpp"
#include "tacit/model/fitted_model.hpp"

namespace tacit::inline v1::service {

// What whoever uses the model should know, each a sentence without its full stop, or empty. From public and
// released values alone.

// That the fit halted before its last phase, and what the model is then.
TACIT_API std::string halt_warning(const FittedModel& model);

// That records (or users) are so few that noise must outweigh them; empty where their number is private.
TACIT_API std::string few_records_warning(const FittedModel& model);

// What a numeric target without a public range means for methods that clip; told before the fit, too.
inline constexpr std::string_view no_target_range =
    "the target has no public range and is taken to lie in [-1, 1]; give its min and max in a schema";
TACIT_API std::string target_range_warning(const FittedModel& model);

// Those that there are.
TACIT_API std::vector<std::string> warnings(const FittedModel& model);

}  // namespace tacit::inline v1::service
