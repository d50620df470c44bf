#pragma once

#include <cstddef>
#include <string>

#include "core/message.hpp"
#include "service/fit/steps.hpp"

namespace tacit::inline v1::service {

// What every shard is told of a fit before it encodes its records: all of it public, and the same for all.
struct ReadTerms {
  FitOptions options;            // loss, intercept, encoder, the target's range and the label bound alone
  KnotFacts knots;               // with the number of all records, where it is public
  std::uint64_t files = 0;       // tells one list of files from another; 0: there are none
  bool without_columns = false;  // the intercept alone (columns.hpp)
};

void put(MessageWriter& message, const ReadTerms& terms);
ReadTerms get_terms(MessageReader& message);

}  // namespace tacit::inline v1::service
