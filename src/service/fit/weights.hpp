#pragma once

#include <optional>
#include <vector>

#include "tacit/method.hpp"

// Weights of records [docs/weights.md].

namespace tacit::inline v1::service {

// Throws UsageError for a bound that is none, and for a method that takes no weights.
void check_weight_bound(double bound, const Method& method);

// Each weight cut to [0, bound], as a part of the bound: what methods multiply a record's loss with.
// DataError for one that is not a number; UsageError for weights without a bound, or a bound without weights.
std::vector<double> parts_of_bound(std::vector<double> weights, const std::optional<double>& bound);

}  // namespace tacit::inline v1::service
