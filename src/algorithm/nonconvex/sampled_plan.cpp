#include "algorithm/nonconvex/sampled_plan.hpp"

#include "privacy/accounting/calibrate.hpp"
#include "privacy/accounting/calibrate_pair.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::nonconvex {

namespace {

// Contributions of norm ≤ length [clip_factor.hpp]: one that is there or not moves the real sum by at most
// that, and both sums, of all records at most, are rounded.
NoisySum sampled_sum(const RunShape& run, std::size_t batch, double length, double clip_norm,
                     std::string what) {
  NoisySum sum{.batch = batch, .clip = {.length = length, .norm = clip_norm}};
  sum.sensitivity = {.value = length,
                     .slack = mul_up(2, clipped_sum_rounding(run.records, length, run.shards)),
                     .norm = Norm::l2,
                     .reason = std::move(what) + "; slack: rounding of two batch sums"};
  sum.range = mul_up(2 * static_cast<double>(run.records), length);
  return sum;
}

// The least multiplier of the fresh gradients' noise that keeps the target, the changes' being `ratio` times
// that.
double least_multiplier(const Plan& plan, const Options& options, double rate, double ratio) {
  const Approx& target = std::get<Approx>(options.target);
  const auto starts = static_cast<std::int64_t>(plan.sizes.periods()),
             changes = static_cast<std::int64_t>(plan.sizes.steps) - starts;
  if (changes == 0) return calibrate_noise(target, rate, starts);
  return calibrate_noise_pair(target, {.rate = rate, .first = starts, .second = changes, .ratio = ratio});
}

void add_noise(NoisySum& sum, Step& step, const char* mechanism, const PoissonGaussianEvent& event) {
  sum.sigma = mul_up(event.noise_multiplier, sum.sensitivity.total());
  step.mechanism = mechanism;
  step.event = event;
}

}  // namespace

void plan_sampled(Plan& plan, const RunShape& run, const Options& options) {
  const std::size_t batch = batches(run, plan.sizes, options).start, n = run.records;
  if (batch > n) throw_error<UsageError>("batch is {}, expected at most the {} records", batch, n);
  const double b = static_cast<double>(batch), rate = b / static_cast<double>(n);
  const double l = clip_norms(run.parameters, plan.sizes, options).start;
  const std::size_t starts = plan.sizes.periods(), changes = plan.sizes.steps - starts;
  // Noise goes like 1/mu: the division of the budget is that of a multi-pass run.
  const Shares mu = shares(run, plan.sizes, options);
  const double ratio = changes == 0 ? 1 : mu.start / mu.change;
  const double multiplier =
      options.noise_multiplier ? *options.noise_multiplier : least_multiplier(plan, options, rate, ratio);

  plan.start =
      sampled_sum(run, batch, l / b, l, "clipped estimates of the smoothed gradient have norm <= L/B");
  add_noise(plan.start, plan.release, "o2nc-sampled-gradients", {multiplier, rate, starts});
  if (changes == 0) return;
  // In units of the clip norm, which follows the released iterates: the step stays the same.
  plan.change =
      sampled_sum(run, batch, 1 / b, 1, "clipped estimates of its change over kappa have norm <= 1/B");
  add_noise(plan.change, plan.changes.emplace(), "o2nc-sampled-changes", {ratio * multiplier, rate, changes});
}

}  // namespace tacit::inline v1::nonconvex
