#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/core/api.hpp"
#include "tacit/data/dataset.hpp"

namespace tacit::inline v1 {

// Features that stand side by side and whose absolute values sum to at most `bound` in every row that an
// encoder makes: the hats of a number, the categories of a column, one number alone.
struct FeatureBlock {
  std::size_t size = 1;  // k ≥ 1
  double bound = 1;      // ρ, 2^−100 … 2^100
  bool operator==(const FeatureBlock&) const = default;
};

// The shape of an encoded row: blocks that follow one another and together are all features, the intercept's
// constant feature a block of its own, the last. It is public, and makes a norm: the gauge
//   ‖v‖_K = max over blocks j of ‖v_j‖₁/ρ_j,   of K = {v : ‖v_j‖₁ ≤ ρ_j for all j},
// for vectors with a number for each feature. With r numbers for each, one an output, |v_l| is the ℓ2 norm of
// the r numbers of feature l [docs/shaped_noise.md].
class TACIT_API FeatureBlocks {
 public:
  FeatureBlocks() = default;  // none: nothing is known of the rows
  // Throws UsageError, naming the block, unless sizes and bounds are within their ranges.
  explicit FeatureBlocks(std::vector<FeatureBlock> blocks);
  // The blocks of an encoder's features and, unless it is 0, the intercept's: what a Problem states.
  static FeatureBlocks with_intercept(std::vector<FeatureBlock> encoded, double intercept);

  bool empty() const { return blocks_.empty(); }
  const std::vector<FeatureBlock>& list() const { return blocks_; }
  std::size_t features() const { return features_; }  // the sum of the sizes
  double largest_bound() const { return largest_bound_; }

  // √Σρ², rounded up: ‖v‖₂ ≤ l2_bound()·‖v‖_K.
  double l2_bound() const { return l2_bound_; }

  // ‖v‖_K, rounded up: of a row, with the constant feature unless `intercept` is 0; of parameters, output by
  // output. Both must have a number for each feature.
  double gauge(const RowView& row, double intercept) const;
  double gauge(std::span<const double> parameters, std::size_t outputs) const;

  // E‖b‖₂² for b with density ∝ exp(−‖b‖_K) and `outputs` numbers a feature: how large shaped noise is.
  double mean_square(std::size_t outputs) const;

  // "2*9:1,16:1,1:1": two blocks of size 9 and bound 1, and so on; bounds come back to the last bit. Throws
  // UsageError, quoting the text, unless it is one.
  std::string text() const;
  static FeatureBlocks parse(std::string_view text);

  bool operator==(const FeatureBlocks&) const = default;

 private:
  std::vector<FeatureBlock> blocks_;
  std::size_t features_ = 0;
  double largest_bound_ = 0, l2_bound_ = 0;
};

}  // namespace tacit::inline v1
