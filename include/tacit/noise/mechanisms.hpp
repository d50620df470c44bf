#pragma once

#include <cstddef>
#include <functional>

#include "tacit/core/api.hpp"
#include "tacit/core/linalg.hpp"
#include "tacit/privacy/guarantee.hpp"
#include "tacit/privacy/meter.hpp"
#include "tacit/privacy/sensitive.hpp"
#include "tacit/privacy/step.hpp"

// The mechanisms: the only code that opens a Sensitive or an Ideal. Each charges the meter first, then draws.
// What leaves is exactly round(clamp(x) + Z) onto a public grid, Z with its true real-valued law: a rounded
// real mechanism, so post-processing of it. `range` is a public bound: every coordinate of x is clamped to
// [−range, range] (NaN to −range) before noise; clamping never increases a sensitivity.
//
// For each mechanism X there is plan_X, a function of public values alone, that returns the step X will
// charge: methods plan with it, and `verify` rebuilds what must have happened with it.

namespace tacit::inline v1::noise {

// sensitivity.total()/scale, rounded up: the epsilon of (isotropic) Laplace noise, the mu of Gaussian noise.
TACIT_API double epsilon_of(const Sensitivity& sensitivity, double scale);
// A scale, least up to rounding, for which epsilon_of is at most `target`: so that a step planned with it
// fits a budget of exactly that epsilon.
TACIT_API double scale_for(const Sensitivity& sensitivity, Pure target);

// ℓ2-sensitive vector + isotropic Laplace noise, density ∝ exp(−‖b‖₂/scale): pure DP.
TACIT_API Step plan_isotropic_laplace(const Sensitivity& sensitivity, double scale, double range,
                                      std::size_t dimension);
TACIT_API Released<Vector> isotropic_laplace(const Sensitive<Vector>& x, double scale, double range,
                                             Meter& meter);

// A number + Laplace noise: pure DP.
TACIT_API Step plan_laplace(const Sensitivity& sensitivity, double scale, double range);
TACIT_API Released<double> laplace(const Sensitive<double>& x, double scale, double range, Meter& meter);

// ℓ2-sensitive vector + N(0, sigma² I): Gaussian DP.
TACIT_API Step plan_gaussian(const Sensitivity& sensitivity, double sigma, double range,
                             std::size_t dimension);
TACIT_API Released<Vector> gaussian(const Sensitive<Vector>& x, double sigma, double range, Meter& meter);

// The eraser [Lin24, Thm 2]: turns a sample known up to `distance` into one that is exactly private, at the
// cost of `epsilon` more: isotropic Laplace noise of scale 2·distance/epsilon.
TACIT_API Step plan_erase(double distance, Pure epsilon, double range, std::size_t dimension);
TACIT_API Released<Vector> erase(const Ideal<Vector>& x, Pure epsilon, double range, Meter& meter);

// Noise that goes into a problem rather than onto its answer (objective perturbation). The caller has proved
// that the whole ideal mechanism costs `step.event`; the noise is Gaussian of deviation `step.scale` for a
// GaussianObjectiveEvent, isotropic Laplace of that scale for any other, in `step.dimension` dimensions,
// rounded onto step.grid.
struct Perturbation {
  Vector value;
  // ‖value − the ideal draw‖₂ ≤ rounding + u·‖value‖, surely: half a cell in each coordinate, and beyond 2^53
  // cells the rounding to a double.
  double rounding = 0;
};
TACIT_API double perturbation_grid(double scale);
TACIT_API double perturbation_rounding(double grid, std::size_t dimension);
TACIT_API Perturbation perturb(const Step& step, Meter& meter);

// A sample of an ideal mechanism. The caller has proved that the ideal's real-valued sample costs
// `step.event`, and that `draw` returns that sample with each coordinate rounded, exactly, to the nearest
// multiple of step.grid: post-processing, so that nothing is left to erase. `draw` runs after the charge.
TACIT_API Released<Vector> sample_exactly(const Step& step, const std::function<Vector(BitSource&)>& draw,
                                          Meter& meter);

// Released as it is. The meter accepts this only where no privacy was promised.
TACIT_API Released<Vector> open(const Sensitive<Vector>& x, Meter& meter);

}  // namespace tacit::inline v1::noise
