#include <algorithm>
#include <cmath>
#include <string_view>

#include "noise/mechanism.hpp"
#include "noise/samplers.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"

// What each mechanism charges, from public values alone.

namespace tacit::inline v1::noise {

namespace {

// The least double ≥ a/b, for a ≥ 0, b > 0: fma tells on which side the rounded quotient lies.
double quotient_up(double a, double b) {
  const double quotient = a / b;
  // Below 2^−900 the remainder may underflow: take a step in any case.
  if (a != 0 && !(a >= 0x1p-900 && b >= 0x1p-900 && quotient >= 0x1p-900)) return next_up(quotient);
  return std::fma(quotient, b, -a) >= 0 ? quotient : next_up(quotient);
}

double finite_epsilon(double epsilon, double scale) {
  if (!std::isfinite(epsilon))
    throw_error<UsageError>("the noise scale is {}, too small for the sensitivity", scale);
  return epsilon;
}

}  // namespace

double checked_total(const Sensitivity& sensitivity) {
  const double total = sensitivity.total();
  if (!(sensitivity.value >= 0 && sensitivity.slack >= 0 && std::isfinite(total)))
    throw_error<UsageError>("the sensitivity is {} with slack {}, expected finite numbers >= 0",
                            sensitivity.value, sensitivity.slack);
  return total;
}

void require_l2(const Sensitivity& sensitivity, std::size_t dimension) {
  if (dimension == 0) throw_error<UsageError>("the dimension is 0, expected at least 1");
  if (sensitivity.norm == Norm::linf && dimension > 1)
    throw_error<UsageError>("the sensitivity is in the max norm; this noise needs one in l2");
  if (sensitivity.norm == Norm::gauge)
    throw_error<UsageError>("the sensitivity is in the gauge of blocks; this noise needs one in l2");
}

double epsilon_of(const Sensitivity& sensitivity, double scale) {
  return finite_epsilon(quotient_up(checked_total(sensitivity), scale), scale);
}

double scale_for(const Sensitivity& sensitivity, Pure target) {
  validate(Guarantee(target));
  const double total = checked_total(sensitivity);
  if (!(total > 0)) throw_error<UsageError>("the sensitivity is 0, for which there is no noise scale");
  // Below, a quotient has no 53 digits any more, and no step of the scale might bring it down.
  constexpr double least = 0x1p-1000;
  if (target.epsilon < least)
    throw_error<UsageError>("epsilon is {}, too small for any noise, expected at least {}", target.epsilon,
                            least);
  double scale = total / target.epsilon;
  while (quotient_up(total, scale) > target.epsilon) scale = next_up(scale);
  return scale;
}

Step plan_isotropic_laplace(const Sensitivity& sensitivity, double scale, double range,
                            std::size_t dimension) {
  require_l2(sensitivity, dimension);
  const Lattice lattice = lattice_for(scale, range);
  return {.mechanism = "isotropic-laplace",
          .event = IsotropicLaplaceEvent{epsilon_of(sensitivity, scale), dimension},
          .sensitivity = sensitivity,
          .scale = scale,
          .grid = lattice.grid,
          .dimension = dimension};
}

Step plan_laplace(const Sensitivity& sensitivity, double scale, double range) {
  const Lattice lattice = lattice_for(scale, range);
  return {.mechanism = "laplace",
          .event = LaplaceEvent{epsilon_of(sensitivity, scale)},
          .sensitivity = sensitivity,
          .scale = scale,
          .grid = lattice.grid,
          .dimension = 1};
}

Step plan_gaussian(const Sensitivity& sensitivity, double sigma, double range, std::size_t dimension) {
  require_l2(sensitivity, dimension);
  const Lattice lattice = lattice_for(sigma, range);
  return {.mechanism = "gaussian",
          .event = GaussianEvent{epsilon_of(sensitivity, sigma)},  // mu = Δ/sigma
          .sensitivity = sensitivity,
          .scale = sigma,
          .grid = lattice.grid,
          .dimension = dimension};
}

Step plan_cover(double distance, Pure epsilon, double range, std::size_t dimension) {
  if (!(distance > 0 && distance <= 0x1p900))
    throw_error<UsageError>("the distance is {}, expected 0 < distance <= 2^900", distance);
  // [Lin24, Thm 2]: two computed points that stand for one exact sample are within 2·distance of each other.
  const Sensitivity sensitivity{.value = 2 * distance,
                                .slack = 0,
                                .norm = Norm::l2,
                                .reason = "[Lin24, Thm 2]: twice the certified distance to the ideal sample"};
  Step step = plan_isotropic_laplace(sensitivity, scale_for(sensitivity, epsilon), range, dimension);
  step.mechanism = "noise-cover";
  return step;
}

// 2^−34 of the scale: what rounding b does to the minimiser must be small beside the solver's own distance.
double perturbation_grid(double scale) {
  return std::max(std::ldexp(lattice_for(scale, 0).grid, -14), 0x1p-1022);
}

double perturbation_rounding(double grid, std::size_t dimension) {
  // Half a cell in each coordinate; the grid is a power of two, so halving is exact.
  return mul_up(grid / 2, sqrt_up(static_cast<double>(dimension)));
}

}  // namespace tacit::inline v1::noise
