#pragma once

// Methods that count weights for more than their bound: the controls of audits of weights.

#include <numeric>

#include "algorithm/clipping/dp_gd.hpp"
#include "algorithm/clipping/dp_sgd.hpp"
#include "algorithm/heavy_tails/limited_objective.hpp"
#include "algorithm/heavy_tails/limited_output.hpp"
#include "algorithm/user_level/user_sgd.hpp"
#include "domain/onto_ball.hpp"
#include "noise/gaussian_steps.hpp"
#include "solver/certified.hpp"
#include "solver/clipped_sums.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/method.hpp"

namespace tacit::testing {

inline constexpr double weight_bound = 10;

// The methods as they would be if weights in [0, 10] were taken for parts of the bound: the same plans, for
// records whose losses are up to ten times as steep. They check nothing.
inline Release undivided_objective(const Problem& problem, const Facts& facts, Meter& meter) {
  auto options = heavy_tails::ObjectiveOptions::from(facts);
  options.common.neighbours = meter.budget().neighbours;
  const Shape shape = heavy_tails::public_shape(problem, options.common);
  const heavy_tails::ObjectivePlan plan = heavy_tails::plan_limited_objective(shape, options);
  const Vector b = noise::perturb(plan.perturbation, meter).value;
  const double strength = static_cast<double>(shape.records) * plan.regularisation;
  LimitedObjective objective(problem, plan.limits, {.strength = strength, .center = Vector::Zero(b.size())},
                             b, options.common.label_bound.value_or(0), 1);
  const Ideal<Vector> ideal(onto_ball(minimise(objective, {}).point, plan.radius), plan.distance, "claimed");
  Released<Vector> released = noise::cover(ideal, Pure{plan.cover_epsilon}, plan.range, meter);
  return {std::move(released),
          certify("limited-objective", meter, heavy_tails::certified_options(plan, options),
                  heavy_tails::public_facts(shape, options.common))};
}

inline Release undivided_output(const Problem& problem, const Facts& facts, Meter& meter) {
  auto options = heavy_tails::Options::from(facts);
  options.neighbours = meter.budget().neighbours;
  const Shape shape = heavy_tails::public_shape(problem, options);
  Released<Vector> released = heavy_tails::limited_output_around(
      Vector::Zero(static_cast<Eigen::Index>(shape.parameters())), 0, problem, options, meter);
  const heavy_tails::OutputPlan plan = heavy_tails::plan_limited_output(shape, options);
  return {std::move(released), certify("limited-output", meter, heavy_tails::certified_options(plan, options),
                                       heavy_tails::public_facts(shape, options))};
}

inline Release undivided_descent(const Problem& problem, const Facts& facts, Meter& meter) {
  auto options = clipping::Options::from(facts);
  options.neighbours = meter.budget().neighbours;
  Shape shape = shape_of(problem);
  shape.records = static_cast<std::size_t>(*options.records);
  const clipping::Plan plan = clipping::plan_dp_sgd(shape, options);
  Released<Vector> released =
      clipping::train(clipped_sums(problem, plan.clip, 1), problem.data->size(),
                      Vector::Zero(static_cast<Eigen::Index>(shape.parameters())), plan, options, meter, {});
  options.batch = plan.batch;
  options.epochs = plan.epochs;
  options.step_length = plan.step_length;
  options.noise_multiplier = std::get<PoissonGaussianEvent>(plan.release.event).noise_multiplier;
  return {std::move(released),
          certify("dp-sgd", meter, clipping::Options::table().certified(options), shape_facts(shape))};
}

// The first step over all records; what it releases is all that there is of the model.
inline Release undivided_full_descent(const Problem& problem, const Facts& facts, Meter& meter) {
  auto options = clipping::GdOptions::from(facts);
  options.neighbours = meter.budget().neighbours;
  Shape shape = shape_of(problem);
  shape.records = static_cast<std::size_t>(*options.records);
  const clipping::GdPlan plan = clipping::plan_dp_gd(shape, options);
  noise::GaussianSteps mechanism(static_cast<std::uint64_t>(options.steps), plan.mu, plan.sensitivity,
                                 plan.range, shape.parameters(), meter);
  std::vector<std::uint32_t> all(problem.data->size());
  std::iota(all.begin(), all.end(), 0u);
  Vector sum;
  clipping::descent_sums(problem, plan, 1)(Vector::Zero(static_cast<Eigen::Index>(shape.parameters())), all,
                                           sum);
  Released<Vector> released =
      mechanism.release(Sensitive<Vector>(std::move(sum), plan.sensitivity, options.neighbours));
  return {std::move(released),
          certify("dp-gd", meter, clipping::certified_options(plan, options), shape_facts(shape))};
}

// Weighs a person after their clip, by a weight that nobody divided.
inline Release weighed_after_the_clip(const Problem& problem, const Facts& facts, Meter& meter) {
  auto options = user_level::SgdOptions::from(facts);
  options.common.neighbours = meter.budget().neighbours;
  const auto users = static_cast<std::size_t>(*options.common.records);
  const Shape shape = user_level::public_shape(problem, users, options.records_per_user);
  const clipping::Plan plan = user_level::plan_user_sgd(users, shape.parameters(), options);
  const UserRecords records =
      user_level::bounded_records(*problem.data, users, options.records_per_user, meter.bits());
  const BatchSums clipped = user_level::user_sgd_sums(problem, records, plan, options);
  const BatchSums sums = [clipped](const Vector& w, std::span<const std::uint32_t> batch, Vector& sum) {
    clipped(w, batch, sum);
    sum *= weight_bound;
  };
  Released<Vector> released =
      clipping::train(sums, records.users(), Vector::Zero(static_cast<Eigen::Index>(shape.parameters())),
                      plan, options.common, meter, {});
  options.common.batch = plan.batch;
  options.common.epochs = plan.epochs;
  options.common.step_length = plan.step_length;
  options.common.noise_multiplier = std::get<PoissonGaussianEvent>(plan.release.event).noise_multiplier;
  return {std::move(released), certify("user-sgd", meter, user_level::SgdOptions::table().certified(options),
                                       user_level::public_facts(shape, users, options.records_per_user))};
}

using WeightedFit = Release (*)(const Problem&, const Facts&, Meter&);
inline WeightedFit undivided(std::string_view method) {
  return method == "dp-sgd"           ? undivided_descent
         : method == "dp-gd"          ? undivided_full_descent
         : method == "user-sgd"       ? weighed_after_the_clip
         : method == "limited-output" ? undivided_output
                                      : undivided_objective;
}

}  // namespace tacit::testing
