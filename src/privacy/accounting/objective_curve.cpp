#include "privacy/accounting/objective_curve.hpp"

#include <algorithm>
#include <cmath>

#include "core/bisect.hpp"
#include "core/numbers.hpp"
#include "privacy/accounting/conversions.hpp"
#include "privacy/accounting/costs.hpp"
#include "privacy/accounting/normal_mass.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::pld {

namespace {

constexpr std::size_t most_beside = 3;  // each doubles the number of terms [time only]

// A pure step's epsilon, or that of an (epsilon, delta) one behind its failure; 0 of a failure alone. Nothing
// of what is neither.
std::optional<double> pure_part(const Event& event) {
  if (const auto* approx = std::get_if<ApproxEvent>(&event)) return approx->epsilon;
  if (std::holds_alternative<DeltaEvent>(event)) return 0.0;
  const bool pure = std::holds_alternative<PureEvent>(event) || std::holds_alternative<LaplaceEvent>(event) ||
                    std::holds_alternative<IsotropicLaplaceEvent>(event) ||
                    std::holds_alternative<BoundedRangeEvent>(event);
  return pure ? std::optional(pure_cost(event)) : std::nullopt;
}

double failure_part(const Event& event) {
  if (const auto* approx = std::get_if<ApproxEvent>(&event)) return approx->delta;
  if (const auto* failure = std::get_if<DeltaEvent>(&event)) return failure->delta;
  return 0;
}

}  // namespace

std::optional<ObjectiveCurve> ObjectiveCurve::of(std::span<const Event> events) {
  const GaussianObjectiveEvent* objective = nullptr;
  std::vector<double> pure;
  double failure = 0;
  for (const Event& event : events) {
    if (is_free(event)) continue;
    if (const auto* found = std::get_if<GaussianObjectiveEvent>(&event)) {
      if (objective != nullptr) return std::nullopt;
      objective = found;
      continue;
    }
    const std::optional<double> epsilon = pure_part(event);
    if (!epsilon) return std::nullopt;
    if (*epsilon > 0) pure.push_back(*epsilon);
    if (const double delta = failure_part(event); delta > 0) failure = add_up(failure, delta);
  }
  if (objective == nullptr || pure.size() > most_beside) return std::nullopt;
  ObjectiveCurve curve(*objective);
  for (const double epsilon : pure) curve.join(epsilon);
  curve.failure_ = failure;
  curve.alone_ = pure.empty() && failure == 0;
  return curve;
}

ObjectiveCurve::ObjectiveCurve(const GaussianObjectiveEvent& event)
    : event_(event), near_mu_(div_up(event.mu, sqrt_down(2.0))), start_(event.jacobian) {
  // Any start from the Jacobian's term on is safe; the best is where the tail passes 1 [utility only].
  const auto below_one = [&](double loss) { return tail(loss) <= 1; };
  if (!below_one(start_)) {
    double reach = event.mu * (1 + event.mu);
    while (!below_one(event.jacobian + reach)) reach *= 2;
    start_ = event.jacobian +
             bisect(0, reach, 1e-12, [&](double x) { return below_one(event.jacobian + x); }).last_false;
  }
  at_start_ = std::fmin(sum_of_corners(std::fmax(sub_down(start_, event.jacobian), 0.0)), 1.0);
}

// Losses ±epsilon of randomised response, the worst pure step of this epsilon.
void ObjectiveCurve::join(double epsilon) {
  const double down = exp_up(-epsilon), whole = add_down(1, exp_down(-epsilon));
  const double up_mass = div_up(1, whole), down_mass = div_up(down, whole);
  std::vector<std::pair<double, double>> joined;
  for (const auto& [loss, mass] : beside_) {
    joined.emplace_back(add_up(loss, epsilon), mul_up(mass, up_mass));
    joined.emplace_back(sub_up(loss, epsilon), mul_up(mass, down_mass));
  }
  beside_ = std::move(joined);
  greatest_beside_ = add_up(greatest_beside_, epsilon);
  least_beside_ = std::fmin(least_beside_, epsilon);
}

double ObjectiveCurve::tail(double loss) const {
  const auto corners = [&](std::uint64_t count, double mu) {
    return count == 0 ? 0.0 : static_cast<double>(count) * phi(mu / 2 - (loss - event_.jacobian) / mu).value;
  };
  return corners(event_.far, event_.mu) + corners(event_.near, near_mu_);
}

double ObjectiveCurve::sum_of_corners(double rest) const {
  const double far = mul_up(static_cast<double>(event_.far), gaussian_delta(event_.mu, rest));
  if (event_.near == 0) return far;
  return add_up(far, mul_up(static_cast<double>(event_.near), gaussian_delta(near_mu_, rest)));
}

//   delta(ε) = ∫_ε^∞ e^{ε−t} P(L > t) dt ≤ 1 − e^{ε−s}(1 − sum_of_corners(s − ε₀)) for every s ≥ max(ε, ε₀)
double ObjectiveCurve::objective_delta(double epsilon) const {
  if (epsilon >= start_)
    return std::fmin(sum_of_corners(std::fmax(sub_down(epsilon, event_.jacobian), 0.0)), 1.0);
  const double below = library_up(-std::expm1(sub_down(epsilon, start_)));
  return std::fmin(add_up(below, mul_up(exp_up(sub_up(epsilon, start_)), at_start_)), 1.0);
}

DeltaBracket ObjectiveCurve::delta(double epsilon) const {
  double sum = failure_;
  for (const auto& [loss, mass] : beside_)
    sum = add_up(sum, mul_up(mass, objective_delta(loss == 0 ? epsilon : sub_down(epsilon, loss))));
  // Below, one member of the family alone: a Gaussian mechanism.
  return {gaussian_delta_below(event_.mu, epsilon), std::fmin(sum, 1.0)};
}

bool ObjectiveCurve::charged_at(double epsilon) const {
  // A grid takes some 10 ms above these; below, the steps beside it are ever finer atoms on it [measured].
  constexpr double of_mu = 0.25, beside_of_mu = 0.002;
  return alone_ || epsilon < of_mu * event_.mu || least_beside_ < beside_of_mu * event_.mu;
}

Bracket ObjectiveCurve::epsilon(double delta) const {
  const double lower = gaussian_epsilon_below(event_.mu, delta);
  if (!(failure_ < delta)) return {lower, infinity};
  const auto suffices = [&](double epsilon) { return this->delta(epsilon).delta_upper <= delta; };
  if (suffices(0)) return {lower, 0};
  double high = start_ + greatest_beside_ + event_.mu;
  while (!suffices(high)) high *= 2;
  constexpr double tolerance = 0x1p-41;  // [utility only: the upper end is checked]
  return {lower, bisect(0, high, tolerance, suffices).first_true};
}

}  // namespace tacit::inline v1::pld
