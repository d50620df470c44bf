#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "algorithm/heavy_tails/private_limits.hpp"
#include "algorithm/heavy_tails/scaled_problem.hpp"

namespace tacit::inline v1::heavy_tails {

// A public grid of sizes: 2^(first/steps) … 2^(last/steps).
struct SizeGrid {
  int first, last, steps;
  std::size_t points() const { return static_cast<std::size_t>(last - first + 1); }
  std::vector<double> values() const {
    std::vector<double> result;
    for (int k = first; k <= last; ++k) result.push_back(std::exp2(static_cast<double>(k) / steps));
    return result;
  }
};

// Sizes in the data's own units, up to 2^±64 (5e-20 … 2e19). Gradients are in units of a typical row and
// label. Columns and labels are scaled by powers of two, which is exact.
inline constexpr SizeGrid row_grid{-256, 256, 4}, label_grid{-64, 64, 1}, gradient_grid{-40, 40, 4},
    column_grid{-64, 64, 1};

// The labels' middle is looked for within ±4 sizes, in steps of 1/64: their median is within ±1 median of
// |y|.
inline constexpr int location_steps = 64, location_range = 4;
inline constexpr std::size_t location_points = 2 * location_range * location_steps + 1;

// Of distances from the middle: whole numbers often lie on it, zeros of counts nearly always.
inline constexpr double spread_quantile = 0.75;
// The middle is known to 1/64 of the labels' size, so that less spread cannot be told from none.
inline constexpr double least_spread = 0x1p-10;

// A high one: columns of counts and indicators are zero more often than not.
inline constexpr double column_quantile = 0.95;

// All of it released.
struct PrivateSizes {
  Units units;
  LossLimits limits;                  // in these units
  std::optional<double> label_bound;  // of counts
};

// Asks the queries in the order of queries.steps.
PrivateSizes choose_sizes(const Problem& problem, const Options& options, const LimitQueries& queries,
                          Meter& meter);

}  // namespace tacit::inline v1::heavy_tails
