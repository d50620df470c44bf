#include "noise/gaussian_steps.hpp"

#include "noise/mechanism.hpp"
#include "noise/samplers.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"

namespace tacit::inline v1::noise {

Step GaussianSteps::plan(std::uint64_t steps, double mu, const Sensitivity& sensitivity, double range,
                         std::size_t dimension) {
  constexpr std::uint64_t most = 1'000'000'000;
  if (steps == 0 || steps > most) throw_error<UsageError>("steps is {}, expected 1 to {}", steps, most);
  validate(Guarantee(Gaussian{mu}));
  constexpr double least = 0x1p-1000;  // as scale_for has it
  if (mu < least)
    throw_error<UsageError>("mu is {}, too small for any noise, expected at least {}", mu, least);
  const double root = sqrt_up(static_cast<double>(steps)), total = checked_total(sensitivity);
  double sigma = div_up(mul_up(root, total), mu);
  while (mul_up(root, div_up(total, sigma)) > mu) sigma = next_up(sigma);
  Step step = plan_gaussian(sensitivity, sigma, range, dimension);
  step.mechanism = "gaussian-steps";
  step.event = GaussianEvent{mul_up(root, div_up(total, sigma))};
  return step;
}

GaussianSteps::GaussianSteps(std::uint64_t steps, double mu, const Sensitivity& sensitivity, double range,
                             std::size_t dimension, Meter& meter)
    : step_(plan(steps, mu, sensitivity, range, dimension)), left_(steps), range_(range), meter_(&meter) {
  meter.charge(step_);
}

Released<Vector> GaussianSteps::release(const Sensitive<Vector>& x) {
  if (left_ == 0) throw_error<UsageError>("all steps that were paid for have been taken");
  require_same_terms(x, *meter_);
  const Vector& opened = Mechanism::open(x);
  if (static_cast<std::size_t>(opened.size()) != step_.dimension)
    throw_error<UsageError>("a vector of dimension {} is released, expected {}", opened.size(),
                            step_.dimension);
  require_l2(x.sensitivity(), step_.dimension);
  if (!(checked_total(x.sensitivity()) <= step_.sensitivity.total()))
    throw_error<UsageError>("a vector of sensitivity {} is released, but {} was paid for",
                            x.sensitivity().total(), step_.sensitivity.total());
  const std::span<const double> values(opened.data(), step_.dimension);
  Mechanism::show(*meter_, step_, values);
  Vector out(opened.size());
  add_gaussian(values, step_.scale, Lattice{step_.grid, range_}, meter_->bits(),
               {out.data(), step_.dimension});
  --left_;
  return Mechanism::release(std::move(out));
}

}  // namespace tacit::inline v1::noise
