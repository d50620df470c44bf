#include "algorithm/user_level/user_erm.hpp"

#include <atomic>
#include <memory>
#include <numeric>

#include "algorithm/heavy_tails/ball_smoothing.hpp"
#include "algorithm/partition.hpp"
#include "algorithm/user_level/phases.hpp"
#include "algorithm/user_level/records.hpp"
#include "core/parallel.hpp"
#include "solver/outliers.hpp"

namespace tacit::inline v1::user_level {

UserGradients user_gradients(const Problem& problem, const UserRecords& users, const ErmOptions& options,
                             unsigned workers) {
  const Clip clip = record_clip(options.clip_norm);
  if (!heavy_tails::has_one_kink(problem.loss))
    return UserGradients([&] { return clipped_sums(problem, clip, 1); }, users, workers);
  // E f(w + s·u) over the unit ball, in closed form for a linear model: nothing is drawn.
  constexpr double no_limit = 1e300;
  const auto smoothed = std::make_shared<heavy_tails::BallSmoothed>(problem, no_limit,
                                                                    smoothing_of(shape_of(problem), options));
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

// What one phase has to work with.
class Run {
 public:
  Run(const Problem& problem, const UserRecords& users, const ErmPlan& plan, const ErmOptions& options,
      BitSource& bits)
      : plan_(plan),
        options_(options),
        workers_(options.threads == 0 ? default_threads() : options.threads),
        gradients_(user_gradients(problem, users, options, workers_)),
        bits_(bits),
        descents_(shape_of(problem), options) {}

  bool phase(const ErmPhase& phase, std::vector<std::size_t> members, Released<Vector>& w, Meter& own);

  std::size_t counted() const { return counted_; }
  Outcome outcome;
  double regularisation = 0;  // of the first phase

 private:
  // 3.–5. Gradients at w: of all users, or of a sample of them.
  Points points_at(const Vector& w, const ErmPhase& phase, std::vector<std::size_t>& members) {
    if (options_.sampling == Sampling::sample) shuffle_sample(members, phase.batch, bits_);
    Points points = gradients_at(w, std::span(members).first(phase.batch), gradients_, workers_, counted_);
    zero_beyond(points, mean_bound);
    return points;
  }
  std::size_t choose(const Points& points, const ErmPhase& phase, Meter& own) const;
  std::optional<Released<Vector>> fixed(const Points& points, const ErmPhase& phase,
                                        std::optional<noise::StableReleases>& stream, Meter& own) const;

  const ErmPlan& plan_;
  const ErmOptions& options_;
  unsigned workers_;
  UserGradients gradients_;
  BitSource& bits_;
  Descents descents_;
  std::atomic<std::size_t> counted_ = 0;
};

// What a step on a sample of the users does there.
Meter on_sample(const Step& sampled, Meter& own) { return own.child(sampled).child(sampled.inner[0]); }

// The first tau, from all users or from a sample of its own.
std::size_t Run::choose(const Points& points, const ErmPhase& phase, Meter& own) const {
  const auto chosen = [&](Meter& meter) {
    return choose_tau(points, phase.tracked.means, phase.tracked.choice, options_.threads, meter).value();
  };
  if (options_.sampling == Sampling::all) return chosen(own);
  Meter sample = on_sample(phase.steps.front(), own);
  return chosen(sample);
}

// The tests and the releases at a tau that follows the data, among all users or, where there is none yet, in
// a sample of them.
class TrackedReleases {
 public:
  TrackedReleases(const ErmPhase& phase, Sampling sampling, Meter& own)
      : phase_(phase), sampling_(sampling), own_(own) {
    if (sampling == Sampling::all) open(own);
  }

  Tested test(const Points& points, std::size_t tau, unsigned threads) {
    if (sampling_ == Sampling::sample) {
      sample_.reset(new Meter(on_sample(phase_.steps.back(), own_)));
      open(*sample_);
    }
    return test_and_release(points, tau, phase_.tracked, threads, *tests_, *releases_);
  }

 private:
  void open(Meter& meter) {
    tests_.reset(new Meter(meter.child(phase_.tracked.tests())));
    meter.charge(phase_.tracked.failure());
    releases_.reset(new Meter(meter.child(phase_.tracked.noise())));
  }

  const ErmPhase& phase_;
  Sampling sampling_;
  Meter& own_;
  std::unique_ptr<Meter> sample_, tests_, releases_;
};

// 4.–14. at a tau that is given: test, and the mean of those that are no outliers, with noise. Where there is
// no inlier the mean is 0, which is public.
std::optional<Released<Vector>> Run::fixed(const Points& points, const ErmPhase& phase,
                                           std::optional<noise::StableReleases>& stream, Meter& own) const {
  const auto sensitive = [](auto value, const Sensitivity& sensitivity) {
    return Sensitive(std::move(value), sensitivity, Neighbours::replace_one, Unit::user);
  };
  const Inliers found = inliers(points, *plan_.tau, mean_bound, options_.threads);
  const Vector mean = found.mean.value_or(Vector::Zero(points.cols()));
  const TestedMean& terms = phase.tested;
  const auto on_a_sample = [&] {
    Meter sample = on_sample(phase.steps.front(), own);
    return noise::propose_test_release(terms.test, sensitive(found.close_pairs, terms.pairs),
                                       terms.pair_range, sensitive(mean, terms.mean), terms.sigma,
                                       terms.range, sample);
  };
  const Released<std::optional<Vector>> released =
      stream ? stream->release(sensitive(found.close_pairs, phase.stream.stability),
                               sensitive(mean, phase.stream.value))
             : on_a_sample();
  if (!released.value()) return std::nullopt;
  return released.map([](const std::optional<Vector>& value) { return *value; });
}

// 15. A step of AC-SA on the regularised objective.
void accelerate(Accelerated& method, const Vector& gradient, const Vector& center, double regularisation,
                double strong_convexity) {
  method.step(gradient + regularisation * (method.query() - center) + strong_convexity * method.query());
}

// [LowyLiuAsi24, Alg. 2], from and around `w`. Moves w; false when it halted.
bool Run::phase(const ErmPhase& phase, std::vector<std::size_t> members, Released<Vector>& w, Meter& own) {
  const bool tracks = !plan_.tau;
  std::optional<noise::StableReleases> stream;
  std::optional<TrackedReleases> tracked;
  if (!tracks && options_.sampling == Sampling::all) stream.emplace(phase.stream, own);
  TrackedTau tau;
  if (tracks) {
    tau.now = choose(points_at(w.value(), phase, members), phase, own);
    tracked.emplace(phase, options_.sampling, own);
  }
  const auto tau_now = [&] { return tracks ? phase.tracked.means.taus[tau.now] : *plan_.tau; };
  const Descent descent = descents_.next(phase, tau_now(), plan_.sigma(phase, tau.now));
  if (outcome.passed == 0) regularisation = descent.regularisation;

  const Vector center = w.value();
  const auto steps = static_cast<std::size_t>(options_.iterations);
  Released<Accelerated> method(Public(Accelerated(center, descent.radius, options_.radius, descent.facts,
                                                  plan_stages(steps, descent.facts))));
  std::size_t taken = 0;
  for (std::size_t test = 0; test < phase.tests && taken < steps; ++test) {
    const Points points = points_at(method.value().query(), phase, members);
    std::optional<Released<Vector>> gradient;
    if (tracked) {
      Tested tested = tracked->test(points, tau.now, options_.threads);
      gradient = std::move(tested.mean);
      tau = phase.tracked.next(tau, tested.noisy_pairs);
    } else {
      gradient = fixed(points, phase, stream, own);
      if (!gradient) break;
    }
    if (!gradient) continue;
    method.update(accelerate, *gradient, Public(center), Public(descent.regularisation),
                  Public(options_.strong_convexity));
    ++taken;
  }
  if (tracks) outcome.tau.push_back(tau_now());
  w = method.map([](const Accelerated& all) { return all.result(); });
  // A test that fails at a tau that is given is the end; one that fails at another was tried again.
  return tracks ? taken > 0 : taken == steps;
}

}  // namespace

Release user_erm(const Problem& problem, const ErmOptions& asked, Meter& meter, RunCounts* counts) {
  validate(problem);
  require_replaced_users(meter);
  const UserRecords users =
      bounded_records(*problem.data, problem.data->user_count, asked.records_per_user, meter.bits());
  const Shape shape = public_shape(problem, users.users(), asked.records_per_user);
  const ErmOptions options = with_schedule(shape, users.users(), asked);
  const ErmPlan plan = plan_user_erm(shape, users.users(), options);
  for (const Step& step : plan.steps) meter.charge(step);

  // Notation [LowyLiuAsi24, Alg. 3]: i counts phases, w = x_i.
  Run run(problem, users, plan, options, meter.bits());
  const std::vector<std::size_t> order = secret_order(users.users(), meter.bits());
  auto next = order.begin();
  const double grid = plan.steps.back().grid;
  Released<Vector> w(Public(Vector(Vector::Zero(static_cast<Eigen::Index>(shape.parameters())))));
  for (const ErmPhase& phase : plan.phases) {
    const auto end = next + static_cast<std::ptrdiff_t>(phase.users);
    // 5.–7. Users of its own, and the regularised problem around x_{i−1}.
    Meter own = meter.next_part();
    const bool ended = run.phase(phase, {next, end}, w, own);
    w.update(round_to_grid, Public(grid));
    w.update(project_on_grid, Public(options.radius), Public(grid));
    if (!ended) break;
    next = end;
    ++run.outcome.passed;
  }
  if (counts) counts->gradients = run.counted();
  return {std::move(w),
          certify("user-erm", meter, certified_options(shape, plan, options, run.outcome, run.regularisation),
                  public_facts(shape, users.users(), options.records_per_user))};
}

}  // namespace tacit::inline v1::user_level
