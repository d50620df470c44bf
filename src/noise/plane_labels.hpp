#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "core/interval.hpp"
#include "tacit/core.hpp"
#include "tacit/data.hpp"
#include "tacit/meter.hpp"

// The law of a uniform point v of K ∩ L, L the plane of the full blocks [docs/shaped_noise.md, "The plane
// that gradients live in"], as a mixture: given a few whole numbers, its labels, v is an explicit function of
// uniforms. In units of the bounds every full block has the sum τ; let τ ≥ 0, the sign of all being drawn
// apart. A block of k features has the volume
//   f_k(τ) = Σ_μ φ_{k,μ} τ^μ (1−τ)^{k−1−μ},   φ_{k,μ} = (2k−2−μ)!/(μ! (k−1−μ)!² 2^{k−1−μ}) ≥ 0,
// so τ, of density ∝ Π f_{k_j}, is Beta(M+1, N−M+1) given M = Σμ_j, N = Σ(k_j − 1); the labels μ_j have
// weights ∝ Πφ_{k_j,μ_j}·M!(N−M)!.

namespace tacit::inline v1::noise {

struct PlaneLabels {
  struct Block {
    std::size_t mu = 0;          // k − 1: no feature is below 0
    std::vector<bool> negative;  // by feature, where τ ≥ 0
    std::size_t negatives() const;
  };
  bool negative = false;      // the sign of τ
  std::size_t sum = 0;        // M
  std::vector<Block> blocks;  // the full ones
};

// Draws labels with exactly their probabilities: a uniform is compared with weights in interval arithmetic,
// with as many digits of both as it takes. One object serves any number of draws for the same sizes.
class TACIT_API PlaneLaw {
 public:
  explicit PlaneLaw(const FeatureBlocks& blocks);  // in a plane

  std::size_t degree() const { return degree_; }  // N
  PlaneLabels draw(BitSource& bits);

 private:
  // φ of every size, and the coefficients of the product of the first j volumes.
  struct Weights {
    std::map<std::size_t, std::vector<Interval>> volumes;
    std::vector<std::vector<Interval>> products;
  };
  const Weights& weights(long precision);
  std::vector<Interval> of_sum(long precision);
  std::vector<Interval> of_block(std::size_t j, std::size_t sum, std::size_t least, std::size_t most,
                                 long precision);

  std::vector<std::size_t> sizes_;
  std::size_t degree_ = 0;
  std::map<long, Weights> weights_;
};

}  // namespace tacit::inline v1::noise
