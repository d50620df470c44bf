#pragma once

// What is asked about one column, and what is made of the answers [docs/describe.md].

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithm/statistics/answers.hpp"
#include "algorithm/statistics/laws.hpp"
#include "algorithm/statistics/table.hpp"
#include "tacit/data.hpp"

namespace tacit::inline v1::statistics {

// What is public of all of them.
struct Terms {
  Neighbours neighbours = Neighbours::zero_out;
  Unit unit = Unit::item;
  std::optional<std::size_t> units;  // how many there are; absent under add_remove
  double failure = 0.05;             // of each interval

  double most() const { return units ? static_cast<double>(*units) : most_units; }
};

// The cells of a column; without records both are empty, and nothing looks at them.
struct Cells {
  std::span<const double> values;
  std::span<const std::int64_t> weights;
};

// Why a unit moves such counts by what their step says: it names the unit and the relation.
inline constexpr std::string_view counts_in_words = "is in one class";
TACIT_API std::string reason_of_counts(const Terms& terms);

// How many units, by their weight, fall into each of some classes: `which` gives a record's, from 0.
using Classes = std::function<std::size_t(double value)>;
TACIT_API Answer ask_counts(const Cells& cells, const Classes& which, std::size_t classes, double share,
                            const Terms& terms, Answers& answers);

// Present cells and the share of empty ones, from the noisy number of empty ones.
struct Presence {
  Estimate count, missing;
};
TACIT_API Presence presence(double missing, const Step& step, const Terms& terms);
// The same where the number of units is private: from the sum of so many noisy numbers of present ones.
TACIT_API Presence presence(double present, std::size_t noises, double missing, const Step& step,
                            const Terms& terms);

// The mean of the present cells, which lie in [min, max], and the noisy number of empty ones beside it.
// Without gaps no cell is ever empty, by its nature.
struct MeanAnswer {
  Estimate mean;
  Presence presence;
};
enum class Gaps { none, some };
TACIT_API MeanAnswer ask_mean(const Cells& cells, Interval range, Gaps gaps, double share, const Terms& terms,
                              Answers& answers);

// The quantile of the present cells among the points of a public ascending grid.
TACIT_API double ask_quantile(const Cells& cells, double quantile, std::span<const double> grid, double share,
                              const Terms& terms, Answers& answers);

// Where the quantile lies, by noisy counts of [edge, next edge).
TACIT_API Interval quantile_interval(double quantile, std::span<const double> edges, const Answer& counts,
                                     double failure);

// Points of a public grid over the column's range: every whole number where they are few enough.
TACIT_API std::vector<double> grid_over(const NumericColumn& column, std::size_t points);

}  // namespace tacit::inline v1::statistics
