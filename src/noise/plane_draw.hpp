#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "noise/lazy_uniform.hpp"
#include "noise/plane_labels.hpp"
#include "noise/samplers.hpp"

// Noise of density ∝ exp(−‖b‖_K) in the plane of the full blocks: b = T·U, T ~ Gamma(D + 1), U uniform in
// K ∩ L. Given its labels, with X ~ Gamma(M+1), Y ~ Gamma(N−M+1) and, for each full block whose μ is below
// k − 1, G ~ Gamma(k−1−μ) and E ~ Gamma(1):
//   τ = X/(X+Y),   n = ½·Y/(X+Y)·G/(G+E), the sum of the block's negative features (0 where μ = k−1),
// of which those below 0 share −n, the others n + τ, each group in proportion to Gamma(1) variables of its
// own. A block that is not full is shared out as in shaped_draw.hpp. All Gamma variables are sums of −ln of
// uniforms, and nothing is subtracted.

namespace tacit::inline v1::noise {

// One vector on uniforms whose digits are drawn as they are needed.
class TACIT_API PlaneDraw {
 public:
  // Draws the first word of every uniform: T's, X's, Y's, then block by block.
  PlaneDraw(const FeatureBlocks& blocks, const PlaneLabels& labels, BitSource& bits);

  // Encloses a coordinate of b, using `words` words of each uniform. Twice the words come with twice the
  // precision.
  Interval coordinate(std::size_t feature, std::size_t words, long precision);
  std::size_t uniforms() const { return uniforms_.size(); }  // of all coordinates together

 private:
  // Some of the uniforms; −ln of their product is a Gamma variable.
  struct Group {
    std::size_t first = 0, count = 0;
  };
  struct Feature {
    std::size_t block = 0, uniform = 0;
    bool negative = false;  // of what its group shares; for a block that is not full, of itself
  };
  struct Block {
    bool full = false;
    std::size_t size = 0;
    double bound = 1;
    Group shape, rest;           // G and E; of a block that is not full, E is `rest`
    Group positives, negatives;  // of a block that is not full, all features are `positives`
  };
  // What coordinates share, for one number of words.
  struct Shared {
    Interval gamma, x, y;                     // T, X, Y
    std::map<std::size_t, Interval> stretch;  // by 2·block, + 1 for its negatives: what multiplies each share
  };

  Group draw(std::size_t count, BitSource& bits);
  void add_full(const FeatureBlock& block, const PlaneLabels::Block& labels, BitSource& bits);
  void add_free(const FeatureBlock& block, BitSource& bits);
  Interval sum(const Group& group, std::size_t words, long precision);
  Shared& shared(std::size_t words, long precision);
  const Interval& stretch(const Feature& feature, Shared& shared, std::size_t words, long precision);

  BitSource* bits_;
  bool negative_;
  std::vector<LazyUniform> uniforms_;
  Group gamma_, x_, y_;
  std::vector<Block> blocks_;
  std::vector<Feature> features_;
  std::map<std::size_t, Shared> shared_;
};

// add_shaped_laplace of shaped_laplace.hpp in the plane, with labels that are drawn already.
TACIT_API void add_plane_laplace(std::span<const double> x, const FeatureBlocks& blocks,
                                 const PlaneLabels& labels, double scale, const Lattice& lattice,
                                 BitSource& bits, std::span<double> out);

}  // namespace tacit::inline v1::noise
