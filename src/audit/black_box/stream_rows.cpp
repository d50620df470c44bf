#include <cmath>

#include "audit/black_box/mechanism_rows.hpp"
#include "noise/gaussian_steps.hpp"
#include "noise/poisson_gaussian.hpp"
#include "noise/prefix_sums.hpp"
#include "privacy/accounting/conversions.hpp"
#include "tacit/account.hpp"

namespace tacit::inline v1::audit {

namespace {

// Four increments of which the first differs. Out come all the sums.
template <noise::PrefixKind kind>
Vector run_prefix_sums(Side side, const Knobs& knobs, BitSource& bits) {
  constexpr Eigen::Index steps = 4;
  const double first = side == Side::first ? 0 : 1;
  if (knobs.noise == 0) return Vector::Constant(steps, first);
  RootMeter meter = open_meter(bits);
  const Sensitivity sensitivity = told(knobs, Norm::l2);
  const double sigma =
      sensitivity.total() * std::sqrt(noise::prefix_norm_squared(kind, steps)) / row_mu * knobs.noise;
  noise::PrefixSums sums(kind, steps, 1, sensitivity, sigma, row_range, meter);
  Vector out(steps);
  for (Eigen::Index t = 0; t < steps; ++t) {
    const Vector increment = Vector::Constant(1, t == 0 ? first : 0);
    out[t] = sums.add({increment, sensitivity, Neighbours::replace_one}).value()[0];
  }
  return out;
}

// Three vectors, each of which moves by the sensitivity.
Vector run_gaussian_steps(Side side, const Knobs& knobs, BitSource& bits) {
  constexpr std::uint64_t steps = 3;
  const double value = side == Side::first ? 0 : 1;
  if (knobs.noise == 0) return Vector::Constant(steps, value);
  RootMeter meter = open_meter(bits);
  const Sensitivity sensitivity = told(knobs, Norm::l2);
  noise::GaussianSteps mechanism(steps, row_mu / knobs.noise, sensitivity, row_range, 1, meter);
  Vector out(steps);
  for (double& released : out)
    released =
        mechanism.release({Vector::Constant(1, value), sensitivity, Neighbours::replace_one}).value()[0];
  return out;
}

// Steps of a sum to which one record may add 1, if it joins.
constexpr PoissonGaussianEvent sampled{.noise_multiplier = 1, .rate = 0.5, .steps = 2};

Vector run_poisson_gaussian(Side side, const Knobs& knobs, BitSource& bits) {
  const std::size_t records = side == Side::first ? 0 : 1;
  if (knobs.noise == 0) return Vector::Constant(sampled.steps, static_cast<double>(records));
  RootMeter meter({.limit = NoPrivacy{}, .neighbours = Neighbours::add_remove}, bits);
  const Sensitivity sensitivity = told(knobs, Norm::l2);
  PoissonGaussianEvent event = sampled;
  event.noise_multiplier *= knobs.noise;
  noise::PoissonGaussian mechanism(noise::PoissonGaussian::plan(event, sensitivity, row_range, 1), row_range,
                                   meter);
  Vector out(sampled.steps);
  for (double& released : out) {
    const Vector sum = Vector::Constant(1, static_cast<double>(mechanism.draw(records).size()));
    released = mechanism.release({sum, sensitivity, Neighbours::add_remove}).value()[0];
  }
  return out;
}

}  // namespace

std::vector<AuditedMechanism> stream_rows() {
  // The grid of the increments takes a little of the sensitivity: the claim leaves room for it.
  const Claim claim{gaussian_epsilon(row_mu * 1.001, row_delta), row_delta};
  return {{"prefix-sums-square-root", claim, run_prefix_sums<noise::PrefixKind::square_root>},
          {"prefix-sums-tree", claim, run_prefix_sums<noise::PrefixKind::tree>},
          {"gaussian-steps", claim, run_gaussian_steps},
          {"poisson-gaussian",
           {account_poisson_gaussian(sampled.noise_multiplier, sampled.rate, sampled.steps, row_delta)
                .epsilon_upper,
            row_delta},
           run_poisson_gaussian}};
}

}  // namespace tacit::inline v1::audit
