#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "domain/rows.hpp"

namespace tacit::inline v1::detail {

template <class Real>
Real roundoff();
template <>
inline double roundoff<double>() {
  return 0x1p-53;
}
template <>
inline Quad roundoff<Quad>() {
  return 0x1p-113;
}

// The Gram matrix a_S a_Sᵀ = L D Lᵀ of a growing and shrinking set S of linearly independent rows.
template <class Real>
class Gram {
 public:
  explicit Gram(const Rows& rows) : source_(rows) {}

  const std::vector<Eigen::Index>& rows() const { return rows_; }
  bool holds(Eigen::Index row) const { return std::find(rows_.begin(), rows_.end(), row) != rows_.end(); }
  void clear() { rows_.clear(), lower_.clear(), pivots_.clear(); }

  // A row split into a_Sᵀr and a rest orthogonal to the rows held.
  struct Split {
    std::vector<Real> reduced;  // D l = L⁻¹ a_S a_row: the row of L that a_row would have
    Real rest = 0;              // the squared norm of the rest; 0 when rounding decides it
    Real noise = 0;
  };
  Split split(Eigen::Index row) const {
    Split result;
    std::vector<Real>& l = result.reduced;
    for (const Eigen::Index other : rows_) l.push_back(product(other, row));
    for (std::size_t i = 0; i < l.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) l[i] -= lower_[i][j] * l[j];
    const Real whole = product(row, row);
    Real rest = whole;
    for (std::size_t i = 0; i < l.size(); ++i) {
      const Real divided = l[i] / pivots_[i];
      rest -= l[i] * divided;
      l[i] = divided;
    }
    result.noise = whole * roundoff<Real>() * static_cast<Real>(64 * (l.size() + 1));
    result.rest = rest > result.noise ? rest : Real{0};
    return result;
  }

  // r of the split.
  std::vector<Real> coefficients(const Split& split) const { return solve_transposed(split.reduced); }

  void append(Eigen::Index row, const Split& split) { push(row, split.reduced, split.rest); }

  // Adds a row, unless it depends on those held, to working accuracy.
  void append_if_independent(Eigen::Index row) {
    const Split parts = split(row);
    if (parts.rest > 0) append(row, parts);
  }

  void remove(std::size_t position) {
    std::vector<Eigen::Index> kept = rows_;
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(position));
    // The first rows of the factor do not change.
    rows_.resize(position), lower_.resize(position), pivots_.resize(position);
    // A row that was independent of more rows is independent of fewer: rounding must not drop it now.
    for (std::size_t i = position; i < kept.size(); ++i) {
      const Split parts = split(kept[i]);
      push(kept[i], parts.reduced, std::max(parts.rest, parts.noise));
    }
  }

  // (a_S a_Sᵀ)⁻¹ rhs
  std::vector<Real> solve(std::vector<Real> rhs) const {
    for (std::size_t i = 0; i < rhs.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) rhs[i] -= lower_[i][j] * rhs[j];
    for (std::size_t i = 0; i < rhs.size(); ++i) rhs[i] /= pivots_[i];
    return solve_transposed(std::move(rhs));
  }

 private:
  std::vector<Real> solve_transposed(std::vector<Real> rhs) const {
    for (std::size_t i = rhs.size(); i-- > 0;)
      for (std::size_t j = i + 1; j < rhs.size(); ++j) rhs[i] -= lower_[j][i] * rhs[j];
    return rhs;
  }

  void push(Eigen::Index row, const std::vector<Real>& reduced, Real pivot) {
    lower_.push_back(reduced);
    pivots_.push_back(pivot);
    rows_.push_back(row);
  }

  Real product(Eigen::Index first, Eigen::Index second) const {
    const double* a = source_.a.data() + first * source_.a.cols();
    const double* b = source_.a.data() + second * source_.a.cols();
    Real sum = 0;
    for (Eigen::Index k = 0; k < source_.a.cols(); ++k)
      if (a[k] != 0 && b[k] != 0) sum += static_cast<Real>(a[k]) * static_cast<Real>(b[k]);
    return sum;
  }

  const Rows& source_;
  std::vector<Eigen::Index> rows_;
  std::vector<std::vector<Real>> lower_;  // row i has i entries; the diagonal is 1
  std::vector<Real> pivots_;
};

}  // namespace tacit::inline v1::detail
