#include <cmath>
#include <limits>

#include "core/bisect.hpp"
#include "core/interval.hpp"
#include "privacy/accounting/conversions.hpp"
#include "privacy/accounting/normal_mass.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

constexpr double inverse_tolerance = 0x1p-41;  // of the inverses below [utility only: each end is checked]

void check(double mu, double epsilon) {
  if (!(mu >= 0) || std::isinf(mu)) throw_error<UsageError>("mu is {}, expected a finite number >= 0", mu);
  if (!(epsilon >= 0)) throw_error<UsageError>("epsilon is {}, expected >= 0", epsilon);
}

void check_delta(double delta) {
  if (!(delta > 0 && delta < 1)) throw_error<UsageError>("delta is {}, expected 0 < delta < 1", delta);
}

Interval delta_enclosure(double mu, double epsilon, long bits) {
  const Interval m(mu, bits), e(epsilon, bits);
  const Interval ratio = e / m, half = m / 2.0;
  return normal_cdf(half - ratio) - exp(e) * normal_cdf(-half - ratio);
}

Interval certain_delta(double mu, double epsilon) {
  return evaluate([&](long bits) { return delta_enclosure(mu, epsilon, bits); });
}

// Which side of `delta` the real delta(epsilon) lies on, −1 or 1, where doubles tell; 0 where only an
// enclosure does. The first argument of Phi carries u·ratio beside what phi() allows for, and phi(t)/Phi(t)
// is at most |t| + 1; exp is within an ulp (glibc manual, "Errors in Math Functions"), taken as 8. All of
// that twice, for its own roundings; what is not a number tells nothing.
int side_of(double delta, double mu, double epsilon) {
  const double ratio = epsilon / mu, half = mu / 2, t = half - ratio;
  const pld::Tail joined = pld::phi(t), empty = pld::phi(-half - ratio);
  const double factor = std::exp(epsilon), distance = joined.value - factor * empty.value - delta;
  const double error =
      joined.error + factor * empty.error +
      unit_roundoff * (4 * ratio * (std::fabs(t) + 1) * joined.value + 16 * factor * empty.value);
  return distance > 2 * error ? 1 : distance < -2 * error ? -1 : 0;
}

// An epsilon at which delta is certainly below: Phi(−z) <= e^{−z²/2} with z = epsilon/mu − mu/2.
double epsilon_that_suffices(double mu, double delta) {
  return 1.01 * (mu * mu / 2 + mu * std::sqrt(-2 * std::log(delta))) + std::numeric_limits<double>::min();
}

}  // namespace

double gaussian_delta(double mu, double epsilon) {
  check(mu, epsilon);
  if (mu == 0 || std::isinf(epsilon)) return 0;
  return std::fmin(certain_delta(mu, epsilon).upper(), 1.0);
}

double gaussian_delta_below(double mu, double epsilon) {
  check(mu, epsilon);
  if (mu == 0 || std::isinf(epsilon)) return 0;
  return std::fmax(certain_delta(mu, epsilon).lower(), 0.0);
}

bool gaussian_keeps(double mu, double epsilon, double delta) {
  check(mu, epsilon);
  const int side = mu == 0 || std::isinf(epsilon) ? 0 : side_of(delta, mu, epsilon);
  return side != 0 ? side < 0 : gaussian_delta(mu, epsilon) <= delta;
}

double gaussian_epsilon(double mu, double delta) {
  check(mu, 0);
  check_delta(delta);
  const auto suffices = [&](double epsilon) { return gaussian_keeps(mu, epsilon, delta); };
  if (suffices(0)) return 0;
  double high = epsilon_that_suffices(mu, delta);
  while (!suffices(high)) high *= 2;
  return bisect(0, high, inverse_tolerance, suffices).first_true;
}

double gaussian_epsilon_below(double mu, double delta) {
  check(mu, 0);
  check_delta(delta);
  const auto is_too_small = [&](double epsilon) {
    const int side = mu == 0 ? 0 : side_of(delta, mu, epsilon);
    return side != 0 ? side > 0 : gaussian_delta_below(mu, epsilon) >= delta;
  };
  if (!is_too_small(0)) return 0;
  double high = epsilon_that_suffices(mu, delta);
  return bisect(0, high, inverse_tolerance, [&](double e) { return !is_too_small(e); }).last_false;
}

Gaussian to_gaussian(const Pure& pure) {
  check(0, pure.epsilon);
  if (pure.epsilon == 0) return {0};
  if (std::isinf(pure.epsilon)) return {pure.epsilon};
  // mu >= 2 Phi^{-1}(e^eps/(1+e^eps))  <=>  Phi(−mu/2) <= 1/(1+e^eps)
  const auto suffices = [&](double mu) {
    constexpr long bits = 192;
    const Interval tail = normal_cdf(Interval(-mu / 2, bits)),
                   bound = Interval(1, bits) / (exp(Interval(pure.epsilon, bits)) + 1.0);
    return tail.upper() <= bound.lower();
  };
  // Phi(−x) <= e^{−x²/2}/2, and near 0 the slope of 2 Phi^{-1} is sqrt(2 pi)/2 per eps.
  double high = 2 * std::sqrt(2 * pure.epsilon) + pure.epsilon;
  while (!suffices(high)) high *= 2;
  return {bisect(0, high, inverse_tolerance, suffices).first_true};
}

Approx to_approx(const Gaussian& gaussian, double delta) {
  return {gaussian_epsilon(gaussian.mu, delta), delta};
}

}  // namespace tacit::inline v1
