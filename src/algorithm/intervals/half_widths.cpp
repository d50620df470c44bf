#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithm/intervals/fit_noise.hpp"
#include "algorithm/intervals/intervals.hpp"
#include "algorithm/intervals/mixture.hpp"
#include "algorithm/intervals/weight.hpp"
#include "core/symmetric.hpp"
#include "solver/record_moments.hpp"
#include "tacit/core.hpp"

// Notation [docs/intervals.md]: H = Σφ''aaᵀ, G = Σφ'²aaᵀ at the released parameters, Λ = nλ.

namespace tacit::inline v1::intervals {

namespace {

// The deviation of noise in one direction.
double deviation_of(const Step& step) {
  if (step.mechanism == "gaussian") return step.scale;
  return step.scale * std::sqrt(static_cast<double>(step.dimension) + 1);
}

// The noisy sums as matrices, in units of the loss, with the deviation of the noise in each.
struct Noisy {
  Matrix matrix;
  double deviation = 0;  // of ⟨v, Ev⟩ for any v of length 1
};

// (Ĥ − what noise added)₊ + Λ. The eigenvalues of symmetric noise E alone reach e = √(2p)·deviation. One
// below e says nothing: 0. One above it was larger by e²/4h when it was h [spiked Wigner matrices: Péché
// 2006].
struct Hessian {
  Matrix matrix;
  std::size_t hidden = 0;  // eigenvalues that say nothing
};
Hessian hessian_from(const Noisy& noisy, double strength) {
  const double edge = std::sqrt(2.0 * static_cast<double>(noisy.matrix.rows())) * noisy.deviation;
  const SymmetricEigen solved = symmetric_eigen(noisy.matrix);
  Vector values = solved.values;
  const auto hidden = std::ranges::count_if(values, [&](double x) { return !(x > edge); });
  for (double& x : values) x = strength + (x > edge ? (x + std::sqrt((x - edge) * (x + edge))) / 2 : 0.0);
  return {solved.vectors * values.asDiagonal() * solved.vectors.transpose(),
          static_cast<std::size_t>(hidden)};
}

struct Spread {
  double variance = 0, fourth_cumulant = 0;

  Spread& operator+=(const Spread& other) {
    variance += other.variance;
    fourth_cumulant += other.fourth_cumulant;
    return *this;
  }
  // The mixture of normals with this variance and kurtosis.
  double half_width(double level) const {
    const double excess = fourth_cumulant / (variance * variance);
    const double degrees = excess > 0 ? std::max(2.0, 6 / excess) : std::numeric_limits<double>::infinity();
    return std::sqrt(variance) * mixture_half_width(level, degrees);
  }
};

Spread spread_of(const NoiseMoments& noise, const Vector& direction) {
  return {noise.variance(direction), noise.fourth_cumulant(direction)};
}

// Of ⟨g, w⟩ by the noise of the fit.
Spread noise_spread(const FitNoise& noise, const Matrix& inverse, const Vector& g) {
  Spread spread = spread_of(noise.direct, g);
  if (noise.inside) spread += spread_of(*noise.inside, inverse * g);
  return spread;
}

}  // namespace

Widths::Widths(const Plan& plan, const Fit& fit, const Vector& released)
    : noise_(fit_noise(fit.method, fit.options, fit.steps)) {
  const double deviation = deviation_of(plan.step), q = plan.limits.curvature;
  const double c2 = std::pow(plan.limits.gradient_norm(), 2) / variation_weight;
  const Noisy curvature{q * from_triangle(released.data(), plan.features), q * deviation};
  variation_ = c2 * from_triangle(released.data() + triangle_size(plan.features), plan.features);
  variation_deviation_ = c2 * deviation;
  const Hessian hessian = hessian_from(curvature, plan.strength);
  inverse_ = pivoted_inverse(hessian.matrix);
  hidden_ = hessian.hidden;
}

double Widths::minimiser(const Vector& g, double level) const {
  return noise_spread(noise_, inverse_, g).half_width(level);
}

double Widths::population(const Vector& g, double level) const {
  Spread spread = noise_spread(noise_, inverse_, g);
  const Vector u = inverse_ * g;
  // What the records' choice adds is not below the noise of its own measurement.
  spread.variance += std::max(u.dot(variation_ * u), variation_deviation_ * u.squaredNorm());
  return spread.half_width(level);
}

HalfWidths half_widths(const Plan& plan, const Fit& fit, const Vector& released, double level) {
  const auto p = static_cast<Eigen::Index>(plan.features);
  const Widths widths(plan, fit, released);
  HalfWidths half{Vector(p), Vector(p)};
  for (Eigen::Index j = 0; j < p; ++j) {
    half.minimiser[j] = widths.minimiser(Vector::Unit(p, j), level);
    half.population[j] = widths.population(Vector::Unit(p, j), level);
  }
  return half;
}

}  // namespace tacit::inline v1::intervals
