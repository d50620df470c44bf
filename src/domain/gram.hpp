#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "rows.hpp"

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

  // Adds a row, unless it depends on those held, to working accuracy.
  void append(Eigen::Index row) {
    const Real pivot = independent_part(row);
    if (pivot > 0) push(row, pivot);
  }

  void remove(std::size_t position) {
    std::vector<Eigen::Index> kept = rows_;
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(position));
    // The first rows of the factor do not change.
    rows_.resize(position), lower_.resize(position), pivots_.resize(position);
    // A row that was independent of more rows is independent of fewer: rounding must not drop it now.
    for (std::size_t i = position; i < kept.size(); ++i)
      push(kept[i], std::max(independent_part(kept[i]), noise(kept[i])));
  }

  // a_S a_row
  std::vector<Real> products_with(Eigen::Index row) const {
    std::vector<Real> products;
    for (const Eigen::Index other : rows_) products.push_back(product(other, row));
    return products;
  }

  // The squared norm of the part of a_row orthogonal to the rows held; 0 when rounding decides it.
  Real independent_part(Eigen::Index row) const {
    const std::vector<Real> l = reduced(row);
    Real part = product(row, row);
    for (std::size_t i = 0; i < l.size(); ++i) part -= l[i] * l[i] * pivots_[i];
    return part > noise(row) ? part : Real{0};
  }

  std::vector<Real> solve(std::vector<Real> rhs) const {
    for (std::size_t i = 0; i < rhs.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) rhs[i] -= lower_[i][j] * rhs[j];
    for (std::size_t i = 0; i < rhs.size(); ++i) rhs[i] /= pivots_[i];
    for (std::size_t i = rhs.size(); i-- > 0;)
      for (std::size_t j = i + 1; j < rhs.size(); ++j) rhs[i] -= lower_[j][i] * rhs[j];
    return rhs;
  }

 private:
  Real noise(Eigen::Index row) const {
    return product(row, row) * roundoff<Real>() * static_cast<Real>(64 * (rows_.size() + 1));
  }

  void push(Eigen::Index row, Real pivot) {
    lower_.push_back(reduced(row));
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

  // The row of L that a_row would have: L D l = a_S a_row.
  std::vector<Real> reduced(Eigen::Index row) const {
    std::vector<Real> l = products_with(row);
    for (std::size_t i = 0; i < l.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) l[i] -= lower_[i][j] * l[j];
    for (std::size_t i = 0; i < l.size(); ++i) l[i] /= pivots_[i];
    return l;
  }

  const Rows& source_;
  std::vector<Eigen::Index> rows_;
  std::vector<std::vector<Real>> lower_;  // row i has i entries; the diagonal is 1
  std::vector<Real> pivots_;
};

}  // namespace tacit::inline v1::detail
