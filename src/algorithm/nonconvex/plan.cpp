#include "algorithm/nonconvex/plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithm/nonconvex/sampled_plan.hpp"
#include "noise/poisson_gaussian.hpp"
#include "noise/prefix_sums.hpp"
#include "noise/samplers.hpp"
#include "privacy/accounting/conversions.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"

namespace tacit::inline v1::nonconvex {

namespace {

// Contributions of norm ≤ length [clip_factor.hpp]: one that is there or not moves the real sum by at most
// that, one that is replaced by twice that; and both sums, of at most `batch` of them, are rounded.
NoisySum sum_of(const RunShape& run, const Options& options, std::size_t batch, double length,
                double clip_norm, std::string what) {
  NoisySum sum{.batch = batch, .clip = {.length = length, .norm = clip_norm}};
  const double moved = contributions_moved(options);
  if (moved == 1) what += ", and one record is there or null";
  sum.sensitivity = {.value = mul_up(moved, length),
                     .slack = mul_up(2, clipped_sum_rounding(batch, length, run.shards)),
                     .norm = Norm::l2,
                     .reason = std::move(what) + "; slack: rounding of two batch sums"};
  sum.range = mul_up(2 * static_cast<double>(batch), length);
  return sum;
}

// sigma for exactly this mu, up to rounding.
void add_gaussian(NoisySum& sum, double mu) {
  sum.mu = mu;
  sum.sigma = noise::scale_for(sum.sensitivity, Pure{mu});
}

// The stream's own sensitivity does not depend on sigma, so that any sigma tells it.
void add_prefix_noise(NoisySum& sum, const Sizes& sizes, std::size_t parameters, const Options& options,
                      double mu) {
  const Step stream = noise::PrefixSums::plan(options.prefix, sizes.period - 1, parameters, sum.sensitivity,
                                              sum.range, sum.range);
  sum.mu = mu;
  sum.sigma = noise::scale_for(stream.sensitivity, Pure{mu});
}

void plan_single_pass(Plan& plan, const RunShape& run, const Options& options) {
  const Batches batch = batches(run, plan.sizes, options);
  const ClipNorms clip = clip_norms(run.parameters, plan.sizes, options);
  // Batches are disjoint, so that each may spend all of mu.
  plan.start = sum_of(run, options, batch.start, clip.start / static_cast<double>(batch.start), clip.start,
                      "clipped estimates of the smoothed gradient have norm <= L/B");
  add_gaussian(plan.start, run.mu);
  if (plan.sizes.period == 1) return;
  plan.change = sum_of(run, options, batch.change, clip.change / static_cast<double>(batch.change),
                       clip.change, "clipped estimates of its change have norm <= kappa/B");
  add_prefix_noise(plan.change, plan.sizes, run.parameters, options, run.mu);
}

void plan_multi_pass(Plan& plan, const RunShape& run, const Options& options) {
  const Shares mu = shares(run, plan.sizes, options);
  const double n = static_cast<double>(run.records),
               l = clip_norms(run.parameters, plan.sizes, options).start;
  plan.start = sum_of(run, options, run.records, l / n, l,
                      "clipped estimates of the smoothed gradient have norm <= L/n");
  add_gaussian(plan.start, mu.start);
  if (plan.sizes.steps == plan.sizes.periods()) return;
  // In units of the clip norm, which follows the released iterates: the step stays the same.
  plan.change = sum_of(run, options, run.records, 1 / n, 1,
                       "clipped estimates of its change over kappa have norm <= 1/n");
  add_gaussian(plan.change, mu.change);
}

// One Gaussian step stands for all: disjoint batches cost the dearest, repeated ones the root of the sum of
// squares [docs/o2nc.md, "Privacy"].
double composed_mu(const Plan& plan, const Options& options) {
  if (options.pass == Pass::single) return std::max(plan.start.mu, plan.change.mu);
  const double starts = static_cast<double>(plan.sizes.periods()),
               changes = static_cast<double>(plan.sizes.steps) - starts;
  return sqrt_up(add_up(mul_up(starts, mul_up(plan.start.mu, plan.start.mu)),
                        mul_up(changes, mul_up(plan.change.mu, plan.change.mu))));
}

// Periods that go on after their first gradient.
std::size_t streams(const Sizes& sizes) {
  if (sizes.period == 1) return 0;
  return sizes.steps / sizes.period + (sizes.steps % sizes.period > 1 ? 1 : 0);
}

Step repeated(Step step, std::size_t times) {
  step.times = times;
  return step;
}

// Every release of the run.
std::vector<Step> releases(const Plan& plan, std::size_t parameters, const Options& options) {
  const NoisySum &start = plan.start, &change = plan.change;
  const std::size_t starts = plan.sizes.periods(), changes = plan.sizes.steps - starts;
  std::vector<Step> steps = {
      repeated(noise::plan_gaussian(start.sensitivity, start.sigma, start.range, parameters), starts)};
  if (changes == 0) return steps;
  if (options.pass == Pass::multi)
    steps.push_back(
        repeated(noise::plan_gaussian(change.sensitivity, change.sigma, change.range, parameters), changes));
  else
    steps.push_back(repeated(noise::PrefixSums::plan(options.prefix, plan.sizes.period - 1, parameters,
                                                     change.sensitivity, change.sigma, change.range),
                             streams(plan.sizes)));
  return steps;
}

// What is charged; a sampled run's events have been planned with its noise.
void add_release(Plan& plan, std::size_t parameters, const Options& options) {
  if (options.pass != Pass::sampled) {
    plan.release.mechanism = options.pass == Pass::single ? "o2nc-single-pass" : "o2nc-multi-pass";
    plan.release.event = GaussianEvent{composed_mu(plan, options)};
    if (options.pass == Pass::single) plan.release.nesting = Parallel{};
    plan.release.inner = releases(plan, parameters, options);
  }
  // The output is a mean of points that are D apart at least that finely.
  const double grid = noise::lattice_for(plan.sizes.step_cap, 0).grid;
  const auto complete = [&](Step& step, const NoisySum& sum) {
    step.sensitivity = sum.sensitivity;
    step.scale = sum.sigma;
    step.grid = grid;
    step.dimension = parameters;
    if (const auto* sampled = std::get_if<PoissonGaussianEvent>(&step.event))
      step.inner = {noise::PoissonGaussian::plan(*sampled, sum.sensitivity, sum.range, parameters)};
  };
  complete(plan.release, plan.start);
  if (plan.changes) complete(*plan.changes, plan.change);
}

// A difference of values takes two evaluations for each direction, a gradient one; a change takes those at
// two points.
double evaluations(const Plan& plan, const Options& options) {
  const double starts = static_cast<double>(plan.sizes.periods()),
               changes = static_cast<double>(plan.sizes.steps) - starts;
  const double each = options.estimate == Estimate::values ? 2 : 1;
  return each * static_cast<double>(plan.sizes.directions) *
         (starts * static_cast<double>(plan.start.batch) +
          2 * changes * static_cast<double>(plan.change.batch));
}

// 2D/(G₁√M), G₁ = L + the root of the mean error: that of blocks of eight, unless they are asked for
// [heuristic: utility only].
double practical_step_size(const Plan& plan, const RunShape& run, const Options& options) {
  const double size = options.lipschitz + std::sqrt(mean_oracle_error(run, plan.sizes, options));
  const double block = options.averaging ? static_cast<double>(*options.averaging)
                                         : static_cast<double>(std::min(usual_averaging, plan.sizes.steps));
  return options.step_size.value_or(2 * plan.sizes.step_cap / (size * std::sqrt(block)));
}

// The norm is at most L at every point, so that a bound beyond that says nothing.
void announce_bound(const Plan& plan, const Options& options) {
  const double bound = plan.bound->total();
  const std::string nothing =
      fmt::format(", which says nothing: it is at most {:.3g} everywhere", options.lipschitz);
  tacit::announce(
      fmt::format("The theorem's bound on the Goldstein norm within {:.3g} is {:.3g}, for a loss at most "
                  "{:.3g} steep that can fall "
                  "by at most {:.3g}{}.",
                  2 * plan.sizes.smoothing, bound, options.lipschitz, options.gap,
                  bound < options.lipschitz ? "" : nothing));
}

}  // namespace

void announce(const Plan& plan, const Options& options) {
  if (plan.bound) announce_bound(plan, options);
  // About half a minute of one core where the limit is usual.
  constexpr double long_run = 1e10;
  const double parameters = static_cast<double>(plan.release.dimension), work = plan.evaluations * parameters;
  if (!(work > std::fmin(long_run, options.work_limit))) return;
  const std::string what =
      fmt::format("{} steps take {:.2g} evaluations of a record's loss with {} parameters, {:.2g} together",
                  plan.sizes.steps, plan.evaluations, plan.release.dimension, work);
  const char* less = options.pass == Pass::sampled
                         ? "fewer steps, directions or hidden units or a smaller batch take less"
                         : "fewer steps, directions or hidden units take less";
  if (work > options.work_limit)
    throw_error<InfeasibleError>("{}, beyond the work-limit of {:.2g}; {}", what, options.work_limit, less);
  tacit::announce(fmt::format("This will take long: {}; {}.", what, less));
}

double mu_for(const Guarantee& target) {
  if (const auto* gaussian = std::get_if<Gaussian>(&target)) return gaussian->mu;
  const Approx& approx = std::get<Approx>(target);
  const auto keeps = [&](double mu) { return gaussian_keeps(mu, approx.epsilon, approx.delta); };
  double low = 0, high = 1;
  while (keeps(high)) high *= 2;
  for (int k = 0; k < 40; ++k) {
    const double middle = 0.5 * (low + high);
    (keeps(middle) ? low : high) = middle;
  }
  if (low == 0) throw_error<InfeasibleError>("the budget is too small for any Gaussian noise");
  return low;
}

std::vector<Step> Plan::charged() const {
  std::vector<Step> steps = {release};
  if (changes) steps.push_back(*changes);
  return steps;
}

Plan plan_o2nc(std::size_t records, std::size_t parameters, const Options& options, std::size_t shards) {
  options.validate();
  if (records == 0 || parameters == 0) throw_error<UsageError>("there are no records or no parameters");
  if (records > std::numeric_limits<std::uint32_t>::max())
    throw_error<UsageError>("{} records, expected fewer than 2^32", records);
  Plan plan;
  constexpr double room = 1 - 1e-9;  // for the roundings of shares and scales, so that the step fits
  plan.mu = mu_for(options.target);
  const RunShape run{records, parameters, plan.mu * room, shards};
  plan.sizes =
      options.schedule == Schedule::theorem ? theorem_sizes(run, options) : practical_sizes(run, options);
  plan.records = records;
  // A sampled step's time tells how many joined; where more records are stated than there are, any step's
  // tells how many there are.
  plan.timed = options.pass != Pass::sampled && !options.records;
  switch (options.pass) {
    case Pass::single:
      plan_single_pass(plan, run, options);
      break;
    case Pass::multi:
      plan_multi_pass(plan, run, options);
      break;
    case Pass::sampled:
      plan_sampled(plan, run, options);
      break;
  }

  if (options.schedule == Schedule::theorem) plan.bound = stationarity_bound(run, plan.sizes, options);
  plan.step_size = plan.bound ? plan.bound->step_size : practical_step_size(plan, run, options);

  add_release(plan, parameters, options);
  plan.evaluations = evaluations(plan, options);
  return plan;
}

}  // namespace tacit::inline v1::nonconvex
