#include <cmath>

#include "audit/black_box/mechanism_rows.hpp"
#include "noise/counts.hpp"
#include "noise/frequent.hpp"
#include "privacy/accounting/conversions.hpp"
#include "tacit/mechanisms.hpp"

namespace tacit::inline v1::audit {

namespace {

// Two values at distance 1: zero, and one along the diagonal.
Vector value(Side side, Eigen::Index dimension) {
  const double entry = side == Side::first ? 0 : 1 / std::sqrt(static_cast<double>(dimension));
  return Vector::Constant(dimension, entry);
}

Sensitive<Vector> sensitive(Side side, const Knobs& knobs, Eigen::Index dimension) {
  return {value(side, dimension), told(knobs, Norm::l2), Neighbours::replace_one};
}

double laplace_scale(const Sensitivity& sensitivity, const Knobs& knobs) {
  return noise::scale_for(sensitivity, Pure{row_epsilon}) * knobs.noise;
}

Vector run_laplace(Side side, const Knobs& knobs, BitSource& bits) {
  if (knobs.noise == 0) return value(side, 1);
  RootMeter meter = open_meter(bits);
  const Sensitive<double> x(value(side, 1)[0], told(knobs, Norm::l1), Neighbours::replace_one);
  return Vector::Constant(1,
                          noise::laplace(x, laplace_scale(x.sensitivity(), knobs), row_range, meter).value());
}

// One of three counts is 1 higher; told half the sensitivity, it is 1 higher all the same.
Vector run_geometric(Side side, const Knobs& knobs, BitSource& bits) {
  const Vector x = Vector{{side == Side::first ? 3.0 : 4.0, 2, 0}};
  if (knobs.noise == 0) return x;
  RootMeter meter = open_meter(bits);
  const Sensitive<Vector> counts(x, told(knobs, Norm::l1), Neighbours::replace_one);
  return noise::geometric(counts, Pure{row_epsilon / knobs.noise}, row_range, meter).value();
}

// Both numbers move, by 1 in sum.
Vector run_laplace_vector(Side side, const Knobs& knobs, BitSource& bits) {
  const Vector x = side == Side::first ? Vector{{0, 0}} : Vector{{0.875, -0.125}};
  if (knobs.noise == 0) return x;
  RootMeter meter = open_meter(bits);
  const Sensitive<Vector> numbers(x, told(knobs, Norm::l1), Neighbours::replace_one);
  return noise::laplace_vector(numbers, laplace_scale(numbers.sensitivity(), knobs), row_range, meter)
      .value();
}

Vector run_isotropic_laplace(Side side, const Knobs& knobs, BitSource& bits) {
  constexpr Eigen::Index dimension = 3;
  if (knobs.noise == 0) return value(side, dimension);
  RootMeter meter = open_meter(bits);
  const Sensitive<Vector> x = sensitive(side, knobs, dimension);
  return noise::isotropic_laplace(x, laplace_scale(x.sensitivity(), knobs), row_range, meter).value();
}

Vector run_gaussian(Side side, const Knobs& knobs, BitSource& bits) {
  constexpr Eigen::Index dimension = 3;
  if (knobs.noise == 0) return value(side, dimension);
  RootMeter meter = open_meter(bits);
  const Sensitive<Vector> x = sensitive(side, knobs, dimension);
  return noise::gaussian(x, x.sensitivity().total() / row_mu * knobs.noise, row_range, meter).value();
}

// Two texts that many have; one person more has the first.
Vector run_frequent(Side side, const Knobs& knobs, BitSource& bits) {
  const double first = side == Side::first ? 8 : 9, second = 5;
  if (knobs.noise == 0) return Vector{{first, second}};
  RootMeter meter = open_meter(bits);
  const Sensitive<noise::TextCounts> counts({{"first", first}, {"second", second}}, told(knobs, Norm::l2),
                                            Neighbours::replace_one);
  const double sigma = counts.sensitivity().total() / row_mu * knobs.noise;
  const Released<noise::TextCounts> left = noise::frequent(counts, sigma, row_range, row_delta / 2, meter);
  Vector seen = Vector::Zero(2);  // 0: it did not leave
  for (const auto& [text, count] : left.value()) seen[text == "first" ? 0 : 1] = count;
  return seen;
}

// The ideal sample is the same for both neighbours, halfway between the two values: what was computed lies as
// far from it as is allowed, on opposite sides.
Vector run_cover(Side side, const Knobs& knobs, BitSource& bits) {
  constexpr Eigen::Index dimension = 2;
  if (knobs.noise == 0) return value(side, dimension);
  RootMeter meter = open_meter(bits);
  const Ideal<Vector> x(value(side, dimension), 0.5 * knobs.sensitivity,
                        "half of the distance between the two");
  return noise::cover(x, Pure{row_epsilon / knobs.noise}, row_range, meter).value();
}

// Objective perturbation of ½‖w‖² + ⟨g,w⟩, where g is the data's: w = −(g + b), with constant Jacobian. g is
// a multiple of b's grid, so that w is computed exactly: a rounded sum would give the two away by its last
// bits, which is what the noise cover is for.
Vector run_perturb(Side side, const Knobs& knobs, BitSource& bits) {
  constexpr Eigen::Index dimension = 2;
  const Vector g = side == Side::first ? Vector(Vector::Zero(dimension)) : Vector(Vector::Unit(dimension, 0));
  if (knobs.noise == 0) return -g;
  RootMeter meter = open_meter(bits);
  const Sensitivity sensitivity = told(knobs, Norm::l2);
  const double scale = laplace_scale(sensitivity, knobs);
  const Step step{.mechanism = "objective-perturbation",
                  .event = PureEvent{noise::epsilon_of(sensitivity, scale)},
                  .sensitivity = sensitivity,
                  .scale = scale,
                  .grid = noise::perturbation_grid(scale),
                  .dimension = dimension};
  return -(g + noise::perturb(step, meter).value);
}

}  // namespace

std::vector<AuditedMechanism> noise_rows() {
  return {{"laplace", {row_epsilon, 0}, run_laplace},
          {"laplace-vector", {row_epsilon, 0}, run_laplace_vector},
          {"geometric", {row_epsilon, 0}, run_geometric},
          {"isotropic-laplace", {row_epsilon, 0}, run_isotropic_laplace},
          {"gaussian", {gaussian_epsilon(row_mu, row_delta), row_delta}, run_gaussian},
          {"frequent-texts", {gaussian_epsilon(row_mu, row_delta), row_delta}, run_frequent},
          {"noise-cover", {row_epsilon, 0}, run_cover},
          {"objective-perturbation", {row_epsilon, 0}, run_perturb}};
}

}  // namespace tacit::inline v1::audit
