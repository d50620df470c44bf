#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/meter.hpp"

// A mean that leaves out outliers, by weights that are a fixed function of the points [LowyLiuAsi24, Alg. 1,
// lines 10–21, with weights in place of coins: ours, docs/outliers.md]. C points, one of which may be
// replaced:
//   s   = #{(j,k) : ‖x_j − x_k‖ ≤ τ}                        how concentrated they are, C … C²
//   n_j = #{k : ‖x_j − x_k‖ ≤ 2τ}                           neighbours, j included
//   p_j = clamp(6(n_j/C − ½), 0, 1)                         (n_j − ½ in place of n_j for odd C)
//   x̄   = Σ p_j x_j / Σ p_j

namespace tacit::inline v1 {

// One point a row.
using Points = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Inliers {
  double close_pairs = 0;      // s: a whole number
  double weight = 0;           // Σ p_j
  std::optional<Vector> mean;  // none where no point has a weight
};

// Points that are longer than `bound`, or not finite, are near nobody. Each decision about two points is a
// symmetric function of them alone. τ in 2^±300.
TACIT_API Inliers inliers(const Points& points, double tau, double bound, unsigned threads);

// close_pairs for each of ascending τ, the smallest of them no less than 2⁻⁴⁰ of the largest. Each is a count
// as `inliers` makes it, with the same sensitivity.
TACIT_API std::vector<double> close_pairs_within(const Points& points, std::span<const double> taus,
                                                 double bound, unsigned threads);
// Points that are longer than `bound`, or not finite, become 0: all of them are near each other then at
// τ ≥ 2·bound.
TACIT_API void zero_beyond(Points& points, double bound);

// Of close_pairs, when one point is replaced: exact, for there is no rounding in it.
TACIT_API Sensitivity close_pairs_sensitivity(std::size_t points);

// Of the mean, between two sets that differ in one point and of which at least one has close_pairs ≥
// least_close_pairs = ρC²: 4(7 − 6ρ)·τ/(ρC), and rounding. InfeasibleError unless ρ ≥ 2/3 + 1/C (+ 1/2C for
// odd C), where the bound begins to hold.
TACIT_API Sensitivity inlier_mean_sensitivity(std::size_t points, std::size_t dimension, double tau,
                                              double bound, double least_close_pairs);

// What the paper's own coins need instead, for comparison: a multiple of τ/C that bounds the movement with
// probability 1 − failure over the coins, at this ρ [ours, docs/outliers.md].
TACIT_API double coin_inclusion_constant(std::size_t points, double rho, double failure);

}  // namespace tacit::inline v1
