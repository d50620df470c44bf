#include "model/noise_law.hpp"

#include <cmath>
#include <limits>

#include "algorithm/intervals/mixture.hpp"
#include "tacit/method.hpp"

namespace tacit::inline v1 {

// A density ∝ exp(−‖z‖₂) on ℝᵖ is a mixture of normals with p + 1 degrees, of variance p + 1 in every
// direction.
double NoiseLaw::half_width(double level) const {
  if (gaussian) return scale * intervals::mixture_half_width(level, std::numeric_limits<double>::infinity());
  const double degrees = static_cast<double>(dimension) + 1;
  return scale * std::sqrt(degrees) * intervals::mixture_half_width(level, degrees);
}

KnownNoise known_noise(const FittedModel& model) {
  const Certificate& c = model.certificate;
  if (std::holds_alternative<NoPrivacy>(c.guarantee)) return {{}, "the model was fitted without noise"};
  // Output perturbation, and nothing after it, neither a change of scale nor a projection.
  const bool output = noise_entry(c.method) == NoiseEntry::parameters && c.steps.size() == 1 &&
                      !c.options.has("limits") && !c.options.has("domain");
  if (output) {
    const Step& step = c.steps.front();
    const bool gaussian = step.mechanism == "gaussian";
    if ((gaussian || step.mechanism == "isotropic-laplace") &&
        step.dimension == static_cast<std::size_t>(model.parameters.size()))
      return {NoiseLaw{gaussian, step.scale, step.dimension}, ""};
  }
  return {
      {},
      c.method + " does not add its noise to the curve itself; what becomes of it depends on the records"};
}

}  // namespace tacit::inline v1
