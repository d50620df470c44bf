#include "algorithm/user_level/user_phased.hpp"

#include <atomic>
#include <cmath>

#include "algorithm/heavy_tails/options.hpp"
#include "algorithm/partition.hpp"
#include "algorithm/rows.hpp"
#include "algorithm/user_level/phases.hpp"
#include "algorithm/user_level/records.hpp"
#include "core/parallel.hpp"
#include "solver/outliers.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::user_level {

namespace {

constexpr std::size_t most_phases = 3;  // of those chosen by rule [heuristic: utility only]
// Of a spread that is to be found the likely size [heuristic: utility only].
constexpr double usual_spread = 1;

// The mean moves by this many τ/C.
double movement_factor(double core) { return 4 * (7 - 6 * core) / core; }

// Groups and step that balance what SGD leaves, R²/(ηT) + ηL², with what the noise adds, √p·σ·L, for T =
// n_i·m/C steps and σ = z·k·τ/C, τ = spread·ηL√T, in units of L [heuristic: utility only;
// docs/user_phased.md].
double balanced_groups(double noise, double parameters, double records) {
  return std::pow(0.5 * noise * std::sqrt(parameters * records), 2.0 / 3);
}
double balanced_step(double radius, double noise, double parameters, double steps, double groups) {
  return radius / std::sqrt(steps * (1 + noise * std::sqrt(parameters * steps) / groups));
}

Phase plan_phase(std::size_t users, std::size_t parameters, std::size_t index, const PhasedPlan& plan,
                 const PhasedOptions& options) {
  const double cap = static_cast<double>(options.records_per_user), p = static_cast<double>(parameters);
  const double noise = released_noise(options);
  const std::size_t least = least_groups(options);
  Phase phase;
  const double balanced = balanced_groups(noise, p, static_cast<double>(users) * cap);
  phase.groups = options.groups
                     ? static_cast<std::size_t>(*options.groups)
                     : even_below(std::min(users, std::max(least, static_cast<std::size_t>(balanced))));
  if (phase.groups > users)
    throw_error<InfeasibleError>("a phase of {} users has too few for {} groups", users, phase.groups);
  const std::size_t per_group = phase.groups == 0 ? 0 : users / phase.groups;
  phase.users = per_group * phase.groups;
  const double steps = std::max(1.0, static_cast<double>(per_group) * cap);  // T_i, at most
  const double first = options.step.value_or(
      balanced_step(options.radius, noise, p, steps, static_cast<double>(phase.groups)));
  phase.step = first * std::pow(step_decay, -static_cast<double>(index));
  if (options.spread) {
    phase.tau = *options.spread * phase.step * std::sqrt(steps);
    phase.release =
        plan_tested_mean({phase.groups, parameters, phase.tau, plan.bound}, options.target, options.share);
  } else {
    phase.chosen = plan_chosen_mean({phase.groups, parameters, 0, plan.bound}, options.target, options.share);
  }
  return phase;
}

// 10.–22. of a phase at a τ that is given: test, and the mean of the groups that are no outliers, with noise.
Released<std::optional<Vector>> test_given(const Points& points, const Phase& phase, const Vector& w,
                                           double bound, unsigned threads, Meter& meter) {
  const Inliers found = inliers(points, phase.tau, bound, threads);
  const TestedMean& terms = phase.release;
  return noise::propose_test_release(
      terms.test, {found.close_pairs, terms.pairs, Neighbours::replace_one, Unit::user}, terms.pair_range,
      {found.mean.value_or(w), terms.mean, Neighbours::replace_one, Unit::user}, terms.sigma, terms.range,
      meter);
}

// The same at a τ from the data, whose choice is the test.
Released<std::optional<Vector>> release_at_chosen(Points points, const Phase& phase, const Vector& w,
                                                  unsigned threads, std::vector<double>& found,
                                                  Meter& meter) {
  const ScaledMeans& means = phase.chosen.means;
  zero_beyond(points, means.bound);
  const std::size_t tau = choose_tau(points, means, phase.chosen.choice, threads, meter).value();
  found.push_back(means.taus[tau]);
  meter.charge(phase.chosen.failure());
  Meter noise = meter.child(phase.chosen.noise());
  return release_mean(points, tau, means, w, threads, noise).map([](const Vector& mean) {
    return std::optional(mean);
  });
}

// One-pass projected SGD over a group's records: the average of its iterates [Alg. 1, line 8]. Whatever comes
// out that is no number is replaced by the start.
Vector average_iterate(const BatchSums& gradient, const UserRecords& users,
                       std::span<const std::size_t> group, const Vector& start, double step, double radius,
                       std::atomic<std::size_t>& gradients) {
  Vector x = start, sum = Vector::Zero(start.size()), g;
  std::size_t steps = 0;
  for (const std::size_t user : group)
    for (const std::uint32_t record : users.of(user)) {
      gradient(x, {&record, 1}, g);
      x -= step * g;
      if (const double norm = x.norm(); norm > radius) x *= radius / norm;
      sum += x;
      ++steps;
    }
  gradients += steps;
  if (steps > 0) sum /= static_cast<double>(steps);
  return steps > 0 && sum.allFinite() ? sum : start;
}

}  // namespace

std::size_t least_groups(const PhasedOptions& options) {
  return options.spread ? least_points(options.target, options.share)
                        : least_chosen_points(options.target, options.share);
}

double released_noise(const PhasedOptions& options) {
  return tested_noise(options.target, options.share, false) * movement_factor(options.share.core) *
         options.spread.value_or(usual_spread);
}

Facts certified_options(const PhasedPlan& plan, PhasedOptions options, const Outcome& outcome) {
  options.phases = static_cast<std::int64_t>(plan.phases.size());
  Facts more;
  more.set("weighting", std::string("record"));
  set_outcome(more, outcome);
  return PhasedOptions::table().certified(options, more);
}

const OptionTable<PhasedOptions>& PhasedOptions::table() {
  static const OptionTable<PhasedOptions> table = {
      budget(&PhasedOptions::target),
      record_clip_field(&PhasedOptions::clip_norm),
      field(&PhasedOptions::radius, "radius", size_range, "of the ball that the parameters are sought in"),
      field(&PhasedOptions::phases, "phases", between(1, most_stated_phases),
            "passes over disjoint users, each around the last one's point")
          .otherwise("up to 3, as the users suffice"),
      field(&PhasedOptions::groups, "groups", even_from(2), "of users in each phase")
          .otherwise("what balances noise and progress"),
      field(&PhasedOptions::step, "step", size_range, "of SGD in the first phase")
          .otherwise("what balances noise and progress"),
      choice(&PhasedOptions::schedule, "schedule", {Schedule::practical, Schedule::theorem},
             "practical, or theorem: phases, groups and step that make the proved bound least")
          .uncertified(),
      auto_or_number(&PhasedOptions::spread, "spread", size_range,
                     "how far groups may lie apart, over step·√steps; where they lie further it halts")
          .otherwise("auto: from the data, privately"),
      cap_field(&PhasedOptions::records_per_user),
      within(&PhasedOptions::share, share_table()),
      phase_facts<PhasedOptions>(),
      field(&PhasedOptions::threads, "threads", any(), "").internal().uncertified()};
  return table;
}

void PhasedOptions::validate() const {
  tacit::validate(Guarantee(target));
  table().validate(*this);
}

PhasedPlan plan_user_phased(std::size_t users, std::size_t parameters, const PhasedOptions& options) {
  options.validate();
  if (options.schedule == Schedule::theorem)
    return plan_user_phased(users, parameters, with_schedule(users, parameters, options));
  PhasedPlan plan;
  // A mean of points of the ball, and its rounding.
  plan.bound = mul_up(options.radius, 1.0001);
  const std::size_t least = least_groups(options);
  const auto count =
      options.phases ? static_cast<std::size_t>(*options.phases) : usual_phases(users, least, most_phases);
  std::vector<std::vector<Step>> steps;
  for (const std::size_t size : phase_sizes(users, count)) {
    plan.phases.push_back(plan_phase(size, parameters, plan.phases.size(), plan, options));
    const Phase& phase = plan.phases.back();
    steps.push_back(options.spread ? phase.release.steps : phase.chosen.steps);
  }
  plan.steps = dearest(steps);
  return plan;
}

Points group_averages(const Problem& problem, const UserRecords& users, std::span<const std::size_t> members,
                      const Vector& start, const Phase& phase, const PhasedOptions& options,
                      std::size_t& gradients) {
  const std::size_t size = phase.users / phase.groups;
  std::atomic<std::size_t> counted = 0;
  Points points(static_cast<Eigen::Index>(phase.groups), start.size());
  parallel_parts(phase.groups, options.threads, [&](std::size_t begin, std::size_t end, unsigned) {
    const BatchSums gradient = clipped_sums(problem, record_clip(options.clip_norm), 1);
    for (std::size_t j = begin; j < end; ++j)
      points.row(static_cast<Eigen::Index>(j)) = average_iterate(
          gradient, users, members.subspan(j * size, size), start, phase.step, options.radius, counted);
  });
  gradients += counted;
  return points;
}

Release user_phased(const Problem& problem, const PhasedOptions& asked, Meter& meter, RunCounts* counts) {
  validate(problem);
  require_replaced_users(meter);
  const UserRecords users =
      bounded_records(*problem.data, problem.data->user_count, asked.records_per_user, meter.bits());
  const Shape shape = public_shape(problem, users.users(), asked.records_per_user);
  const PhasedOptions options = with_schedule(users.users(), shape.parameters(), asked);
  const PhasedPlan plan = plan_user_phased(users.users(), shape.parameters(), options);
  for (const Step& step : plan.steps) meter.charge(step);

  // Notation [LowyLiuAsi24, Alg. 1]: i counts phases, w = x_i, points = x̃_{i,1} … x̃_{i,C}.
  const std::vector<std::size_t> order = secret_order(users.users(), meter.bits());
  std::size_t gradients = 0, used = 0, passed = 0;
  Released<Vector> w(Public(Vector(Vector::Zero(static_cast<Eigen::Index>(shape.parameters())))));
  std::vector<double> found;
  for (const Phase& phase : plan.phases) {
    // 5.–9. Each group's own users, one pass from x_{i−1}.
    const auto members = std::span(order).subspan(used, phase.users);
    used += phase.users;
    const Points points = group_averages(problem, users, members, w.value(), phase, options, gradients);
    // 10.–22. The mean of those that are no outliers, with noise.
    Meter own = meter.next_part();
    const Released<std::optional<Vector>> mean =
        options.spread ? test_given(points, phase, w.value(), plan.bound, options.threads, own)
                       : release_at_chosen(points, phase, w.value(), options.threads, found, own);
    if (!mean.value()) break;
    ++passed;
    w = mean.map([](const std::optional<Vector>& released) { return *released; });
    w.update(project_on_grid, Public(options.radius), Public(plan.steps.back().grid));
  }
  if (counts) counts->gradients = gradients;
  return {std::move(w), certify("user-phased", meter, certified_options(plan, options, {passed, found}),
                                public_facts(shape, users.users(), options.records_per_user))};
}

}  // namespace tacit::inline v1::user_level
