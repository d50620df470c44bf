#include "algorithm/intervals/fit_noise.hpp"

#include <cmath>

#include "tacit/core.hpp"
#include "tacit/method.hpp"

namespace tacit::inline v1::intervals {

NoiseMoments NoiseMoments::gaussian(double sigma) {
  NoiseMoments noise;
  noise.scale_ = sigma * sigma;
  return noise;
}

// Density ∝ exp(−‖z‖₂/s): E‖z‖² = s²p(p+1), and in every direction z is √V·N with V/s² a χ² variable with
// p + 1 degrees.
NoiseMoments NoiseMoments::isotropic_laplace(double scale, std::size_t dimension) {
  NoiseMoments noise;
  const double degrees = static_cast<double>(dimension) + 1;
  noise.scale_ = scale * scale * degrees;
  noise.excess_ = 6 / degrees;
  return noise;
}

NoiseMoments NoiseMoments::shaped(double scale, const FeatureBlocks& blocks) {
  NoiseMoments noise;
  noise.scale_ = scale;
  noise.blocks_ = blocks;
  return noise;
}

namespace {

// z = β·T·U, T ~ Gamma(p+1) and U uniform in the product of the blocks' ℓ1 balls [docs/shaped_noise.md]. In a
// block of k features with bound ρ the absolute values are ρ times entries of a flat Dirichlet law: E x⁴ =
// 24/m₄, E x²y² = 4/m₄ and E x² = 2/m₂, m₂ = (k+1)(k+2), m₄ = m₂(k+3)(k+4).
struct ShapedMoments {
  double second = 0, fourth = 0;
};
ShapedMoments shaped_moments(double scale, const FeatureBlocks& blocks, const Vector& u) {
  double second = 0, cumulant = 0;
  Eigen::Index first = 0;
  for (const FeatureBlock& block : blocks.list()) {
    const double k = static_cast<double>(block.size), rho2 = block.bound * block.bound;
    const double m2 = (k + 1) * (k + 2), m4 = m2 * (k + 3) * (k + 4);
    const auto part = u.segment(first, static_cast<Eigen::Index>(block.size)).array();
    const double squares = part.square().sum(), fourths = part.pow(4).sum();
    const double two = rho2 * 2 * squares / m2;
    const double four = rho2 * rho2 * (24 * fourths + 12 * (squares * squares - fourths)) / m4;
    second += two;
    cumulant += four - 3 * two * two;  // of independent parts they add up
    first += static_cast<Eigen::Index>(block.size);
  }
  const double p = static_cast<double>(blocks.features()), beta2 = scale * scale;
  const double t2 = (p + 1) * (p + 2), t4 = t2 * (p + 3) * (p + 4);
  return {beta2 * t2 * second, beta2 * beta2 * t4 * (cumulant + 3 * second * second)};
}

}  // namespace

double NoiseMoments::variance(const Vector& u) const {
  return blocks_.empty() ? scale_ * u.squaredNorm() : shaped_moments(scale_, blocks_, u).second;
}

double NoiseMoments::fourth_cumulant(const Vector& u) const {
  if (blocks_.empty()) return excess_ * std::pow(variance(u), 2);
  const ShapedMoments moments = shaped_moments(scale_, blocks_, u);
  return moments.fourth - 3 * moments.second * moments.second;
}

FitNoise fit_noise(const std::string& method, const Facts& options, const std::vector<Step>& steps) {
  const auto added = [](const Step& step) {
    return step.mechanism == "gaussian" ? NoiseMoments::gaussian(step.scale)
                                        : NoiseMoments::isotropic_laplace(step.scale, step.dimension);
  };
  if (noise_entry(method) == NoiseEntry::parameters && steps.size() == 1)
    return {std::nullopt, added(steps[0])};
  if (noise_entry(method) != NoiseEntry::objective || steps.size() != 2)
    throw_error<VerificationError>("the law of the noise in a model of {} is not known", method);
  const Step& b = steps[0];
  const NoiseMoments inside =
      options.has("feature_blocks")
          ? NoiseMoments::shaped(b.scale, FeatureBlocks::parse(options.text("feature_blocks")))
      : std::holds_alternative<GaussianObjectiveEvent>(b.event)
          ? NoiseMoments::gaussian(b.scale)
          : NoiseMoments::isotropic_laplace(b.scale, b.dimension);
  return {inside, added(steps[1])};
}

}  // namespace tacit::inline v1::intervals
