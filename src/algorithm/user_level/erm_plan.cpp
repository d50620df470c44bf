#include <cmath>

#include "algorithm/user_level/phases.hpp"
#include "algorithm/user_level/records.hpp"
#include "algorithm/user_level/user_erm.hpp"
#include "privacy/nested_cost.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"

// Every number of a run of user-erm, from public values alone.

namespace tacit::inline v1::user_level {

namespace {

constexpr std::size_t wrapper_phases = 3;  // about log log n [FKT20, Sec. 5.1]
constexpr double choice_share = 1.0 / 3;   // of the test's share, for the first tau [heuristic: utility only]

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

// A step on a random sample of the users, amplified: what it does there is within it. `like` is what it
// releases.
Step sampled_step(const Step& like, std::vector<Step> there, const Approx& target, double rate) {
  Step on_sample;
  on_sample.mechanism = "on-a-sample";
  on_sample.event = ApproxEvent{target.epsilon, target.delta};
  on_sample.inner = std::move(there);
  Step step = like;
  step.mechanism = "sampled-inlier-mean";
  step.event = amplified(target, rate);
  step.sensitivity.reason += "; a random sample of the users, so amplified";
  step.nesting = Sampled{rate};
  step.inner = {on_sample};
  return step;
}

double sampling_rate(const ErmPhase& phase) {
  return std::min(1.0, div_up(static_cast<double>(phase.batch), static_cast<double>(phase.users)));
}

// A few more tests than releases: one that fails is tried again at a larger tau [heuristic: utility only].
std::size_t tests_for(std::size_t releases) { return releases + releases / 5 + 2; }

Tracking tracking_of(const ErmOptions& options) {
  const auto releases = static_cast<std::size_t>(options.iterations);
  if (options.sampling == Sampling::sample) return {};
  return {.tests = tests_for(releases),
          .releases = releases,
          .choice_epsilon = choice_share * options.share.test_share * options.target.epsilon};
}

// τ from the data: noise and what is charged.
std::vector<Step> plan_tracked(ErmPhase& phase, const PointsShape& points, const ErmOptions& options) {
  phase.tests = tests_for(static_cast<std::size_t>(options.iterations));
  if (options.sampling == Sampling::all) {
    phase.tracked = plan_tracked_means(points, tracking_of(options), options.target, options.share);
    return phase.tracked.steps;
  }
  const double rate = sampling_rate(phase);
  // The choice of the first tau is one step more, on a sample of its own, and pure.
  phase.sampled = step_target(options.target, rate, phase.tests + 1);
  phase.tracked = plan_tracked_means(points, tracking_of(options), phase.sampled, options.share);
  phase.tracked.choice.epsilon = Pure{phase.sampled.epsilon};
  const Step& mean = phase.tracked.noise();
  std::vector<Step> steps(phase.tests + 1, sampled_step(mean, phase.tracked.steps, phase.sampled, rate));
  steps[0] = sampled_step(mean, {plan_choice(phase.tracked.choice)}, phase.sampled, rate);
  return steps;
}

// τ that is given.
std::vector<Step> plan_fixed(ErmPhase& phase, const PointsShape& points, const ErmOptions& options) {
  phase.tests = static_cast<std::size_t>(options.iterations);
  if (options.sampling == Sampling::all) {
    phase.stream = plan_tested_means(points, phase.tests, options.target, options.share);
    return noise::StableReleases::plan(phase.stream);
  }
  const double rate = sampling_rate(phase);
  phase.sampled = step_target(options.target, rate, phase.tests);
  phase.tested = plan_tested_mean(points, phase.sampled, options.share);
  return {phase.tests, sampled_step(phase.tested.steps.back(), phase.tested.steps, phase.sampled, rate)};
}

std::size_t batch_of(std::size_t users, const ErmOptions& options) {
  if (options.sampling == Sampling::all) return users - users % 2;
  return std::min(users - users % 2, static_cast<std::size_t>(*options.batch));
}

// Whether a sample of the batch is large enough for the test of one step, among so many users.
bool sample_suffices(std::size_t users, const ErmOptions& options) {
  const auto releases = static_cast<std::size_t>(options.iterations);
  ErmPhase phase{.users = users, .batch = batch_of(users, options)};
  const Approx step =
      step_target(options.target, sampling_rate(phase), options.spread ? releases : tests_for(releases) + 1);
  if (!(step.epsilon > 0)) return false;
  return phase.batch >=
         (options.spread ? least_points(step, options.share) : least_tracked_points({}, step, options.share));
}

}  // namespace

bool users_suffice(std::size_t users, const ErmOptions& options) {
  return options.sampling == Sampling::all ? users >= least_erm_users(options)
                                           : sample_suffices(users, options);
}

std::size_t least_erm_users(const ErmOptions& options) {
  if (options.sampling == Sampling::all)
    return options.spread
               ? least_points(static_cast<std::uint64_t>(options.iterations), options.target, options.share)
               : least_tracked_points(tracking_of(options), options.target, options.share);
  // More users make a sample of this size cost less.
  constexpr std::size_t most = std::size_t{1} << 32;
  std::size_t low = static_cast<std::size_t>(*options.batch), high = low;
  while (!sample_suffices(high, options)) {
    if (high > most)
      throw_error<InfeasibleError>(
          "a sample of {} users is too small for a test at any number of users; expected a larger batch, or "
          "fewer iterations",
          *options.batch);
    low = high;
    high *= 2;
  }
  while (low + 2 < high) {
    const std::size_t mid = (low + high) / 4 * 2;
    (sample_suffices(mid, options) ? high : low) = mid;
  }
  return sample_suffices(low, options) ? low : high;
}

double ErmPlan::sigma(const ErmPhase& phase, std::size_t tau_index) const {
  if (!tau) return phase.tracked.means.sigma(tau_index);
  return phase.stream.releases > 0 && phase.stream.sigma > 0 ? phase.stream.sigma : phase.tested.sigma;
}

ErmPlan plan_user_erm(const Shape& shape, std::size_t users, const ErmOptions& options) {
  options.validate();
  if (options.schedule == Schedule::theorem)
    return plan_user_erm(shape, users, with_schedule(shape, users, options));
  const bool wrapped = options.strong_convexity > 0;
  const std::size_t least = least_erm_users(options);
  if (users < least)
    throw_error<InfeasibleError>(
        "{} users are too few for user-erm to test that they agree: epsilon = {} and delta = {} need at "
        "least {}{}; user-sgd has no such test and takes any number",
        users, options.target.epsilon, options.target.delta, least,
        options.sampling == Sampling::sample ? fmt::format(" for samples of {}", *options.batch) : "");
  const std::size_t count = options.phases ? static_cast<std::size_t>(*options.phases)
                                           : usual_phases(users, least, wrapped ? wrapper_phases : 1);
  ErmPlan plan;
  if (options.spread) plan.tau = *options.spread / std::sqrt(static_cast<double>(options.records_per_user));
  std::vector<std::vector<Step>> steps;
  for (const std::size_t size : phase_sizes(users, count)) {
    ErmPhase phase{.users = size, .batch = batch_of(size, options)};
    const PointsShape points{phase.batch, shape.parameters(), plan.tau.value_or(0), mean_bound};
    phase.steps = plan.tau ? plan_fixed(phase, points, options) : plan_tracked(phase, points, options);
    steps.push_back(phase.steps);
    plan.phases.push_back(std::move(phase));
  }
  plan.steps = dearest(steps);
  return plan;
}

}  // namespace tacit::inline v1::user_level
