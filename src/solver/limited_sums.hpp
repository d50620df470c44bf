#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>

#include "solver/shard_pass.hpp"
#include "tacit/core.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1 {

struct LossLimits;

// Sums over the records of Σᵢ φᵢ(⟨aᵢ,w⟩) with limited losses φᵢ: what a LimitedObjective is made of, wherever
// the records are.
class LimitedSums {
 public:
  LimitedSums() = default;
  LimitedSums(const LimitedSums&) = delete;
  LimitedSums& operator=(const LimitedSums&) = delete;
  virtual ~LimitedSums() = default;

  // Σ∇φᵢ(w); with `hessian`, also the lower triangle of Σ∇²φᵢ(w). Remembers w.
  virtual void gradient(const Vector& w, Vector& sum, Matrix* hessian) = 0;
  // Σ∇²φᵢ(w)·direction at the remembered w.
  virtual void curvature(const Vector& direction, Vector& sum) = 0;
  // start + Σ d/dt φᵢ(w + t·direction) at the remembered w, after prepare_line with the direction.
  virtual void prepare_line(const Vector& direction) = 0;
  virtual double line_slope(double t, double start) const = 0;

  virtual void soften(double factor) = 0;
  virtual void thin(std::size_t stride) = 0;
};

// The problem must outlive them.
std::unique_ptr<LimitedSums> limited_sums(const Problem& problem, const LossLimits& limits,
                                          double label_bound, unsigned threads);

// How shards answer for theirs.
PassKind limited_sums_pass();

// Gradients are summed in blocks of this many rows, the blocks pairwise: short blocks keep the rounding bound
// small, blocks of at least an eighth of the parameters keep the joining cheap.
inline std::size_t rows_in_block(std::size_t parameters) {
  return std::clamp<std::size_t>(std::bit_ceil(parameters / 8), 128, 16384);
}

}  // namespace tacit::inline v1
