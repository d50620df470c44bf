#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithm/clipping/dp_sgd.hpp"
#include "algorithm/clipping/run.hpp"
#include "noise/poisson_gaussian.hpp"
#include "privacy/accounting/calibrate.hpp"
#include "solver/records_per_block.hpp"
#include "tacit/core.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::clipping {

namespace {

// Defaults [heuristic: utility only].
constexpr double default_epochs = 30;
double default_batch(double records) { return std::min(records, 2 * std::sqrt(records)); }

constexpr double most_steps = 1e9;

// The least noise that keeps the target, together with the choice of the clip norm.
double least_noise(const Plan& plan, const Options& options) {
  const auto steps = static_cast<std::int64_t>(plan.steps);
  if (!plan.choice) return calibrate_noise(options.target, plan.rate, steps, options.neighbours);
  return calibrate_noise_beside({&plan.choice->event, 1}, std::get<Approx>(options.target), plan.rate, steps);
}

// The longer the more the records say over the noise, n·ε/columns (docs/features.md): where columns become
// lines, and where they become curves, which are many small features.
double step_for_encoded(const Shape& shape, const Guarantee& target) {
  const auto* approx = std::get_if<Approx>(&target);
  const double epsilon = approx ? approx->epsilon : std::get<Gaussian>(target).mu;
  const double each = records_per_block(shape, epsilon);
  if (!classifies(shape.loss)) return std::clamp(each / 1200, 0.005, 0.05);
  if (shape.features == 1) return 0.02;  // the intercept alone, of few records
  return each < 60 ? std::clamp(each / 100, 0.1, 0.6) : std::clamp(each / 1000, 0.25, 2.0);
}

// Of rows as they come, for classes: what a step's noise does grows with its length, so it is short where the
// records say little over it, n·ε/features (docs/dp_sgd.md) [heuristic: utility only].
double step_for_rows(const Shape& shape, const Guarantee& target) {
  const auto* approx = std::get_if<Approx>(&target);
  const double epsilon = approx ? approx->epsilon : std::get<Gaussian>(target).mu;
  const double each = static_cast<double>(shape.records) * epsilon /
                      static_cast<double>(std::max<std::size_t>(shape.features, 1));
  return std::clamp(each / 75, 0.2, step_for_classes);
}

double default_batch_for(const Options& options, double n) {
  return options.batch.value_or(default_batch(n));
}

Guesses guesses_of(const Options& options) {
  return {.moment_order = options.moment_order,
          .moment = options.moment,
          .failure = options.failure,
          .distance = options.schedule == Theorem::constrained ? 2 * options.radius : options.distance,
          .growth_radius = options.growth_radius,
          .smoothness = options.smoothness,
          .initial_gap = options.initial_gap};
}

// Of what is returned. The theorems are about a random iterate. Where the loss is convex, the mean of the
// second half has at most twice that excess risk: no iterate's is negative, and those are half of them.
std::optional<double> returned_bound(const Schedule& schedule, const Options& options) {
  if (options.iterate == Iterate::random) return schedule.risk_bound;
  if (options.iterate == Iterate::last || options.schedule == Theorem::nonconvex) return std::nullopt;
  return 2 * schedule.risk_bound;
}

}  // namespace

Shape public_shape_of_clipped(const Problem& problem, Neighbours neighbours,
                              const std::optional<std::int64_t>& stated) {
  if (neighbours != Neighbours::add_remove) return public_shape(problem, neighbours, stated);
  Shape shape = shape_of(problem);
  if (stated) shape.records = static_cast<std::size_t>(*stated);
  return shape;
}

std::size_t most_records(std::size_t records, Neighbours neighbours) {
  return neighbours == Neighbours::add_remove ? std::numeric_limits<std::uint32_t>::max() : records;
}

PrivateMin private_min_of(const Options& options, std::size_t records) {
  return {.epsilon = options.clip_share * std::get<Approx>(options.target).epsilon,
          .quantile = options.clip_quantile,
          .public_records = records};
}

Options with_schedule(std::size_t records, std::size_t parameters, Options options) {
  options.validate();
  if (!options.schedule || options.settled()) return options;
  const double n = static_cast<double>(records);
  RunShape shape{.target = std::get<Approx>(options.target), .records = records, .parameters = parameters};
  shape.batch = default_batch_for(options, n);
  if (options.epochs)
    shape.most_steps = std::max<std::int64_t>(1, std::llround(*options.epochs * n / shape.batch));
  const Schedule schedule = plan_schedule(*options.schedule, shape, guesses_of(options));
  options.batch = shape.batch;
  options.epochs =
      (static_cast<double>(schedule.steps) - 0.5) * (shape.batch / n);  // rounded up: those steps
  options.clip_norm = schedule.clip_norm;
  options.step_length = schedule.step_length;
  options.noise_multiplier = schedule.noise_multiplier;
  return options;
}

Plan plan_dp_sgd(std::size_t records, std::size_t parameters, const Options& options) {
  options.validate();
  if (options.schedule && !options.settled())
    return plan_dp_sgd(records, parameters, with_schedule(records, parameters, options));
  const double n = static_cast<double>(records);
  Plan plan;
  plan.batch = default_batch_for(options, n);
  if (plan.batch > n) throw_error<UsageError>("batch is {}, expected at most the {} records", plan.batch, n);
  plan.rate = plan.batch / n;
  plan.epochs = options.epochs.value_or(default_epochs);
  const double steps = std::ceil(plan.epochs / plan.rate);
  if (!(steps <= most_steps))
    throw_error<UsageError>("epochs = {} and batch = {} make {} steps, expected at most {}", plan.epochs,
                            plan.batch, steps, most_steps);
  plan.steps = static_cast<std::uint64_t>(std::max(1.0, steps));

  std::optional<Schedule> schedule;  // as the certificate's steps and noise make it
  if (options.schedule) {
    const RunShape shape{.target = std::get<Approx>(options.target),
                         .records = records,
                         .parameters = parameters,
                         .batch = plan.batch};
    schedule = schedule_at(*options.schedule, shape, guesses_of(options),
                           static_cast<std::int64_t>(plan.steps), *options.noise_multiplier);
    plan.risk_bound = returned_bound(*schedule, options);
  }

  // The sum is formed in units of w: one record moves it by at most step_length/b, and w_{t+1} = w_t − sum.
  plan.step_length = schedule ? schedule->step_length : options.step_length.value_or(step_for_classes);
  plan.clip = {.length = plan.step_length / plan.batch,
               .norm = schedule ? schedule->clip_norm : options.clip_norm.value_or(0),
               .threshold = options.clip_norm ? 0 : auto_threshold};

  // One contribution more or less, of norm ≤ length; both sums are rounded.
  const std::size_t most = most_records(records, options.neighbours);
  plan.sensitivity = {.value = plan.clip.length,
                      .slack = mul_up(2, clipped_sum_rounding(most, plan.clip.length, options.shards)),
                      .norm = Norm::l2,
                      .reason =
                          "a clipped gradient times step/(batch tau) has norm <= step/batch; slack: "
                          "rounding of two batch sums"};
  plan.range = mul_up(2 * static_cast<double>(most), plan.clip.length);

  if (options.private_min) plan.choice = plan_private_clip_norm(private_min_of(options, records));
  const double z = options.noise_multiplier ? *options.noise_multiplier : least_noise(plan, options);
  plan.release =
      noise::PoissonGaussian::plan({z, plan.rate, plan.steps}, plan.sensitivity, plan.range, parameters);
  return plan;
}

Options with_step_for(const Shape& shape, Options options) {
  if (options.step_length || options.schedule) return options;
  const bool classes = classifies(shape.loss);
  if (shape.hidden > 0)
    options.step_length = classes ? step_for_classes : sgd_step_for_numbers;
  else if (shape.blocks.empty())
    options.step_length = classes ? step_for_rows(shape, options.target) : sgd_step_for_numbers;
  else
    options.step_length = step_for_encoded(shape, options.target);
  return options;
}

Plan plan_dp_sgd(const Shape& shape, const Options& options) {
  Options known = with_step_for(shape, options);
  known.shards = shape.shards;
  Plan plan = plan_dp_sgd(shape.records, shape.parameters(), known);
  if (plan.clip.threshold > 0 && !shape.blocks.empty() && shape.hidden == 0)
    plan.clip.threshold = encoded_threshold;
  return plan;
}

}  // namespace tacit::inline v1::clipping
