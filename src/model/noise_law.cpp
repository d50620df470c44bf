#include "model/noise_law.hpp"

#include <cmath>
#include <limits>

#include "algorithm/intervals/mixture.hpp"
#include "data/plane.hpp"
#include "model/verify_ranges.hpp"
#include "tacit/core.hpp"
#include "tacit/method.hpp"
#include "tacit/problem.hpp"

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

namespace {

// Those of the fit itself, where ranges or intervals were found beside it.
const std::vector<Step>& steps_of_fit(const std::vector<Step>& steps) {
  for (const Step& step : steps)
    if (step.mechanism == fit_step) return steps_of_fit(step.inner);
  return steps;
}

// E z_l² of noise that has the same law in every direction.
double coordinate_square(const Step& step) {
  const bool gaussian =
      step.mechanism == "gaussian" || std::holds_alternative<GaussianObjectiveEvent>(step.event);
  return step.scale * step.scale * (gaussian ? 1 : static_cast<double>(step.dimension) + 1);
}

// E b_l² for every feature.
std::vector<double> squares_of_objective(const Step& step, const Facts& options, const Shape& shape) {
  if (step.sensitivity.norm != Norm::gauge)
    return std::vector<double>(shape.features, coordinate_square(step));
  const FeatureBlocks blocks = FeatureBlocks::parse(options.text("feature_blocks"));
  if (blocks.features() != shape.features)
    throw_error<VerificationError>("the certificate states blocks of {} features, and {} features",
                                   blocks.features(), shape.features);
  const std::vector<double> squares = coordinate_mean_squares(blocks, shape.outputs);
  std::vector<double> found;
  for (std::size_t j = 0; j < squares.size(); ++j)
    found.insert(found.end(), blocks.list()[j].size, squares[j] * step.scale * step.scale);
  return found;
}

}  // namespace

AbsentNoise absent_noise(const Certificate& c, std::size_t features) {
  if (std::holds_alternative<NoPrivacy>(c.guarantee)) return {{}, "the model was fitted without noise"};
  const std::vector<Step>& steps = steps_of_fit(c.steps);
  const NoiseEntry entry = noise_entry(c.method);
  const bool inside =
      entry == NoiseEntry::objective && steps.size() == 2 && steps[0].mechanism == "objective-perturbation";
  const bool outside = entry == NoiseEntry::parameters && steps.size() == 1;
  if ((!inside && !outside) || c.options.has("limits") || c.options.has("domain"))
    return {{}, "of " + c.method + " it is not worked out from public values"};
  try {
    const Shape shape = shape_from(c.assumed_public);
    if (shape.features != features)
      throw_error<VerificationError>("the certificate states {} features, the model has {}", shape.features,
                                     features);
    AbsentNoise found{.of_features = std::vector<double>(shape.features, coordinate_square(steps.back())),
                      .unknown = ""};
    if (inside) {
      const double strength = static_cast<double>(shape.records) * c.options.number("regularisation");
      const std::vector<double> squares = squares_of_objective(steps[0], c.options, shape);
      for (std::size_t l = 0; l < squares.size(); ++l)
        found.of_features[l] += squares[l] / (strength * strength);
    }
    for (double& square : found.of_features) square = std::sqrt(square);
    return found;
  } catch (const Error& error) {  // an edited file, of which `verify` tells what is wrong
    return {{}, error.what()};
  }
}

}  // namespace tacit::inline v1
