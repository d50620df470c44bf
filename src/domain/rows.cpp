#include "domain/rows.hpp"

#include <cmath>
#include <map>

#include "tacit/core.hpp"
#include "tacit/domain.hpp"

namespace tacit::inline v1::detail {
namespace {

double scaled(double value, int exponent, Eigen::Index row) {
  const double result = std::ldexp(value, -exponent);
  if (std::ldexp(result, exponent) != value || !(std::abs(result) <= largest_coordinate))
    throw_error<UsageError>("the numbers of row {} of the polytope span too many orders of magnitude", row);
  return result;
}

// Keyed by the row's entries; −0 and 0 are the same key.
using RowMap = std::map<std::vector<double>, double>;

RowMap distinct_rows(const Matrix& a, const Vector& b) {
  RowMap distinct;
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    const double largest = a.cols() == 0 ? 0 : a.row(i).cwiseAbs().maxCoeff();
    if (largest == 0) {
      if (b[i] < 0) throw_error<UsageError>("the polytope is empty: row {} says 0 <= {}", i, b[i]);
      continue;
    }
    const int exponent = std::ilogb(largest);
    std::vector<double> row;
    for (Eigen::Index k = 0; k < a.cols(); ++k) row.push_back(scaled(a(i, k), exponent, i));
    const double bound = scaled(b[i], exponent, i);
    const auto [place, is_new] = distinct.try_emplace(std::move(row), bound);
    if (!is_new) place->second = std::min(place->second, bound);
  }
  return distinct;
}

std::vector<double> opposite(std::vector<double> row) {
  for (double& v : row) v = -v;
  return row;
}

}  // namespace

Rows clean_rows(const Matrix& a, const Vector& b) {
  const RowMap distinct = distinct_rows(a, b);
  std::vector<RowMap::const_iterator> equalities, inequalities;
  for (auto row = distinct.begin(); row != distinct.end(); ++row) {
    const auto other = distinct.find(opposite(row->first));
    const double lower = other == distinct.end() ? -HUGE_VAL : -other->second;
    if (lower > row->second)
      throw_error<UsageError>("the polytope is empty: two opposite rows ask for a value >= {} and <= {}",
                              lower, row->second);
    if (lower < row->second)
      inequalities.push_back(row);
    else if (row->first < other->first)  // of an equality's two rows, one is kept
      equalities.push_back(row);
  }

  Rows rows;
  rows.equalities = static_cast<Eigen::Index>(equalities.size());
  const auto count = rows.equalities + static_cast<Eigen::Index>(inequalities.size());
  rows.a.resize(count, a.cols());
  rows.b.resize(count);
  Eigen::Index i = 0;
  for (const auto& part : {equalities, inequalities})
    for (const auto& row : part) {
      for (Eigen::Index k = 0; k < a.cols(); ++k) rows.a(i, k) = row->first[static_cast<std::size_t>(k)];
      rows.b[i++] = row->second;
    }
  return rows;
}

}  // namespace tacit::inline v1::detail
