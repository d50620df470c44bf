#pragma once

// Layer: noise.
//
// Exact noise: the only way from what is sensitive to what is released.
//
//     tacit::Released<tacit::Vector> noisy = tacit::noise::isotropic_laplace(sum, scale, range, meter);

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "tacit/core.hpp"
#include "tacit/guarantee.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1::noise {

// Random bits for releases: AES-256 in counter mode, keyed by the kernel, keyed anew in a forked child. One
// object serves one thread. Throws Error when the kernel or the cipher fails; it never returns weaker bits.
TACIT_API std::unique_ptr<BitSource> system_bits();

}  // namespace tacit::inline v1::noise

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

// The noise cover [Lin24, Thm 2]: turns a sample known up to `distance` into one that is exactly private, at
// the cost of `epsilon` more: isotropic Laplace noise of scale 2·distance/epsilon.
TACIT_API Step plan_cover(double distance, Pure epsilon, double range, std::size_t dimension);
TACIT_API Released<Vector> cover(const Ideal<Vector>& x, Pure epsilon, double range, Meter& meter);

// Noise that goes into a problem rather than onto its answer (objective perturbation). The caller has proved
// that the whole ideal mechanism costs `step.event`; the noise is Gaussian of deviation `step.scale` for a
// GaussianObjectiveEvent, isotropic Laplace of that scale for any other, in `step.dimension` dimensions,
// rounded onto step.grid.
struct Perturbation {
  Vector value = {};
  // ‖value − the ideal draw‖₂ ≤ rounding + u·‖value‖, surely: half a cell in each coordinate, and beyond 2^53
  // cells the rounding to a double.
  double rounding = 0;
};
TACIT_API double perturbation_grid(double scale);
TACIT_API double perturbation_rounding(double grid, std::size_t dimension);
TACIT_API Perturbation perturb(const Step& step, Meter& meter);

// A sample of an ideal mechanism. The caller has proved that the ideal's real-valued sample costs
// `step.event`, and that `draw` returns that sample with each coordinate rounded, exactly, to the nearest
// multiple of step.grid: post-processing, so that nothing is left to cover. `draw` runs after the charge.
TACIT_API Released<Vector> sample_exactly(const Step& step, const std::function<Vector(BitSource&)>& draw,
                                          Meter& meter);

// Released as it is. The meter accepts this only where no privacy was promised.
TACIT_API Released<Vector> open(const Sensitive<Vector>& x, Meter& meter);

// How running sums of a stream are released.
enum class PrefixKind {
  // The square-root factorisation of the prefix-sum matrix [docs/mechanisms.md]: A^{1/2} = Toeplitz(f),
  // f₀ = 1, f_k = f_{k−1}(1 − 1/2k). Releases y = A^{1/2}x + z; the sums are A^{1/2}y. Keeps a vector a step.
  square_root,
  // Binary tree [Dwork et al. 2010; Chan et al. 2011]: a record is in at most ⌊log₂ steps⌋+1 nodes. Keeps
  // log₂ steps vectors.
  tree,
};
TACIT_API std::string_view name(PrefixKind prefix);

}  // namespace tacit::inline v1::noise
