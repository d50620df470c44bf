#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "privacy/accounting/conversions.hpp"
#include "privacy/accounting/objective_curve.hpp"
#include "privacy/accounting/problem.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

using pld::Composition;
using pld::Direction;
using pld::Problem;

// Machines whose mathematical libraries differ in last digits should charge the same: up to 24 bits of
// mantissa.
double round_up_to_24_bits(double x) {
  if (!(x > 0) || std::isinf(x)) return x;
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  return std::ldexp(std::ceil(std::ldexp(mantissa, 24)), exponent - 24);
}

// The larger of two brackets, end by end: of the two directions the worse one counts.
void widen(DeltaBracket& worst, const DeltaBracket& other) {
  worst.delta_lower = std::fmax(worst.delta_lower, other.delta_lower);
  worst.delta_upper = std::fmax(worst.delta_upper, other.delta_upper);
}

// delta is not known beforehand; its order of magnitude decides what may be left out. Two rounds find it.
DeltaBracket delta_in_direction(const Composition& composition, Direction direction, double epsilon) {
  double guess = 1e-9;
  DeltaBracket best{0, 1};
  for (int round = 0; round < 3; ++round) {
    const DeltaBracket next = Problem(composition, direction, guess).delta_at(epsilon);
    best.delta_lower = std::fmax(best.delta_lower, next.delta_lower);
    best.delta_upper = std::fmin(best.delta_upper, next.delta_upper);
    constexpr double close = 30;
    const double found = std::fmax(best.delta_upper, std::numeric_limits<double>::min());
    if (found < close * guess && guess < close * found) break;
    guess = std::fmin(found, 0.5);
  }
  return best;
}

Bracket account_anew(std::span<const Event> events, double delta) {
  if (!(delta >= 0 && delta < 1)) throw_error<UsageError>("delta is {}, expected 0 < delta < 1", delta);
  const Composition composition(events);
  const double pure = composition.sum_of_epsilons();
  if (delta == 0) {
    if (std::isinf(pure)) throw_error<UsageError>("delta is 0, expected > 0 where there is Gaussian noise");
    if (composition.failure() > 0) return {infinity, infinity};
    return {pure * (1 - 1e-12), pure};
  }
  if (composition.only_gaussian())
    return {gaussian_epsilon_below(composition.mu_below(), delta), gaussian_epsilon(composition.mu(), delta)};
  if (pure == 0) {  // nothing but failures
    const double epsilon = composition.failure() <= delta ? 0 : infinity;
    return {composition.failure_below() > delta ? infinity : 0, epsilon};
  }
  if (const auto curve = pld::ObjectiveCurve::of(events)) {
    Bracket closed = curve->epsilon(delta);
    closed.epsilon_upper = round_up_to_24_bits(closed.epsilon_upper);
    if (curve->charged_at(closed.epsilon_upper)) return closed;
  }
  Bracket worst = Problem(composition, Direction::remove, delta).epsilon();
  if (!composition.symmetric()) {  // removing is nearly always the worse of the two
    const Problem adding(composition, Direction::add, delta);
    if (!adding.suffices(worst.epsilon_upper)) {
      const Bracket other = adding.epsilon();
      worst.epsilon_lower = std::fmax(worst.epsilon_lower, other.epsilon_lower);
      worst.epsilon_upper = std::fmax(worst.epsilon_upper, other.epsilon_upper);
    }
  }
  worst.epsilon_upper = round_up_to_24_bits(worst.epsilon_upper);
  if (composition.failure() <= delta) worst.epsilon_upper = std::fmin(worst.epsilon_upper, pure);
  return worst;
}

}  // namespace

// The last few accounts are kept: audits and repeated fits ask for the same ones over and over, one for each
// step that a meter is charged.
Bracket account(std::span<const Event> events, double delta) {
  struct Kept {
    std::vector<Event> events;
    double delta = -1;
    Bracket bracket;
  };
  thread_local std::array<Kept, 4> kept;
  thread_local std::size_t oldest = 0;
  for (const Kept& one : kept)
    if (delta == one.delta && std::ranges::equal(events, one.events)) return one.bracket;
  const Bracket bracket = account_anew(events, delta);
  kept[oldest] = {{events.begin(), events.end()}, delta, bracket};
  oldest = (oldest + 1) % kept.size();
  return bracket;
}

DeltaBracket account_delta(std::span<const Event> events, double epsilon) {
  if (!(epsilon >= 0)) throw_error<UsageError>("epsilon is {}, expected >= 0", epsilon);
  const Composition composition(events);
  if (composition.only_gaussian())
    return {gaussian_delta_below(composition.mu_below(), epsilon), gaussian_delta(composition.mu(), epsilon)};
  if (epsilon >= composition.sum_of_epsilons()) return {composition.failure_below(), composition.failure()};
  if (const auto curve = pld::ObjectiveCurve::of(events); curve && curve->charged_at(epsilon))
    return curve->delta(epsilon);
  DeltaBracket worst = delta_in_direction(composition, Direction::remove, epsilon);
  if (!composition.symmetric()) widen(worst, delta_in_direction(composition, Direction::add, epsilon));
  return worst;
}

}  // namespace tacit::inline v1
