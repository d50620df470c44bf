#pragma once

#include <Eigen/Core>
#include <vector>

#include "domain/quad.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::detail {

// {y : a y = b in the first `equalities` rows, a y ≤ b in the others}.
struct Rows {
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> a;
  Vector b;
  Eigen::Index equalities = 0;
};

// A point with y ≈ x − aᵀλ, a y ≲ b: what a projection of x looks like. λ ≥ 0 on the inequalities, exactly.
template <class Real>
struct Multipliers {
  std::vector<Real> y;
  std::vector<Real> lambda;          // one for each row
  std::vector<Eigen::Index> active;  // rows with λ ≠ 0 or held as equalities, linearly independent
};

// The projection of x by the dual active-set method, started from the active set of `start`. No exactness is
// promised: whoever needs a bound evaluates one from the result.
template <class Real>
Multipliers<Real> project_by_active_set(const Rows& rows, const std::vector<Real>& x,
                                        const std::vector<Eigen::Index>& start);

// Double arithmetic to find the active set, quad arithmetic to correct and finish it.
Multipliers<Quad> project_onto_rows(const Rows& rows, const QuadVector& x);

// The rows of {y : a y ≤ b}, scaled by powers of two to a largest entry in [1, 2), without zero and duplicate
// rows, exactly opposite pairs made equalities. Throws UsageError for what is empty or out of range at sight.
Rows clean_rows(const Matrix& a, const Vector& b);

// Σ a_i y_i over row `row`, and Σ |a_i y_i|.
template <class Real>
struct Product {
  Real value = 0, magnitude = 0;
};
template <class Real>
Product<Real> row_product(const Rows& rows, Eigen::Index row, const std::vector<Real>& y) {
  Product<Real> sum;
  const double* a = rows.a.data() + row * rows.a.cols();
  for (std::size_t k = 0; k < y.size(); ++k) {
    if (a[k] == 0) continue;
    const Real term = static_cast<Real>(a[k]) * y[k];
    sum.value += term;
    sum.magnitude += term < 0 ? -term : term;
  }
  return sum;
}

}  // namespace tacit::inline v1::detail
