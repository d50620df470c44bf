#pragma once

// A table in numbers: counts, means, quantiles and histograms of its columns [docs/describe.md].
//
// Asks        one vector of counts for each column (of categories, or of a histogram's cells), the sum of
// each
//             numeric column, and its quantiles by the exponential mechanism.
// Assumes     nothing: cells are cut to the schema's range.
// Guarantees  epsilon-DP, or (epsilon, delta)-DP, for a record or for all records of a user.

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithm/statistics/columns.hpp"
#include "tacit/meter.hpp"
#include "tacit/method.hpp"

namespace tacit::inline v1::statistics {

struct TACIT_API DescribeOptions {
  Guarantee target = Pure{1};  // pure or approximate
  Unit unit = Unit::item;
  Neighbours neighbours = Neighbours::zero_out;
  bool means = true, quantiles = true, histograms = true, categories = true;
  std::vector<double> levels = {0.05, 0.25, 0.5, 0.75, 0.95};  // of the quantiles, in (0, 1), ascending
  std::int64_t bins = 20;                                      // of a histogram, 2 … 1000
  double confidence = 0.95;                                    // of each interval, in (0, 1)

  static const OptionTable<DescribeOptions>& table();
  void validate() const;
  // These and no others: "mean", "quantiles", "histogram", "categories".
  void ask_only(std::span<const std::string> names);
};

struct DescribedColumn {
  std::string name;
  bool date = false;  // its numbers are seconds since 1970-01-01T00:00Z
  std::optional<Presence> presence;
  std::optional<Estimate> mean;
  std::vector<std::pair<double, Estimate>> quantiles;  // level and number
  std::vector<double> edges;                           // of the histogram's cells
  std::vector<Estimate> histogram;
  std::vector<std::pair<std::string, Estimate>> categories;  // "other" last
};

struct Description {
  Estimate count;  // of records, or of users
  std::vector<DescribedColumn> columns;
};

// `schema` is that of statistics::described. `table` is nullptr where the answers need no records; `units` is
// the public number of records or users, absent under add_remove.
TACIT_API Description describe(const Schema& schema, const DescribeOptions& options,
                               std::optional<std::size_t> units, const Table* table, Answers& answers);

}  // namespace tacit::inline v1::statistics
