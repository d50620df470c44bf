#pragma once

#include <optional>
#include <string>
#include <vector>

#include "service/fit/steps.hpp"
#include "tacit/data.hpp"
#include "tacit/fit.hpp"

// Where nobody states the columns' ranges, a share of the guarantee finds them [docs/private_schema.md].

namespace tacit::inline v1::service {

// Whether a fit of this file may begin with that: a table without a schema or another bound, under epsilon or
// epsilon and delta, in one go. UsageError for a share that is asked for and would have no effect.
bool may_find_ranges(const ReadOptions& reading, const FitOptions& options);
// The same of any table, unless something else already says why not.
bool may_find_ranges(const FitOptions& options, std::string why_not);

// The share by the public rule, for so many records and columns, the target's too.
double range_share_for(double records, double epsilon, std::size_t columns);

// Before a search with this budget: a warning where the same rule finds too few of the unit for so many
// columns. Absent: their number is private, and nothing is said.
void announce_few_records(std::optional<std::size_t> units, const Budget& search, std::size_t columns);

// Nothing where the public rule gives the search no share: then numbers are fitted as they are.
std::optional<FittedModel> fit_finding_ranges(const ReadOptions& reading, const FitOptions& options,
                                              const FitPlan& plan, BitSource& bits);

// For a table in memory of so many records and columns, the target not counted: whether its fit finds ranges.
TACIT_API bool finds_ranges(const FitOptions& options, std::size_t records, std::size_t columns);
// That fit. Labels, classes, users and weights are those of `labelled`, whose features have no columns.
TACIT_API FittedModel fit_table(const std::vector<TableColumn>& columns, const ReadResult& labelled,
                                const FitOptions& options, BitSource& bits);

}  // namespace tacit::inline v1::service
