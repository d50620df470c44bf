#include <cmath>

#include "privacy/accounting/conversions.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

// From zero_out: (2 eps, (1 + e^eps) delta_0), so an eps is sought that is enough at delta_0 = delta/(1 +
// e^eps). Or without amplification: the sum moves by at most 2, so mu = 2 sqrt(steps)/sigma.
double replace_one_epsilon(const PoissonGaussianEvent& sampled, double delta) {
  const double mu = 2 * div_up(sqrt_up(static_cast<double>(sampled.steps)), sampled.noise_multiplier);
  const double unsampled = gaussian_epsilon(mu, delta);
  const Event event = sampled;
  double epsilon = 0;
  for (int round = 0; round < 40; ++round) {
    const double at = div_down(delta, add_up(1, exp_up(epsilon)));
    if (2 * epsilon >= unsampled || !(at >= std::numeric_limits<double>::min())) return unsampled;
    const double needed = account(std::span(&event, 1), at).epsilon_upper;
    if (needed <= epsilon) return std::fmin(2 * epsilon, unsampled);
    epsilon = needed * (1 + 1e-5);
  }
  return unsampled;
}

}  // namespace

Bracket account_poisson_gaussian(double noise_multiplier, double rate, std::int64_t steps, double delta,
                                 Neighbours relation) {
  if (steps <= 0) throw_error<UsageError>("steps is {}, expected >= 1", steps);
  if (!(delta > 0 && delta < 1)) throw_error<UsageError>("delta is {}, expected 0 < delta < 1", delta);
  // In every step, a replaced record moves the sum by up to 2 clip norms along a line, and some records by
  // just that: the bracket is that of half of the noise.
  const bool always = relation == Neighbours::replace_one && rate == 1;
  const PoissonGaussianEvent sampled{always ? noise_multiplier / 2 : noise_multiplier, rate,
                                     static_cast<std::uint64_t>(steps)};
  const Event event = sampled;
  Bracket bracket = account(std::span(&event, 1), delta);
  if (always) return bracket;
  // Replacing a record by one that contributes nothing is a replacement, so the lower end stays.
  if (relation == Neighbours::replace_one) bracket.epsilon_upper = replace_one_epsilon(sampled, delta);
  return bracket;
}

}  // namespace tacit::inline v1
