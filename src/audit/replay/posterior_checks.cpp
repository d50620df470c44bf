#include "audit/replay/posterior_checks.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "audit/replay/worst.hpp"
#include "solver/limited_objective.hpp"

namespace tacit::inline v1::audit {

namespace {

// The targets of both datasets, as the certificate states them.
struct Posteriors {
  double gamma = 0, strength = 0, radius = 0;
  Vector center;
  std::vector<LimitedObjective> objectives;

  Posteriors(const Replayed& replayed, const Release& release) {
    const Facts& facts = release.certificate.options;
    gamma = facts.number("inverse_temperature");
    strength = facts.number("strength");
    radius = facts.number("ball");
    const Eigen::Index p = release.parameters.value().size();
    center = release.center ? release.center->value() : Vector(Vector::Zero(p));
    for (const Problem& problem : replayed.problems)
      objectives.emplace_back(
          problem, LossLimits{facts.number("slope_limit"), facts.number("curvature_limit")},
          Regulariser{.strength = strength / gamma, .center = Vector::Zero(p)}, Vector::Zero(p), 0.0, 1u);
  }

  // ∇h at θ: the regularisers cancel.
  Vector difference(const Vector& theta) {
    Vector first, second;
    objectives[0].gradient(theta, first, nullptr);
    objectives[1].gradient(theta, second, nullptr);
    return gamma * (first - second);
  }
};

// Lines through the center: along the pull of the difference there, and at random.
std::vector<Vector> directions(const Vector& pull) {
  std::vector<Vector> result;
  if (pull.norm() > 0) result.push_back(pull / pull.norm());
  std::mt19937_64 random(2);  // where to look, not noise
  std::normal_distribution<> normal;
  for (int k = 0; k < 4; ++k) {
    Vector direction(pull.size());
    for (double& x : direction) x = normal(random);
    result.push_back(direction / direction.norm());
  }
  return result;
}

// The range of h over a line from −length to length, by the trapezoidal rule on its slope, and the largest
// ‖∇h‖.
struct AlongLine {
  double range = 0, steepest = 0;
};
AlongLine along(Posteriors& posteriors, const Vector& direction, double length) {
  constexpr int steps = 64;
  AlongLine result;
  double value = 0, low = 0, high = 0, before = 0;
  for (int k = 0; k <= steps; ++k) {
    const Vector at = posteriors.center + (length * (2.0 * k / steps - 1)) * direction;
    const Vector gradient = posteriors.difference(at);
    result.steepest = std::max(result.steepest, gradient.norm());
    const double slope = gradient.dot(direction);
    if (k > 0) value += 0.5 * (slope + before) * (2 * length / steps);
    before = slope;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  result.range = high - low;
  return result;
}

}  // namespace

std::vector<Check> posterior_checks(const Replayed& replayed) {
  std::vector<Check> checks;
  for (const WatchedRun& run : replayed.runs) {
    const Release& release = *run.release;
    const auto sample = std::ranges::find_if(
        run.opened, [](const Opened& opened) { return opened.step.mechanism == "posterior-sample"; });
    if (sample == run.opened.end()) return {{CheckKind::outcome, "a step is a posterior sample", "", 0, 1}};
    const Step& step = sample->step;
    Posteriors posteriors(replayed, release);
    const bool pure = std::holds_alternative<BoundedRangeEvent>(step.event);
    const double cost =
        pure ? std::get<BoundedRangeEvent>(step.event).epsilon : std::get<GaussianEvent>(step.event).mu;
    const double length = pure ? posteriors.radius : 10 / std::sqrt(posteriors.strength);
    Check density{CheckKind::density,
                  pure ? "posterior-sample: range of the log-density ratio over the ball, within its epsilon"
                       : "posterior-sample: gradient of the log-density ratio over the width, within its mu",
                  "", 0, 0};
    const double rounding = 2 * posteriors.gamma *
                            posteriors.objectives[0].gradient_error().at(posteriors.center.norm() + length);
    for (const Vector& direction : directions(posteriors.difference(posteriors.center))) {
      const AlongLine line = along(posteriors, direction, length);
      if (pure)
        keep_worst(density, cost + 2 * length * rounding, line.range);
      else
        keep_worst(density, cost + rounding / std::sqrt(posteriors.strength),
                   line.steepest / std::sqrt(posteriors.strength));
    }
    checks.push_back(density);
    const Vector drawn = Eigen::Map<const Vector>(sample->value.data(), release.parameters.value().size());
    checks.push_back({CheckKind::ideal,
                      "posterior-sample: distance of a sample from the center, within the ball", "",
                      posteriors.radius + step.grid * std::sqrt(static_cast<double>(drawn.size())),
                      (drawn - posteriors.center).norm()});
  }
  return checks;
}

}  // namespace tacit::inline v1::audit
