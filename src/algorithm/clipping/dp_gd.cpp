#include "algorithm/clipping/dp_gd.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "algorithm/clipping/dp_sgd.hpp"
#include "algorithm/clipping/iterates.hpp"
#include "algorithm/clipping/run.hpp"
#include "algorithm/heavy_tails/options.hpp"
#include "algorithm/rows.hpp"
#include "noise/gaussian_steps.hpp"
#include "privacy/accounting/calibrate.hpp"
#include "tacit/core.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::clipping {

namespace {

// A gradient that is shorter is not brought to full length: the stability constant of automatic clipping [Bu,
// Wang, Zha & Karypis 2022].
constexpr double least_gradient = 0.01;

double mu_of(const Guarantee& target) {
  if (const auto* gaussian = std::get_if<Gaussian>(&target)) return gaussian->mu;
  return calibrate_gaussian(std::get<Approx>(target));
}

// From public values alone: every step takes the gradient of every record.
void announce_steps(const Shape& shape, const GdOptions& options) {
  constexpr double long_run = 1e11;  // most of a minute of one core, about [heuristic: a message only]
  const double work = static_cast<double>(options.steps) * static_cast<double>(shape.records) *
                      static_cast<double>(shape.parameters());
  if (work > long_run)
    announce(
        fmt::format("This will take long: {} steps over {} records with {} parameters are {:.2g} "
                    "multiplications; fewer steps take less.",
                    options.steps, shape.records, shape.parameters(), work));
}

// Over all records, wherever they are.
std::function<void(const Vector& w, Vector& sum)> full_sums(const Problem& problem, const GdPlan& plan,
                                                            unsigned threads) {
  if (problem.data->shards)
    return [batches = remote_clipped_sums(problem, plan.clip)](const Vector& w, Vector& sum) {
      batches->sum(1, w, sum);
    };
  if (problem.data->size() > std::numeric_limits<std::uint32_t>::max())
    throw_error<UsageError>("there are too many records, expected fewer than 2^32");
  std::vector<std::uint32_t> all(problem.data->size());
  std::iota(all.begin(), all.end(), 0u);
  return [sums = descent_sums(problem, plan, threads), all = std::move(all)](const Vector& w, Vector& sum) {
    sums(w, all, sum);
  };
}

}  // namespace

Facts certified_options(const GdPlan& plan, GdOptions options) {
  options.step_length = plan.step_length;
  Facts noise;
  noise.set("noise", plan.release.scale);
  return GdOptions::table().certified(options, noise);
}

GdPlan plan_dp_gd(const Shape& shape, const GdOptions& options) {
  options.validate();
  const double n = static_cast<double>(shape.records);
  GdPlan plan;
  plan.mu = mu_of(options.target);
  plan.step_length =
      options.step_length.value_or(classifies(shape.loss) ? step_for_classes : gd_step_for_numbers);
  // w − (step/n) Σ g/max(τ,‖g‖) − ηλw, η = step/τ. Without a τ there is no η, and g is the gradient of the
  // record's loss with its regulariser.
  if (options.regularisation > 0 && !options.clip_norm) {
    plan.within = options.regularisation;
  } else if (options.regularisation > 0) {
    const double pull = plan.step_length / *options.clip_norm * options.regularisation;
    if (!(pull <= 1))
      throw_error<UsageError>("step/clip-norm times regularisation is {}, expected at most 1", pull);
    plan.shrink = 1 - pull;
  }
  plan.clip = {.length = plan.step_length / n,
               .norm = options.clip_norm.value_or(0),
               .threshold = options.clip_norm ? 0
                            : plan.within > 0 ? least_gradient
                                              : auto_threshold};

  // One contribution of norm ≤ length is replaced by another, or by none; both sums are rounded.
  const std::size_t most = most_records(shape.records, options.neighbours);
  const bool replaced = options.neighbours == Neighbours::replace_one;
  plan.sensitivity = {.value = replaced ? 2 * plan.clip.length : plan.clip.length,
                      .slack = mul_up(2, clipped_sum_rounding(most, plan.clip.length, shape.shards)),
                      .norm = Norm::l2,
                      .reason = replaced ? "a clipped gradient times step/(n tau) has norm <= step/n, so two "
                                           "differ by twice that; slack: rounding of two sums"
                                         : "a clipped gradient times step/(n tau) has norm <= step/n; slack: "
                                           "rounding of two sums"};
  plan.range = mul_up(2 * static_cast<double>(most), plan.clip.length);
  plan.release = noise::GaussianSteps::plan(static_cast<std::uint64_t>(options.steps), plan.mu,
                                            plan.sensitivity, plan.range, shape.parameters());
  return plan;
}

BatchSums descent_sums(const Problem& problem, const GdPlan& plan, unsigned threads) {
  if (plan.within == 0) return clipped_sums(problem, plan.clip, threads);
  const auto gradient = [loss = record_loss(problem), pull = plan.within](const Vector& w, std::size_t record,
                                                                          std::span<double> out) {
    loss.gradient(w, record, out);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += pull * w[static_cast<Eigen::Index>(k)];
  };
  return clipped_sums(RecordGradient(gradient), shape_of(problem).parameters(), plan.clip, threads,
                      problem.data);
}

Release dp_gd(const Problem& problem, const GdOptions& options, Meter& meter) {
  validate(problem);
  if (options.neighbours != meter.budget().neighbours)
    throw_error<UsageError>("dp-gd is planned for {} neighbours, but the budget is for {}",
                            name(options.neighbours), name(meter.budget().neighbours));
  const Shape shape = public_shape_of_clipped(problem, options.neighbours, options.records);
  const GdPlan plan = plan_dp_gd(shape, options);
  if (problem.data->shards && plan.within > 0)
    throw_error<UsageError>(
        "a regularisation within the clipped gradients needs all records in one place; give a clip-norm");
  const auto steps = static_cast<std::uint64_t>(options.steps);
  announce_steps(shape, options);

  noise::GaussianSteps mechanism(steps, plan.mu, plan.sensitivity, plan.range, shape.parameters(), meter);
  const auto sum_of_all = full_sums(problem, plan, options.threads);
  Released<Iterates> iterates(Public(
      Iterates(initial_parameters(shape, options.seed),
               {.grid = plan.release.grid, .radius = options.radius, .kind = options.iterate, .steps = steps},
               meter.bits())));
  while (iterates.value().taken() < steps) {
    // 1. The sum of the clipped gradients of all records, in units of w.
    Vector sum;
    sum_of_all(iterates.value().current(), sum);
    // 2. Noise.
    const Released<Vector> noisy =
        mechanism.release(Sensitive<Vector>(std::move(sum), plan.sensitivity, options.neighbours));
    // 3. Step, shrink by the regulariser, which is public, and project.
    iterates.update([](Iterates& now, const Vector& step, double shrink) { now.step(step, shrink); }, noisy,
                    Public(plan.shrink));
    // A step's time tells how many records there are: where a larger number is stated, that is private.
    if (!options.records) tell_progress(iterates.value().taken(), steps);
  }
  return {iterates.map([](const Iterates& taken) { return taken.result(); }),
          certify("dp-gd", meter, certified_options(plan, options), shape_facts(shape))};
}

}  // namespace tacit::inline v1::clipping
