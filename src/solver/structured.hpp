#pragma once

// The structured route of [Lowy26, App. D.3]: for polyhedral losses the Lipschitz extension has first-order
// information with a certified duality gap, so that projected subgradients run on the extension itself. No
// auxiliary y's, and a number of iterations that does not depend on the records' slopes.

#include "loss/polyhedral.hpp"
#include "solver/extension.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

// lower ≤ f_C(w) ≤ upper, ‖slope‖ ≤ C, and f_C(u) ≥ lower + ⟨slope, u − w⟩ for every u of W: a subgradient up
// to the duality gap upper − lower [Def. D.3, Prop. D.6]. Rounding is included.
struct Cut {
  double lower = 0, upper = 0;
  Vector slope;
};

// f_C of polyhedral records on a ball, box, ellipsoid or polytope.
class TACIT_API StructuredOracle {
 public:
  StructuredOracle(const Domain& domain, double lipschitz);

  Cut cut(const PolyhedralRecord& record, const Vector& w) const;  // w in W

  // A bound on every gap from public values alone, for records with slopes up to `gradient_bound` (balls and
  // boxes; UsageError for the others).
  double gap_bound(double gradient_bound, std::size_t dimension) const;
  double size() const { return size_; }  // the largest norm of a point of W, at most

 private:
  struct Steep;
  Steep steep(const PolyhedralRecord& record, double slope, const Vector& w) const;
  Cut between(const PolyhedralRecord& record, Steep left, Steep right, const Vector& w) const;
  Cut finished(const PolyhedralRecord& record, Cut cut) const;
  double tolerance(const PolyhedralRecord& record) const;

  Domain domain_;
  Projector onto_;
  double lipschitz_, diameter_, size_;
};

// Projected subgradients with steps 2/(λ(t+1)) and averages weighted by t [Lacoste-Julien, Schmidt & Bach
// 2012] take exactly ⌈4L²/(λα)⌉ iterations, L = C + λ·max‖w − w₀‖: strong convexity saves the square of App.
// D.3's (4DL/α)².
TACIT_API IterationBound structured_iterations(const ExtensionSetting& setting, const LossSizes& sizes,
                                               double accuracy);
TACIT_API Accurate minimise_structured(const ExtensionSetting& setting, const PolyhedralLoss& loss,
                                       double accuracy);

}  // namespace tacit::inline v1
