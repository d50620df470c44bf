#include <cmath>

#include "../heavy_tails/ball_smoothing.hpp"
#include "phases.hpp"
#include "records.hpp"
#include "tacit/algorithm/user_level/user_erm.hpp"
#include "tacit/core/rounding.hpp"
#include "tacit/privacy/account.hpp"

// Every number of a run of user-erm, from public values alone.

namespace tacit::inline v1::user_level {

namespace {

constexpr double phase_growth = 8;         // λ_{i+1}/λ_i = 2^p with the paper's p ≥ 2.5
constexpr std::size_t wrapper_phases = 3;  // about log log n [FKT20, Sec. 5.1]

// Of the gradients in units of L [heuristic: utility only].
double usual_smoothness(const Shape& shape, const ErmOptions& options) {
  if (heavy_tails::has_one_kink(shape.loss))
    return std::sqrt(static_cast<double>(shape.parameters())) / options.smoothing;
  const auto* link = std::get_if<Link>(&shape.loss);
  double curvature = link ? facts(*link).curvature : 0.5;
  if (!std::isfinite(curvature)) curvature = 1;
  const double row = options.row_bound.value_or(std::sqrt(static_cast<double>(shape.features)));
  return options.clip_norm ? curvature * row * row / *options.clip_norm : curvature * row / auto_threshold;
}

// Two means of m unit vectors drawn alike differ by √(2/m)·√(χ²_p/p), when all directions count: the 99 %
// quantile, after Wilson and Hilferty [heuristic: utility only].
double usual_spread(double parameters) {
  const double t = 2 / (9 * parameters);
  return std::sqrt(2 * std::pow(1 - t + 2.33 * std::sqrt(t), 3));
}

// Amplification by sampling without replacement, for replaced users: a step that is (ε,δ)-DP on its sample of
// a share q of them is (ln(1 + q(e^ε − 1)), qδ)-DP [Balle–Barthe–Gaboardi 2018, Thm 9].
ApproxEvent amplified(const Approx& step, double rate) {
  return {log1p_up(mul_up(rate, library_up(std::expm1(step.epsilon)))), mul_up(rate, step.delta)};
}

// The largest ε₀ for which `steps` such steps keep the target; δ₀ so that their δ add up to half of it.
Approx step_target(const Approx& target, double rate, std::size_t steps) {
  const double count = static_cast<double>(steps);
  Approx step{0, std::min(0.5, target.delta / (2 * count * rate))};
  const auto keeps = [&](double epsilon) {
    const std::vector<Event> events(steps, amplified({epsilon, step.delta}, rate));
    return fits(compose(events, target), target);
  };
  double low = 0, high = 30;
  for (int k = 0; k < 40; ++k) {
    const double mid = 0.5 * (low + high);
    (keeps(mid) ? low : high) = mid;
  }
  step.epsilon = low;
  return step;
}

// Noise and what is charged for a phase of so many users.
std::vector<Step> plan_releases(ErmPhase& phase, std::size_t parameters, double tau,
                                const ErmOptions& options) {
  const auto steps = static_cast<std::size_t>(options.iterations);
  const PointsShape points{phase.batch, parameters, tau, mean_bound};
  if (options.sampling == Sampling::all) {
    phase.stream = plan_tested_means(points, steps, options.target, options.share);
    phase.sigma = phase.stream.sigma;
    return noise::StableReleases::plan(phase.stream);
  }
  const double rate = div_up(static_cast<double>(phase.batch), static_cast<double>(phase.users));
  phase.sampled = step_target(options.target, std::min(1.0, rate), steps);
  phase.tested = plan_tested_mean(points, phase.sampled, options.share);
  phase.sigma = phase.tested.sigma;
  Step one = phase.tested.steps.back();
  one.mechanism = "sampled-inlier-mean";
  one.event = amplified(phase.sampled, std::min(1.0, rate));
  one.sensitivity.reason += "; a random sample of the users, so amplified";
  return std::vector<Step>(steps, one);
}

std::size_t batch_of(std::size_t users, const ErmOptions& options) {
  if (options.sampling == Sampling::all) return users - users % 2;
  return std::min(users - users % 2, static_cast<std::size_t>(*options.batch));
}

// Fewest users that the largest phase can have.
std::size_t least_users(const ErmOptions& options) {
  return options.sampling == Sampling::all
             ? least_points(static_cast<std::uint64_t>(options.iterations), options.target, options.share)
             : static_cast<std::size_t>(*options.batch);
}

}  // namespace

ErmPlan plan_user_erm(const Shape& shape, std::size_t users, const ErmOptions& options) {
  options.validate();
  const double p = static_cast<double>(shape.parameters()), m = static_cast<double>(options.records_per_user);
  const double beta = options.smoothness.value_or(usual_smoothness(shape, options));
  const bool wrapped = options.strong_convexity > 0;
  const std::size_t count = options.phases
                                ? static_cast<std::size_t>(*options.phases)
                                : usual_phases(users, least_users(options), wrapped ? wrapper_phases : 1);
  ErmPlan plan;
  plan.spread = options.spread.value_or(usual_spread(p));
  plan.tau = plan.spread / std::sqrt(m);
  std::vector<std::vector<Step>> steps;
  double radius = options.radius, lambda = 0;
  for (const std::size_t size : phase_sizes(users, count)) {
    ErmPhase phase{.users = size, .batch = batch_of(size, options)};
    steps.push_back(plan_releases(phase, shape.parameters(), plan.tau, options));
    // What sampling and noise leave, per unit of distance: λR² balances it, rate·R  [Thm C.3].
    const double noise = std::sqrt(p / static_cast<double>(options.iterations)) * phase.sigma;
    const double rate = 1 / std::sqrt(static_cast<double>(size) * m) + noise;
    if (plan.phases.empty() || wrapped)
      lambda = options.regularisation && plan.phases.empty() ? *options.regularisation : rate / radius;
    else
      lambda *= phase_growth;
    phase.regularisation = lambda;
    phase.radius = std::min(2 * radius, 1 / lambda);
    phase.facts = {
        .smoothness = beta + lambda + options.strong_convexity,
        .strong_convexity = lambda + options.strong_convexity,
        .variance = p * phase.sigma * phase.sigma + plan.tau * plan.tau / static_cast<double>(phase.batch),
        .gap = std::min(radius, phase.radius)};
    // Within M-strong convexity a point of that risk is so near the minimiser [FKT20, Sec. 5.1].
    if (wrapped) radius = std::min(radius, std::sqrt(8 * rate * radius / options.strong_convexity));
    plan.phases.push_back(phase);
  }
  plan.steps = dearest(steps);
  return plan;
}

}  // namespace tacit::inline v1::user_level
