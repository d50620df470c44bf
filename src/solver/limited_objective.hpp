#pragma once

#include <memory>

#include "solver/limited_records.hpp"
#include "solver/limited_sums.hpp"
#include "tacit/core.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1 {

// C and Q: every record's loss is limited to slope·‖a‖ ≤ slope and curvature·‖a‖² ≤ curvature. Infinite: no
// limit (only where no privacy is promised). With blocks the slope is measured by their gauge, slope·‖a‖_K ≤
// slope, and `slope` is the s of docs/shaped_noise.md; with full blocks a row that is not in their plane
// contributes nothing.
struct LossLimits {
  double slope = 0;
  double curvature = 0;
  FeatureBlocks blocks = {};

  // A bound on one record's gradient in ℓ2: C, or s·√Σρ² rounded up.
  TACIT_API double gradient_norm() const;
};

// (strength/2)‖w − center‖², on every coordinate unless `intercept_free`.
struct Regulariser {
  double strength = 0;  // nλ: in units of the sum over records
  Vector center;
  bool intercept_free = false;  // only where no privacy is promised
};

// How far a computed gradient can be from the real one: surely ≤ constant + per_distance·‖w − center‖.
struct GradientError {
  double constant = 0, per_distance = 0;
  double at(double distance) const;
};

// F(w) = Σᵢ φᵢ(⟨aᵢ,w⟩) + (strength/2)‖w − center‖² + ⟨tilt,w⟩ with limited losses φᵢ, and its derivatives as
// the machine computes them. The problem must outlive it.
class TACIT_API LimitedObjective {
 public:
  LimitedObjective(const Problem& problem, const LossLimits& limits, Regulariser regulariser, Vector tilt,
                   double label_bound, unsigned threads);

  std::size_t parameters() const { return shape_.parameters(); }
  const Shape& shape() const { return shape_; }
  const Regulariser& regulariser() const { return regulariser_; }
  double smoothness() const;  // Lipschitz constant of ∇F

  // ∇F(w); with `hessian`, also the lower triangle of ∇²F(w) (losses with one output only). Remembers w.
  void gradient(const Vector& w, Vector& gradient, Matrix* hessian);
  // ∇²F(w)·direction at the remembered w.
  void curvature(const Vector& direction, Vector& result);
  // t ↦ d/dt F(w + t·direction) at the remembered w, after prepare_line with the direction.
  void prepare_line(const Vector& direction);
  double line_slope(double t) const;

  const GradientError& gradient_error() const { return error_; }

  // Replaces Q by factor·Q, 0 < factor ≤ 1, for links: rounder kinks, an easier problem to start from.
  void soften(double factor) { sums_->soften(factor); }
  // Looks at every stride-th record only, each counted stride times: a cheap problem to start from.
  void thin(std::size_t stride) { sums_->thin(stride); }

 private:
  void add_public_terms(const Vector& w, Vector& gradient, Matrix* hessian) const;
  double strength_of(std::size_t parameter) const;

  Shape shape_;
  Regulariser regulariser_;
  Vector tilt_;
  double curvature_limit_;
  GradientError error_;
  std::unique_ptr<LimitedSums> sums_;
  Vector w_;  // where gradient() was last called
  Vector direction_;
};

// The public bound behind LimitedObjective::gradient_error(), from the shape alone.
TACIT_API GradientError gradient_error(const Shape& shape, const LossLimits& limits, double strength,
                                       double center_norm, double label_bound);

}  // namespace tacit::inline v1
