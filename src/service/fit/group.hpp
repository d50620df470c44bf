#pragma once

#include "service/fit/steps.hpp"

namespace tacit::inline v1::service {

// UsageError unless the group is a category of the plan's schema, of records, and no user's.
void check_group(const FitPlan& plan, const Method& method);

// The records of the group, where one is asked for. Their number is public, as is who belongs to it: the
// certificate says so.
FitRecords in_group(FitRecords records, const std::optional<LedgerGroup>& group);

// How many there are, before they are encoded: the rule for knots goes by it.
std::size_t count_group(ReadOptions reading, const LedgerGroup& group);

}  // namespace tacit::inline v1::service
