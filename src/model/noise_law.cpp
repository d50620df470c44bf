#include "model/noise_law.hpp"

#include <cmath>
#include <numbers>

#include "core/bisect.hpp"

namespace tacit::inline v1 {

namespace {

// P(|N| > t) of a standard normal.
double normal_tail(double t) { return std::erfc(t / std::numbers::sqrt2); }

// P(|z₁| > t) for density ∝ exp(−‖z‖₂) on ℝᵖ: z₁ has the law of χ·N, χ² with p + 1 degrees of freedom and N a
// standard normal. (Both have a density ∝ |t|^{p/2}·K_{p/2}(|t|).) The midpoint rule over χ².
double isotropic_tail(double t, std::size_t dimension) {
  constexpr int cells = 2000;
  constexpr double deviations = 12;
  const double degrees = static_cast<double>(dimension) + 1, deviation = std::sqrt(2 * degrees);
  const double from = std::max(0.0, degrees - deviations * deviation);
  const double width = (degrees + deviations * deviation + 40 - from) / cells;
  const double constant = std::lgamma(degrees / 2) + degrees / 2 * std::numbers::ln2;
  double sum = 0;
  for (int k = 0; k < cells; ++k) {
    const double v = from + (k + 0.5) * width;
    sum +=
        width * std::exp((degrees / 2 - 1) * std::log(v) - v / 2 - constant) * normal_tail(t / std::sqrt(v));
  }
  return sum;
}

}  // namespace

double NoiseLaw::half_width(double level) const {
  const auto tail = [&](double t) { return gaussian ? normal_tail(t) : isotropic_tail(t, dimension); };
  double high = 1;
  while (tail(high) > 1 - level) high *= 2;
  return scale * bisect(0, high, 1e-9, [&](double t) { return tail(t) <= 1 - level; }).first_true;
}

KnownNoise known_noise(const FittedModel& model) {
  const Certificate& c = model.certificate;
  if (std::holds_alternative<NoPrivacy>(c.guarantee)) return {{}, "the model was fitted without noise"};
  // Output perturbation, and nothing after it, neither a change of scale nor a projection.
  const bool output = c.method == "limited-output" && c.steps.size() == 1 && !c.options.has("limits") &&
                      !c.options.has("domain");
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
