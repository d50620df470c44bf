#pragma once

#include <vector>

#include "tacit/core.hpp"
#include "tacit/problem.hpp"

// Sums over the records of functions of the whitened rows, with bounds that hold for the real sums.

namespace tacit::inline v1::sampler {

// c with M ⪯ cI for the symmetric matrix M of doubles (its lower triangle): a Cholesky factorisation of cI −
// M that runs to its end proves it up to γ_{d+1}/(1−γ_{d+1})·trace [Rump 2006, Lemma 2.1].
double largest_eigenvalue_bound(const Matrix& m);

// The rows of a problem, intercept included, a block at a time as a dense matrix. A softmax record stands for
// a group of them, one for each pair of classes: (V_k − V_l) ⊗ a, entries to two roundings.
class RowBlocks {
 public:
  explicit RowBlocks(const Problem& problem);
  std::size_t records() const { return problem_->data->size(); }
  std::size_t group() const { return group_; }  // rows of one record
  std::size_t rows() const { return records() * group_; }
  std::size_t block() const { return block_; }  // whole groups
  // Rows [begin, min(begin + block, rows)), one column each.
  Matrix operator()(std::size_t begin) const;

 private:
  const Problem* problem_;
  std::size_t features_, group_ = 1, block_ = 512;
  Matrix differences_;  // V_k − V_l, one column for each pair
};

// How many roundings a term of the blocked sums goes through.
std::size_t sum_depth(const RowBlocks& rows);

// Σ wᵢ aᵢaᵢᵀ as computed, and ‖computed − real‖ ≤ error (spectral norm).
struct SecondMoment {
  Matrix value;
  double error = 0;
};
SecondMoment second_moment(const RowBlocks& rows, const std::vector<double>& weights,
                           const std::vector<double>& norms);

// sup over v of Σ wᵢ⟨xᵢ,v⟩²·max⟨xⱼ,v⟩²/(vᵀBv)², x = Tᵀa, j over the group of i, for diagonal B: a bound from
// above.
class FourthMoment {
 public:
  FourthMoment(const RowBlocks& rows, const Matrix& transform, const std::vector<double>& weights,
               const std::vector<double>& norms);
  double bound(const Vector& b) const;

 private:
  double sharp(const Vector& b) const;
  double cheap(const Vector& b) const;

  const RowBlocks* rows_;
  const Matrix* transform_;
  const std::vector<double>* weights_;
  bool all_zero_ = false;
  double row_sum_ = 0;  // Σ wᵢ‖aᵢ‖⁴, rounded up
  Matrix tensor_;       // Σ wᵢ svec(xxᵀ)svec(xxᵀ)ᵀ for few dimensions
};

}  // namespace tacit::inline v1::sampler
