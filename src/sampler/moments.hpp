#pragma once

#include "sampler/record_sums.hpp"
#include "tacit/core.hpp"

// Moments of the rows in sums over the records, with bounds that hold for the real sums.

namespace tacit::inline v1::sampler {

// The Frobenius norm, rounded up.
double norm_up(const Matrix& m);

// c with M ⪯ cI for the symmetric matrix M of doubles (its lower triangle): a Cholesky factorisation of cI −
// M that runs to its end proves it up to γ_{d+1}/(1−γ_{d+1})·trace [Rump 2006, Lemma 2.1].
double largest_eigenvalue_bound(const Matrix& m);

// Σ g·aaᵀ over the kept rows as computed, and ‖computed − real‖ ≤ error (spectral norm).
struct SecondMoment {
  Matrix value;
  double error = 0;
};
SecondMoment second_moment(RecordSums& records);

// sup over v of Σ wᵢ⟨xᵢ,v⟩²·max⟨xⱼ,v⟩²/(vᵀBv)², x = Tᵀa, j over the group of i, for diagonal B: a bound from
// above, over the rows that are kept.
class FourthMoment {
 public:
  FourthMoment(RecordSums& records, Weight weight, const Matrix& transform);
  double bound(const Vector& b) const;

 private:
  double sharp(const Vector& b) const;
  double cheap(const Vector& b) const;

  RecordSums* records_;
  Weight weight_;
  const Matrix* transform_;
  double row_sum_ = 0;  // Σ wᵢ‖aᵢ‖⁴, rounded up
  Matrix tensor_;       // Σ wᵢ svec(xxᵀ)svec(xxᵀ)ᵀ for few dimensions
};

}  // namespace tacit::inline v1::sampler
