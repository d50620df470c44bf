#pragma once

#include <optional>
#include <string>

#include "service/fit/steps.hpp"

// What the records can bear of their columns, by public values alone [docs/features.md]. With few records, a
// small epsilon and many columns a model of noise is worse than none.

namespace tacit::inline v1::service {

// n·ε/d of a table that `auto` encodes. Nothing where the number of records is not public, without privacy,
// and where the columns are encoded otherwise.
std::optional<double> records_per_column(const ReadOptions& reading, const FitRecords& records);

// Below the first a model of the columns was worse than a constant in trials; below the second it was little
// better [heuristic: utility only].
inline constexpr double constant_below = 3, little_below = 15;

// The same records for the intercept alone: no feature, and a schema that ignores every column.
FitRecords without_columns(FitRecords records);

// Whether the rule may leave the columns out: not where a method or an encoder is named. A constant needs the
// intercept, and who asks for a network or a robust fit does not want a constant.
bool may_leave_out_columns(const FitOptions& options);

// Why the fit has no columns, for the certificate; empty where it has.
std::string why_no_columns(const FitRecords& records);
// Said before anything is spent; empty: nothing to say.
std::string little_to_expect(const FitOptions& options, const FitRecords& records);

}  // namespace tacit::inline v1::service
