#pragma once

#include <optional>
#include <string>

#include "service/fit/steps.hpp"

// What the records can bear of their columns, by public values alone [docs/features.md]. With few records, a
// small epsilon and many columns a model of noise is worse than none.

namespace tacit::inline v1::service {

// By n·ε/d [heuristic: utility only, measured in docs/features.md]. Below the first a model of the columns
// was worse than a constant on nearly all that was tried, below the second little better on some tables.
// Below the third it was worse by more than 2 % of the log loss on made data whose columns say nothing of the
// target; descent for classes lost more, and needs the fourth.
inline constexpr double constant_below = 3, little_below = 15, doubtful_below = 800,
                        doubtful_descent_below = 1600;
// By n·ε: below it even the intercept alone had a log loss of more than 2 % above the base rate's.
inline constexpr double noisy_below = 30;

// No records, with the columns and classes that they would have; the schema has a target.
FitRecords no_records(const Schema& schema);
// The same records, of which the intercept alone is used.
FitRecords without_columns(FitRecords records);

// The records with `per_column` set, n·ε/d of a table with a schema, and with the columns that they can bear
// where `auto` encodes: below `constant_below` none, with a schema that ignores every column, unless a method
// or an encoder is named. Unset where the number of records is not public, without privacy, and for users
// (how many records they have is theirs).
FitRecords with_bearable_columns(FitRecords records, const FitPlan& plan, const KnotFacts& facts);

// Why the fit has no columns, for the certificate; empty where it has.
std::string why_no_columns(const FitRecords& records);

// What is public of the size of a fit.
struct FitSize {
  Unit unit = Unit::item;
  std::optional<std::size_t> count;  // of units; absent where it is private
  std::size_t parameters = 0;
  // Where dp-sgd fits classes: n·ε/d, d the blocks that it was chosen by (infinite where nothing tells).
  std::optional<double> descent = {};
};
FitSize size_of_fit(const Method& method, Shape shape, std::optional<std::size_t> count,
                    const Guarantee& guarantee);
// What is to be said before anything is spent.
std::vector<std::string> said_beforehand(const FitOptions& options, const FitRecords& records,
                                         const FitSize& size);

}  // namespace tacit::inline v1::service
