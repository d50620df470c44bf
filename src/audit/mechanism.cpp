#include "tacit/audit/mechanism.hpp"

#include "tacit/noise/mechanisms.hpp"
#include "tacit/privacy/accounting/conversions.hpp"

namespace tacit::inline v1::audit {

namespace {

constexpr double range = 16;    // public bound on every value below
constexpr double apart = 1;     // the true distance between the two values: the true sensitivity
constexpr double epsilon = 1;   // of the pure mechanisms
constexpr double mu = 1;        // of the Gaussian one
constexpr double delta = 0.01;  // at which the Gaussian one is audited

// A meter that lets a control pass: what is audited is the claim of the row, not this budget.
Meter generous_meter(Guarantee limit, BitSource& bits) { return Meter({.limit = std::move(limit)}, bits); }
Meter pure_meter(BitSource& bits) { return generous_meter(Pure{1e9}, bits); }

Sensitivity told(const Knobs& knobs, Norm norm) {
  return {
      .value = apart * knobs.sensitivity, .slack = 0, .norm = norm, .reason = "the two values differ by 1"};
}

// Two values at distance `apart`: 0, and one along the diagonal.
Vector value(Side side, Eigen::Index dimension) {
  const double size = side == Side::first ? 0 : apart / std::sqrt(static_cast<double>(dimension));
  return Vector::Constant(dimension, size);
}

Sensitive<Vector> sensitive(Side side, const Knobs& knobs, Eigen::Index dimension) {
  return {value(side, dimension), told(knobs, Norm::l2), Neighbours::replace_one};
}

Vector without_noise(Side side, const Knobs& knobs, Eigen::Index dimension, BitSource& bits) {
  Meter meter = generous_meter(NoPrivacy{}, bits);
  return noise::open(sensitive(side, knobs, dimension), meter).value();
}

Vector run_laplace(Side side, const Knobs& knobs, BitSource& bits) {
  if (knobs.noise == 0) return without_noise(side, knobs, 1, bits);
  Meter meter = pure_meter(bits);
  const Sensitive<double> x(value(side, 1)[0], told(knobs, Norm::l1), Neighbours::replace_one);
  const double scale = noise::scale_for(x.sensitivity(), Pure{epsilon}) * knobs.noise;
  return Vector::Constant(1, noise::laplace(x, scale, range, meter).value());
}

Vector run_isotropic_laplace(Side side, const Knobs& knobs, BitSource& bits) {
  constexpr Eigen::Index dimension = 3;
  if (knobs.noise == 0) return without_noise(side, knobs, dimension, bits);
  Meter meter = pure_meter(bits);
  const Sensitive<Vector> x = sensitive(side, knobs, dimension);
  const double scale = noise::scale_for(x.sensitivity(), Pure{epsilon}) * knobs.noise;
  return noise::isotropic_laplace(x, scale, range, meter).value();
}

Vector run_gaussian(Side side, const Knobs& knobs, BitSource& bits) {
  constexpr Eigen::Index dimension = 3;
  if (knobs.noise == 0) return without_noise(side, knobs, dimension, bits);
  Meter meter = generous_meter(Gaussian{1e6}, bits);
  const Sensitive<Vector> x = sensitive(side, knobs, dimension);
  return noise::gaussian(x, x.sensitivity().total() / mu * knobs.noise, range, meter).value();
}

// The ideal sample is the same for both neighbours; what was computed lies as far from it as is allowed, on
// opposite sides.
Vector run_eraser(Side side, const Knobs& knobs, BitSource& bits) {
  constexpr Eigen::Index dimension = 2;
  if (knobs.noise == 0) return without_noise(side, knobs, dimension, bits);
  Meter meter = pure_meter(bits);
  const double distance = apart / 2 * knobs.sensitivity;
  const Ideal<Vector> x(value(side, dimension), distance, "half of the distance between the two");
  return noise::erase(x, Pure{epsilon / knobs.noise}, range, meter).value();
}

// Objective perturbation of ½‖w‖² + ⟨g,w⟩, where g is the data's: w = −(g + b), with constant Jacobian. g is
// a multiple of b's grid, so that w is computed exactly: a rounded sum would give the two away by its last
// bits, which is what the eraser is for.
Vector run_perturb(Side side, const Knobs& knobs, BitSource& bits) {
  constexpr Eigen::Index dimension = 2;
  const Vector g =
      side == Side::first ? Vector(Vector::Zero(dimension)) : Vector(apart * Vector::Unit(dimension, 0));
  if (knobs.noise == 0) return -g;
  Meter meter = pure_meter(bits);
  const Sensitivity sensitivity = told(knobs, Norm::l2);
  const double scale = noise::scale_for(sensitivity, Pure{epsilon}) * knobs.noise;
  const Step step{.mechanism = "objective-perturbation",
                  .event = PureEvent{noise::epsilon_of(sensitivity, scale)},
                  .sensitivity = sensitivity,
                  .scale = scale,
                  .grid = noise::perturbation_grid(scale),
                  .dimension = dimension};
  return -(g + noise::perturb(step, meter).value);
}

}  // namespace

std::span<const AuditedMechanism> audited_mechanisms() {
  static const std::vector<AuditedMechanism> table = {
      {"laplace", {epsilon, 0}, run_laplace},
      {"isotropic-laplace", {epsilon, 0}, run_isotropic_laplace},
      {"gaussian", {gaussian_epsilon(mu, delta), delta}, run_gaussian},
      {"eraser", {epsilon, 0}, run_eraser},
      {"objective-perturbation", {epsilon, 0}, run_perturb},
  };
  return table;
}

BlackBoxResult audit_mechanism(const AuditedMechanism& mechanism, const Knobs& knobs,
                               const BlackBoxOptions& options) {
  const auto on = [&](Side side) {
    return [&, side](BitSource& bits) { return mechanism.run(side, knobs, bits); };
  };
  return black_box(on(Side::first), on(Side::second), mechanism.claim.delta, options);
}

}  // namespace tacit::inline v1::audit
