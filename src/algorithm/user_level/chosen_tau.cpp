#include "algorithm/user_level/chosen_tau.hpp"

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

#include "algorithm/user_level/shared_budget.hpp"
#include "noise/selection.hpp"
#include "privacy/accounting/calibrate.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::user_level {

namespace {

constexpr std::size_t octaves = 16, per_octave = 4, grid_points = octaves * per_octave + 1;
// An exponential mechanism of range ε costs about as much as Laplace noise of ε/1.5 [heuristic: utility
// only].
constexpr double range_over_laplace = 1.5;
// How often a tau may be chosen that is wider than all pairs need [heuristic: utility only].
constexpr double too_wide = 0.05;

// P(N(0,1) ≥ this) ≤ probability. Among the smallest doubles there are no digits left to find it by.
double normal_tail(double probability) {
  if (!(probability >= std::numeric_limits<double>::min()))
    throw_error<UsageError>(
        "the share of delta for one test, {}, is too small to compute with; give a larger delta, "
        "a larger failure-share, or fewer steps",
        probability);
  const double quantile = boost::math::quantile(boost::math::complement(boost::math::normal(), probability));
  return std::max(0.0, quantile) * (1 + 1e-9);
}

Step relative_noise(const ScaledMeans& means, std::size_t dimension, double releases) {
  // The finest grid of all tau: that of the least sigma.
  Step step = noise::plan_gaussian(means.means.front(), means.sigma(0), means.range, dimension);
  step.mechanism = "scaled-gaussian-steps";
  step.event = GaussianEvent{mul_up(div_up(1, means.multiplier), sqrt_up(releases))};
  step.sensitivity = {.value = 1,
                      .slack = 0,
                      .norm = Norm::l2,
                      .reason =
                          "a mean of inliers in units of its sensitivity at the tau in use, 4(7-6 rho) "
                          "tau/(rho C) and its rounding"};
  step.scale = means.multiplier;
  Step one = step;
  one.mechanism = "gaussian";
  one.event = GaussianEvent{div_up(1, means.multiplier)};
  one.times = static_cast<std::uint64_t>(releases);
  step.inner = {one};
  return step;
}

// So many tests, each of them the Gaussian mechanism.
Step test_steps(const Step& one, std::uint64_t tests) {
  Step all = one;
  all.mechanism = "gaussian-tests";
  all.event =
      GaussianEvent{mul_up(std::get<GaussianEvent>(one.event).mu, sqrt_up(static_cast<double>(tests)))};
  all.inner = {one};
  all.inner[0].times = tests;
  return all;
}

// The least noise on so many means that the target leaves room for beside the tests.
void add_noise(std::vector<Step>& steps, ScaledMeans& means, std::size_t dimension, double releases,
               const Approx& target) {
  // The same is asked for phase after phase, and run after run in an audit.
  thread_local std::vector<Event> asked;
  thread_local std::array<double, 3> asked_for{};
  thread_local double answer = 0;
  const std::array now{target.epsilon, target.delta, releases};
  if (asked != events_of(steps) || asked_for != now) {
    answer = noise_beside(steps, target) * std::sqrt(releases);
    asked = events_of(steps);
    asked_for = now;
  }
  means.multiplier = answer;
  steps.emplace_back();
  raise_until_it_fits(means.multiplier, target, [&] {
    steps.back() = relative_noise(means, dimension, releases);
    return steps;
  });
}

Step failure_step(double delta) {
  Step step;
  step.mechanism = "stability-failure";
  step.event = DeltaEvent{delta};
  step.sensitivity.reason = "points are tested at a tau with fewer close pairs than the floor, and pass";
  return step;
}

ScaledMeans scaled_means(const PointsShape& shape, double floor) {
  ScaledMeans means{.taus = tau_grid(shape.bound),
                    .means = {},
                    .floor = floor,
                    .bound = shape.bound,
                    .range = mul_up(2, shape.bound)};
  for (const double tau : means.taus)
    means.means.push_back(inlier_mean_sensitivity(shape.points, shape.dimension, tau, shape.bound, floor));
  return means;
}

// Candidates whose pairs are below the floor have a score below −(target − floor), and one has score 0: this
// many pairs between target and floor make all of those together as rare as delta.
double choice_margin(const TauChoice& choice, double delta) {
  const Step step = noise::plan_exponential(choice.pairs, choice.range, choice.epsilon, grid_points);
  return step.scale * std::log(static_cast<double>(grid_points) / delta) * (1 + 1e-9);
}

Pure choice_epsilon(const Approx& target, const TestShare& share) {
  return Pure{std::min(0.95, range_over_laplace * share.test_share) * target.epsilon};
}

double test_mu(const Tracking& tracking, const Approx& target, const TestShare& share) {
  return std::sqrt(share.test_share / static_cast<double>(tracking.tests)) * calibrate_gaussian(target);
}

double test_tails(const Tracking& tracking, const Approx& target, const TestShare& share) {
  const double each = share.failure_share * target.delta / static_cast<double>(tracking.tests);
  return normal_tail(each) + normal_tail(false_alarm);
}

}  // namespace

double ScaledMeans::sigma(std::size_t tau) const { return mul_up(multiplier, means[tau].total()); }

std::vector<double> tau_grid(double bound) {
  constexpr std::array steps = {1.0, 0x1.306fe0a31b715p+0, 0x1.6a09e667f3bcdp+0, 0x1.ae89f995ad3adp+0};
  int exponent = 0;
  std::frexp(2.001 * bound, &exponent);  // 2^exponent is above it: room for the error of a distance
  std::vector<double> taus;
  for (std::size_t k = 0; k < grid_points; ++k)
    taus.push_back(std::ldexp(steps[k % per_octave],
                              exponent - static_cast<int>(octaves) + static_cast<int>(k / per_octave)));
  return taus;
}

Step plan_choice(const TauChoice& choice) {
  Sensitivity scores = choice.pairs;
  scores.norm = Norm::linf;
  return noise::plan_exponential(scores, choice.range, choice.epsilon, grid_points);
}

Released<std::size_t> choose_tau(const Points& points, const ScaledMeans& means, const TauChoice& choice,
                                 unsigned threads, Meter& meter) {
  const std::vector<double> pairs = close_pairs_within(points, means.taus, means.bound, threads);
  // u_k = −max(t − s_k, s_{k−1} − t, 0): 0 for the least tau that has t pairs, and whole numbers.
  Vector scores(static_cast<Eigen::Index>(pairs.size()));
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const double below = k == 0 ? 0 : pairs[k - 1];
    scores[static_cast<Eigen::Index>(k)] = -std::max({choice.target - pairs[k], below - choice.target, 0.0});
  }
  Sensitivity sensitivity = choice.pairs;
  sensitivity.norm = Norm::linf;
  return noise::exponential({std::move(scores), sensitivity, Neighbours::replace_one, Unit::user},
                            choice.range, choice.epsilon, meter);
}

namespace {

// So many that the choice falls below the floor with probability `failure` at most, and beyond the least tau
// that has all pairs with probability `astray`.
std::size_t chosen_points(double failure, double astray, const Approx& target, const TestShare& share) {
  share.validate();
  const double candidates = static_cast<double>(grid_points);
  const double tail = 2 * (std::log(candidates / failure) + std::max(0.0, std::log(candidates / astray)));
  return least_even_points(tail / choice_epsilon(target, share).epsilon, target, share);
}

}  // namespace

std::size_t least_chosen_points(const Approx& target, const TestShare& share) {
  return chosen_points(share.failure_share * target.delta, grid_points, target, share);
}

std::size_t sure_chosen_points(const Approx& target, const TestShare& share) {
  return chosen_points(share.failure_share * target.delta, too_wide, target, share);
}

ChosenMean plan_chosen_mean(const PointsShape& shape, const Approx& target, const TestShare& share) {
  require_points(shape.points, least_chosen_points(target, share), target);
  const double c = static_cast<double>(shape.points), delta = share.failure_share * target.delta;
  ChosenMean plan;
  plan.choice = {.epsilon = choice_epsilon(target, share),
                 .target = 0,
                 .pairs = close_pairs_sensitivity(shape.points),
                 .range = c * c};
  const double margin = choice_margin(plan.choice, delta);
  plan.choice.target = std::ceil(share.core * c * c + margin);
  // Theorem 3 needs a tau with `target` pairs; the largest has all.
  if (plan.choice.target > c * c)
    throw_error<InfeasibleError>("{} points are too few to choose a tau with epsilon = {}", shape.points,
                                 target.epsilon);
  plan.means = scaled_means(shape, sub_down(plan.choice.target, margin));
  plan.steps = {plan_choice(plan.choice), failure_step(delta)};
  add_noise(plan.steps, plan.means, shape.dimension, 1, target);
  return plan;
}

std::size_t least_tracked_points(const Tracking& tracking, const Approx& target, const TestShare& share) {
  share.validate();
  return least_even_points(test_tails(tracking, target, share) / test_mu(tracking, target, share), target,
                           share);
}

TrackedMeans plan_tracked_means(const PointsShape& shape, const Tracking& tracking, const Approx& target,
                                const TestShare& share) {
  require_points(shape.points, least_tracked_points(tracking, target, share), target);
  const double c = static_cast<double>(shape.points), tests = static_cast<double>(tracking.tests);
  const double delta = share.failure_share * target.delta;
  TrackedMeans plan;
  plan.choice = {.epsilon = Pure{tracking.choice_epsilon},
                 .target = 0,
                 .pairs = close_pairs_sensitivity(shape.points),
                 .range = c * c};
  plan.test_sigma = plan.choice.pairs.value / test_mu(tracking, target, share);
  const Step test = noise::plan_gaussian(plan.choice.pairs, plan.test_sigma, plan.choice.range, 1);
  // The noisy number is rounded to its grid, by half a cell.
  const double margin = normal_tail(delta / tests) * plan.test_sigma + test.grid;
  plan.threshold = share.core * c * c + margin;
  // Aimed at: a test that passes nearly always.
  plan.choice.target =
      std::min(c * c, std::ceil(plan.threshold + normal_tail(false_alarm) * plan.test_sigma));
  plan.means = scaled_means(shape, sub_down(plan.threshold, mul_up(margin, 1 + 1e-12)));
  if (tracking.choice_epsilon > 0) plan.steps = {plan_choice(plan.choice)};
  plan.steps.push_back(test_steps(test, tracking.tests));
  plan.steps.push_back(failure_step(delta));
  add_noise(plan.steps, plan.means, shape.dimension, static_cast<double>(tracking.releases), target);
  return plan;
}

TrackedTau TrackedMeans::next(TrackedTau tau, double noisy_pairs) const {
  constexpr std::size_t half_octave = per_octave / 2;
  const std::size_t last = means.taus.size() - 1;
  if (noisy_pairs < threshold) return {std::min(tau.now + half_octave, last), std::min(tau.now + 1, last)};
  // Well above what the choice aims at, beside the noise.
  const double ample = choice.target + 2 * test_sigma + 0.05 * (choice.range - choice.target);
  if (noisy_pairs > ample && tau.now > tau.least) --tau.now;
  return tau;
}

Released<Vector> release_mean(const Points& points, std::size_t tau, const ScaledMeans& means,
                              const Vector& fallback, unsigned threads, Meter& meter) {
  const Inliers found = inliers(points, means.taus[tau], means.bound, threads);
  return noise::gaussian(
      {found.mean.value_or(fallback), means.means[tau], Neighbours::replace_one, Unit::user},
      means.sigma(tau), means.range, meter);
}

Tested test_and_release(const Points& points, std::size_t tau, const TrackedMeans& plan, unsigned threads,
                        Meter& tests, Meter& releases) {
  const ScaledMeans& means = plan.means;
  const Inliers found = inliers(points, means.taus[tau], means.bound, threads);
  const auto sensitive = [](Vector value, const Sensitivity& sensitivity) {
    return Sensitive(std::move(value), sensitivity, Neighbours::replace_one, Unit::user);
  };
  const Released<Vector> pairs =
      noise::gaussian(sensitive(Vector::Constant(1, found.close_pairs), plan.choice.pairs), plan.test_sigma,
                      plan.choice.range, tests);
  const double noisy_pairs = pairs.value()[0];
  Tested tested{.passed = noisy_pairs >= plan.threshold, .noisy_pairs = noisy_pairs, .mean = {}};
  if (tested.passed)
    tested.mean =
        noise::gaussian(sensitive(found.mean.value_or(Vector::Zero(points.cols())), means.means[tau]),
                        means.sigma(tau), means.range, releases);
  return tested;
}

}  // namespace tacit::inline v1::user_level
