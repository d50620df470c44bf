#pragma once

#include <vector>

#include "loss/convex.hpp"
#include "loss/limited.hpp"
#include "loss/polyhedral.hpp"
#include "tacit/core.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1 {

// The records of a linear model as a ConvexLoss on the ball of radius `size` around 0: φ(⟨a,w⟩, y) with its
// slope limited so that every record is gradient_bound-Lipschitz, whatever it holds. Every link but Poisson,
// whose rounding has no bound without a limit on its curvature. The problem must outlive it. With more places
// than there are records, those without one are null: their loss is 0.
class TACIT_API LinkLoss {
 public:
  LinkLoss(const Problem& problem, double gradient_bound, double size, std::size_t places = 0);

  std::size_t records() const { return limits_.size(); }
  std::size_t dimension() const { return shape_.features; }
  double lipschitz() const { return gradient_bound_; }
  double error() const { return error(shape_, gradient_bound_, size_); }
  double value(std::size_t record, const Vector& w) const;
  void subgradient(std::size_t record, const Vector& w, Vector& g) const;

  // The same number from public values alone.
  static double error(const Shape& shape, double gradient_bound, double size);

 private:
  const Problem* problem_;
  Shape shape_;
  Link link_;
  std::vector<Limits> limits_;  // slope 0: the record contributes nothing
  double gradient_bound_, size_;
};

// Whether the link is max(low·t, high·t) of an affine t, as StructuredOracle needs it.
TACIT_API bool is_polyhedral(const LossSpec& loss);
// The same records as PolyhedralLoss; UsageError unless is_polyhedral.
TACIT_API PolyhedralLoss polyhedral_loss(const Problem& problem, double gradient_bound, double size,
                                         std::size_t places = 0);

}  // namespace tacit::inline v1
