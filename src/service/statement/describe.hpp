#pragma once

#include "algorithm/statistics/describe.hpp"
#include "tacit/data.hpp"
#include "tacit/statistics.hpp"

// What descriptions share, with a schema or without.

namespace tacit::inline v1::service {

inline constexpr const char* describe_method = "describe";

// What is asked, once the unit is known. UsageError.
statistics::DescribeOptions description_options(const DescribeOptions& asked, Unit unit);

// Every column that the schema describes, and nothing else.
ReadOptions reading_to_describe(ReadOptions reading, Schema described);

// Without a schema: one is found first, with a part of the guarantee [docs/describe.md].
Described describe_unseen(const ReadOptions& reading, const DescribeOptions& asked, BitSource& bits);

}  // namespace tacit::inline v1::service
