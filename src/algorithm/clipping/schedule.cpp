#include "algorithm/clipping/schedule.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "algorithm/clipping/bound.hpp"
#include "privacy/accounting/calibrate.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::clipping {

namespace {

using enum Theorem;

constexpr std::array<std::pair<Theorem, std::string_view>, 5> names = {{{interpolation, "interpolation"},
                                                                        {constrained, "constrained"},
                                                                        {unconstrained, "unconstrained"},
                                                                        {growth, "growth"},
                                                                        {nonconvex, "nonconvex"}}};

void require_positive(std::string_view what, double value) {
  if (!(value > 0 && std::isfinite(value)))
    throw_error<UsageError>("{} is {}, expected a finite number > 0", what, value);
}

void validate_inputs(const RunShape& shape, const Guesses& guesses) {
  validate(Guarantee(shape.target));
  if (shape.records == 0 || shape.parameters == 0)
    throw_error<UsageError>("a schedule needs at least one record and one parameter");
  if (!(shape.batch >= 1 && shape.batch <= static_cast<double>(shape.records)))
    throw_error<UsageError>("the batch is {}, expected 1 to {}", shape.batch, shape.records);
  if (shape.most_steps < 1) throw_error<UsageError>("the most steps are {}, expected >= 1", shape.most_steps);
  if (!(guesses.moment_order > 1 && std::isfinite(guesses.moment_order)))
    throw_error<UsageError>("the moment order is {}, expected > 1", guesses.moment_order);
  if (!(guesses.failure > 0 && guesses.failure < 1))
    throw_error<UsageError>("the failure probability is {}, expected between 0 and 1", guesses.failure);
  if (!(guesses.growth_radius >= 0 && std::isfinite(guesses.growth_radius)))
    throw_error<UsageError>("the growth radius is {}, expected >= 0", guesses.growth_radius);
  require_positive("the moment", guesses.moment);
  require_positive("the distance", guesses.distance);
  require_positive("the smoothness", guesses.smoothness);
  require_positive("the initial gap", guesses.initial_gap);
}

// T = 1/(cφ²) with φ² = d·z²/(b²T) says z = b/√(cd), whatever T is. So the fixed point is the largest T that
// this z allows. More steps than `most_steps` are not taken; the noise is then calibrated to those.
void solve_steps(double c, const RunShape& shape, Schedule& schedule) {
  const double rate = shape.batch / static_cast<double>(shape.records);
  const double z = shape.batch / std::sqrt(c * static_cast<double>(shape.parameters));
  const auto fits = [&](std::int64_t steps) {
    return account_poisson_gaussian(z, rate, steps, shape.target.delta).epsilon_upper <= shape.target.epsilon;
  };
  if (!fits(1))
    throw_error<InfeasibleError>(
        "{} records with batch {} are too few for {} parameters at epsilon = {}, delta = {}: one step would "
        "need a noise multiplier above {:.4g}",
        shape.records, shape.batch, shape.parameters, shape.target.epsilon, shape.target.delta, z);
  std::int64_t low = 1, high = 2;
  while (high <= shape.most_steps && fits(high)) low = high, high *= 2;
  if (high > shape.most_steps && fits(shape.most_steps)) {
    schedule.steps = shape.most_steps;
    schedule.noise_multiplier = calibrate_noise(shape.target, rate, shape.most_steps);
  } else {
    high = std::min(high, shape.most_steps);
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (fits(middle) ? low : high) = middle;
    }
    schedule.steps = low;
    schedule.noise_multiplier = z;
  }
}

// Notation: s = 1/T + φ², k = moment order, G = moment, g = failure, D = distance; C = D throughout, the best
// multiple of it that the theorems' bounds know up to a constant.
struct Prescription {
  double clip_norm, step_length, risk_bound;
};

Prescription prescribe(Theorem theorem, const Schedule& schedule, const Guesses& guesses) {
  const double steps = static_cast<double>(schedule.steps), phi = schedule.noise_cost;
  const double s = 1 / steps + phi * phi;
  const double k = guesses.moment_order, D = guesses.distance;
  const double G = guesses.moment * std::pow(guesses.failure, -1 / k);  // G·γ^{−1/k}
  const double step_length = D / (steps * std::sqrt(s));  // η·τ = C/(T√s), all four convex ones
  switch (theorem) {
    case interpolation:  // [Thm 5.4] any τ ≤ G_1
      return {guesses.moment, step_length, 1.5 * D * guesses.moment * std::sqrt(s)};
    case constrained:  // [Thm I.1] τ = Gγ^{−1/k} s^{−1/2k}; risk ≤ (5/2)·D·Gγ^{−1/k}·s^{(1−1/k)/2}
      return {G * std::pow(s, -0.5 / k), step_length, 2.5 * D * G * std::pow(s, 0.5 * (1 - 1 / k))};
    case unconstrained: {  // [Thm J.1] τ = Gγ^{−1/k} s^{−1/(k+1)}
      const double e = 1 - 2 / (k + 1);
      return {G * std::pow(s, -1 / (k + 1)), step_length,
              G * (0.5 * (D + 4 * D) * std::pow(s, 0.5 * e) + (D + D) * std::pow(s, e))};
    }
    case growth:  // [Thm K.1] τ = G·s^{−1/2k}, with probability ≥ 3/4
      return {guesses.moment * std::pow(s, -0.5 / k), step_length,
              guesses.moment * ((D + 2 * D) * std::pow(s, 0.5 * (1 - 1 / k)) +
                                16 * std::pow(phi, 1 - 1 / k) * guesses.growth_radius)};
    case nonconvex: {  // [Thm 6.8; constants ours, docs/clipping.md]
      // τ^{2k−1} = G^{2k}γ^{−2}/(√(LF)·√s), ητ = √(F/L)/(T√s); risk E‖∇f‖² ≤ 5·√(LF)·τ·√s
      const double LF = std::sqrt(guesses.smoothness * guesses.initial_gap);
      const double tau = std::exp((2 * k * std::log(G) - std::log(LF * std::sqrt(s))) / (2 * k - 1));
      return {tau, std::sqrt(guesses.initial_gap / guesses.smoothness) / (steps * std::sqrt(s)),
              5 * LF * tau * std::sqrt(s)};
    }
  }
  throw_error<UsageError>("unknown schedule");
}

}  // namespace

std::string_view name(Theorem theorem) { return names[static_cast<std::size_t>(theorem)].second; }

Theorem parse_theorem(std::string_view text) {
  for (const auto& [theorem, name] : names)
    if (name == text) return theorem;
  throw_error<UsageError>(
      "unknown schedule \"{}\", expected interpolation, constrained, unconstrained, growth or nonconvex",
      text);
}

Schedule schedule_at(Theorem theorem, const RunShape& shape, const Guesses& guesses, std::int64_t steps,
                     double noise_multiplier) {
  Schedule schedule{.steps = steps, .noise_multiplier = noise_multiplier};
  schedule.noise_cost =
      noise_cost(shape.parameters, noise_multiplier, shape.batch, static_cast<double>(steps));
  const Prescription values = prescribe(theorem, schedule, guesses);
  schedule.clip_norm = values.clip_norm;
  schedule.step_length = values.step_length;
  schedule.learning_rate = values.step_length / values.clip_norm;
  schedule.risk_bound = values.risk_bound;
  return schedule;
}

Schedule plan_schedule(Theorem theorem, const RunShape& shape, const Guesses& guesses) {
  validate_inputs(shape, guesses);
  Schedule schedule;
  solve_steps(theorem == interpolation ? 3 : 1, shape, schedule);
  return schedule_at(theorem, shape, guesses, schedule.steps, schedule.noise_multiplier);
}

}  // namespace tacit::inline v1::clipping
