#include "domain/norms.hpp"
#include "domain/prepared.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::detail {

PreparedBox::PreparedBox(const Box& box) : box_(box) {
  if (box.lower.size() != box.upper.size())
    throw_error<UsageError>("the box has {} lower and {} upper bounds, expected as many", box.lower.size(),
                            box.upper.size());
  for (Eigen::Index i = 0; i < box.lower.size(); ++i)
    if (!(box.lower[i] <= box.upper[i]))
      throw_error<UsageError>("the box's lower bound {} of coordinate {} is above its upper bound {}",
                              box.lower[i], i, box.upper[i]);
}

// Comparisons do not round: the projection is exact.
Projection PreparedBox::project(const Vector& x) const {
  return {x.cwiseMax(box_.lower).cwiseMin(box_.upper), 0};
}

bool PreparedBox::contains(const Vector& x) const {
  return (box_.lower.array() <= x.array()).all() && (x.array() <= box_.upper.array()).all();
}

double PreparedBox::diameter() const { return distance_bounds(box_.lower, box_.upper).upper; }

}  // namespace tacit::inline v1::detail
