#pragma once

#include "data/raw_table.hpp"
#include "service/fit/steps.hpp"

// Groups: the records of one category of a public column [docs/ledger.md, "Groups"]. Their number is public,
// as is who belongs to them: the certificate says so. A ledger counts groups of one column as disjoint, also
// those of a fit and of a statement, so that who is in one is decided by the text of the cell alone.

namespace tacit::inline v1::service {

// UsageError unless the group is a category of the schema, of records, and no user's, to which no empty cell
// is added.
void check_group(const std::optional<LedgerGroup>& group, const std::optional<Schema>& schema, Unit unit);

// The records of the group, where one is asked for.
Dataset in_group(Dataset data, const std::optional<LedgerGroup>& group);
FitRecords in_group(FitRecords records, const std::optional<LedgerGroup>& group);

// How many there are. UsageError for records that have no such category, DataError where none has it.
TACIT_API std::size_t count_in_group(const Dataset& data, const LedgerGroup& group);
// The same of a file, before its records are encoded: the rule for knots goes by it.
std::size_t count_group(ReadOptions reading, const LedgerGroup& group);

// The same for a table that nobody has looked at, where there are no categories yet.
void check_raw_group(const std::optional<LedgerGroup>& group, const std::string& target, Unit unit);
RawTable in_group(RawTable table, const std::optional<LedgerGroup>& group);

// What a group assumes.
void state_group(const LedgerGroup& group, Certificate& certificate);

}  // namespace tacit::inline v1::service
