#include "tacit/algorithm/user_level/user_erm.hpp"

#include <atomic>
#include <memory>
#include <numeric>

#include "../heavy_tails/ball_smoothing.hpp"
#include "caps.hpp"
#include "phases.hpp"
#include "records.hpp"
#include "tacit/algorithm/partition.hpp"
#include "tacit/core/parallel.hpp"
#include "tacit/privacy/target_facts.hpp"
#include "tacit/solver/outliers.hpp"

namespace tacit::inline v1::user_level {

UserGradients user_gradients(const Problem& problem, const UserRecords& users, const ErmOptions& options,
                             unsigned workers) {
  const Clip clip = record_clip(options.clip_norm);
  if (!heavy_tails::has_one_kink(problem.loss))
    return UserGradients([&] { return clipped_sums(problem, clip, 1); }, users, workers);
  // E f(w + s·u) over the unit ball, in closed form for a linear model: nothing is drawn.
  constexpr double no_limit = 1e300;
  const auto smoothed = std::make_shared<heavy_tails::BallSmoothed>(problem, no_limit, options.smoothing);
  const auto gradient = [smoothed](const Vector& w, std::size_t record, std::span<double> g) {
    smoothed->add_gradient(w, record, g);
  };
  return UserGradients([&] { return clipped_sums(gradient, shape_of(problem).parameters(), clip, 1); }, users,
                       workers);
}

namespace {

// One user's mean gradient a row.
Points gradients_at(const Vector& w, std::span<const std::size_t> members, UserGradients& gradients,
                    unsigned workers, std::atomic<std::size_t>& counted) {
  Points points(static_cast<Eigen::Index>(members.size()), w.size());
  parallel_parts(members.size(), workers, [&](std::size_t begin, std::size_t end, unsigned worker) {
    Vector g;
    for (std::size_t j = begin; j < end; ++j) {
      gradients.mean(worker, w, members[j], g);
      points.row(static_cast<Eigen::Index>(j)) = g;
      counted += gradients.users().of(members[j]).size();
    }
  });
  return points;
}

// A random sample of the members, without replacement, to the front.
void shuffle_sample(std::vector<std::size_t>& members, std::size_t batch, BitSource& bits) {
  for (std::size_t k = 0; k < batch; ++k)
    std::swap(members[k], members[k + draw_below(members.size() - k, bits)]);
}

Facts certified_options(const ErmPlan& plan, const ErmOptions& options, std::size_t passed) {
  Facts facts;
  set_target(facts, options.target);
  facts.set("records_per_user", options.records_per_user);
  facts.set("weighting", std::string("user"));
  facts.set("clip_norm", options.clip_norm ? fmt::format("{}", *options.clip_norm) : "auto");
  facts.set("radius", options.radius);
  facts.set("phases", static_cast<std::int64_t>(plan.phases.size()));
  facts.set("iterations", options.iterations);
  facts.set("sampling", std::string(name(options.sampling)));
  if (options.batch) facts.set("batch", static_cast<double>(*options.batch));
  facts.set("regularisation", plan.phases.front().regularisation);
  facts.set("smoothness", plan.phases.front().facts.smoothness - plan.phases.front().facts.strong_convexity);
  facts.set("smoothing", options.smoothing);
  facts.set("strong_convexity", options.strong_convexity);
  facts.set("spread", plan.spread);
  set_share(facts, options.share);
  facts.set("phases_passed", static_cast<std::int64_t>(passed));
  return facts;
}

// What one phase has to work with.
struct Run {
  const ErmPlan* plan;
  const ErmOptions* options;
  UserGradients* gradients;
  unsigned workers;
  BitSource* bits;
  std::atomic<std::size_t> counted = 0;

  Inliers inliers_at(const Vector& w, std::span<const std::size_t> members) {
    return inliers(gradients_at(w, members, *gradients, workers, counted), plan->tau, mean_bound,
                   options->threads);
  }
};

// [LowyLiuAsi24, Alg. 2], from and around `w`. Moves w; true when no test failed. Where there is no inlier
// the mean is 0, which is public.
bool accelerate(const ErmPhase& phase, std::vector<std::size_t> members, Run& run, Vector& w,
                std::optional<Released<std::optional<Vector>>>& released) {
  const ErmOptions& options = *run.options;
  const auto sensitive = [](auto value, const Sensitivity& sensitivity) {
    return Sensitive(std::move(value), sensitivity, Neighbours::replace_one, Unit::user);
  };
  const Vector center = w;
  Accelerated method(w, phase.radius, phase.facts,
                     plan_stages(static_cast<std::size_t>(options.iterations), phase.facts));
  Meter own({NoPrivacy{}, Unit::user, Neighbours::replace_one}, *run.bits);  // the outer meter was charged
  std::optional<noise::StableReleases> stream;
  if (options.sampling == Sampling::all) stream.emplace(phase.stream, own);

  bool passed = true;
  for (std::int64_t t = 0; t < options.iterations && passed; ++t) {
    // 3. All users, or a sample of them.
    if (!stream) shuffle_sample(members, phase.batch, *run.bits);
    // 5.–13. Their gradients at the query point, and the mean of those that are no outliers.
    const Inliers found = run.inliers_at(method.query(), std::span(members).first(phase.batch));
    const Vector mean = found.mean.value_or(Vector::Zero(w.size()));
    // 4., 7., 14. Test, and noise.
    if (stream) {
      released = stream->release(sensitive(found.close_pairs, phase.stream.stability),
                                 sensitive(mean, phase.stream.value));
    } else {
      const TestedMean& terms = phase.tested;
      released =
          noise::propose_test_release(terms.test, sensitive(found.close_pairs, terms.pairs), terms.pair_range,
                                      sensitive(mean, terms.mean), terms.sigma, terms.range, own);
    }
    passed = released->value().has_value();
    // 15. A step of AC-SA on the regularised objective.
    if (passed)
      method.step(*released->value() + phase.regularisation * (method.query() - center) +
                  options.strong_convexity * method.query());
  }
  w = method.result();
  return passed;
}

}  // namespace

Release user_erm(const Problem& problem, const ErmOptions& options, Meter& meter, RunCounts* counts) {
  validate(problem);
  require_replaced_users(meter);
  const UserRecords users =
      bounded_records(*problem.data, problem.data->user_count, options.records_per_user, meter.bits());
  const Shape shape = public_shape(problem, users.users(), options.records_per_user);
  const ErmPlan plan = plan_user_erm(shape, users.users(), options);
  for (const Step& step : plan.steps) meter.charge(step);

  // Notation [LowyLiuAsi24, Alg. 3]: i counts phases, w = x_i.
  const unsigned workers = options.threads == 0 ? default_threads() : options.threads;
  UserGradients gradients = user_gradients(problem, users, options, workers);
  Run run{&plan, &options, &gradients, workers, &meter.bits()};
  const std::vector<std::size_t> order = secret_order(users.users(), meter.bits());
  std::size_t passed = 0;
  auto next = order.begin();
  Vector w = Vector::Zero(static_cast<Eigen::Index>(shape.parameters()));
  std::optional<Released<std::optional<Vector>>> released;
  for (const ErmPhase& phase : plan.phases) {
    const auto end = next + static_cast<std::ptrdiff_t>(phase.users);
    // 5.–7. Users of its own, and the regularised problem around x_{i−1}.
    const bool ended = accelerate(phase, {next, end}, run, w, released);
    round_to_grid(w, plan.steps.back().grid);
    project_on_grid(w, options.radius, plan.steps.back().grid);
    if (!ended) break;
    next = end;
    ++passed;
  }
  if (counts) counts->gradients = run.counted;
  return {released->map([&](const std::optional<Vector>&) { return w; }),
          certify("user-erm", meter, certified_options(plan, options, passed),
                  public_facts(shape, users.users(), options.records_per_user))};
}

}  // namespace tacit::inline v1::user_level
