#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "algorithm/user_level/concentration.hpp"
#include "privacy/accounting/calibrate.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"

// What tests that share a budget with noise have in common.

namespace tacit::inline v1::user_level {

inline constexpr std::size_t most_points = std::size_t{1} << 40;

// The least even C for which ρC² and 2(C − 1)·tails fit below C², and ρ ≥ 2/3 + 1/C; tails is in units of the
// pairs' sensitivity.
inline std::size_t least_even_points(double tails, const Approx& target, const TestShare& share) {
  const double by_test = 2 * tails / (1 - share.core), by_core = 1 / (share.core - 2.0 / 3);
  const double least = std::max({4.0, by_test + 2, by_core + 2});
  if (!(least < static_cast<double>(most_points)))
    throw_error<InfeasibleError>("epsilon = {} needs more than 2^40 users", target.epsilon);
  return 2 * static_cast<std::size_t>(std::ceil(least / 2));
}

inline void require_points(std::size_t points, std::size_t least, const Approx& target) {
  if (points < least)
    throw_error<InfeasibleError>(
        "{} users or groups of users are too few to test that they agree: epsilon = {} and delta = {} need "
        "at least {}; user-sgd has no such test and takes any number",
        points, target.epsilon, target.delta, least);
}

inline std::vector<Event> events_of(const std::vector<Step>& steps) {
  std::vector<Event> events;
  for (const Step& step : steps) events.push_back(step.event);
  return events;
}

// The noise multiplier of one Gaussian step beside what the tests cost.
inline double noise_beside(const std::vector<Step>& tests, const Approx& target) {
  return calibrate_noise_beside(events_of(tests), target, 1.0, 1);
}

// Calibrated noise is right up to the accountant's rounding: a step up until all steps, planned from it, fit.
template <class Plan>
void raise_until_it_fits(double& noise, const Approx& target, Plan&& steps) {
  while (!fits(compose(events_of(steps()), target), target)) noise *= 1 + 1e-4;
}

}  // namespace tacit::inline v1::user_level
