#include "noise/frequent.hpp"

#include <cmath>

#include "core/bisect.hpp"
#include "noise/mechanism.hpp"
#include "noise/samplers.hpp"

namespace tacit::inline v1::noise {

double frequent_threshold(const Step& step, double failure) {
  if (!(failure > 0 && failure < 0.5))
    throw_error<UsageError>("the probability of a failure is {}, expected between 0 and 1/2", failure);
  // z with P(N > z) ≤ failure. The library's erfc is right to a few units in the last place: 2^−40 of room.
  const auto beyond = [&](double z) {
    return 0.5 * std::erfc(z / std::sqrt(2.0)) <= failure * (1 - 0x1p-40);
  };
  const double z = bisect(0, 40, 1e-12, beyond).first_true;
  // Rounded to the nearest multiple of the grid a number rises by half a cell at most.
  return add_up(add_up(1, mul_up(step.scale, z)), step.grid / 2);
}

Step plan_frequent(const Sensitivity& sensitivity, double sigma, double range) {
  Step step = plan_gaussian(sensitivity, sigma, range, 1);
  step.mechanism = "frequent-texts";
  step.dimension = 0;
  return step;
}

Released<TextCounts> frequent(const Sensitive<TextCounts>& counts, double sigma, double range, double failure,
                              Meter& meter) {
  require_same_terms(counts, meter);
  const Step step = plan_frequent(counts.sensitivity(), sigma, range);
  const double threshold = frequent_threshold(step, failure);
  const TextCounts& exact = Mechanism::open(counts);
  std::vector<double> opened(exact.size()), noisy(exact.size());
  for (std::size_t k = 0; k < exact.size(); ++k) opened[k] = exact[k].second;
  meter.charge(step);
  Mechanism::show(meter, step, opened);
  add_gaussian(opened, sigma, Lattice{step.grid, range}, meter.bits(), noisy);
  TextCounts left;
  for (std::size_t k = 0; k < exact.size(); ++k)
    if (noisy[k] >= threshold) left.emplace_back(exact[k].first, noisy[k]);
  return Mechanism::release(std::move(left));
}

Step plan_failure(double delta, std::string reason) {
  Step step;
  step.mechanism = "failure";
  step.event = DeltaEvent{delta};
  step.sensitivity.reason = std::move(reason);
  return step;
}

void charge_failure(const Step& step, Meter& meter) { meter.charge(step); }

}  // namespace tacit::inline v1::noise
