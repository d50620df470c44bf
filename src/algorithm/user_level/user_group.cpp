#include "tacit/algorithm/user_level/user_group.hpp"

#include <algorithm>
#include <array>

#include "../rows.hpp"
#include "caps.hpp"
#include "tacit/algorithm/heavy_tails/options.hpp"
#include "tacit/algorithm/partition.hpp"
#include "tacit/core/error.hpp"
#include "tacit/privacy/account.hpp"
#include "tacit/privacy/nested_cost.hpp"

namespace tacit::inline v1 {

namespace user_level {

void GroupOptions::validate() const {
  tacit::validate(Guarantee(target));
  require_cap(records_per_user);
  if (common.private_min || common.schedule)
    throw_error<UsageError>("user-group takes a clip norm or auto, neither private-min nor a schedule");
  if (common.neighbours == Neighbours::add_remove && !user_count)
    throw_error<UsageError>(
        "under add_remove the number of users is private: give a public one (--user-count)");
  if (user_count && *user_count < 1) throw_error<UsageError>("user-count is {}, expected >= 1", *user_count);
}

GroupOptions GroupOptions::from(const Facts& facts) {
  Facts renamed = facts;
  if (facts.has("user_count")) renamed.set("records", facts.integer("user_count"));
  GroupOptions options{.target = {facts.number("epsilon"), facts.number("delta")},
                       .common = clipping::Options::from(renamed)};
  options.records_per_user = cap_of(facts);
  if (facts.has("user_count")) options.user_count = facts.integer("user_count");
  options.validate();
  return options;
}

std::vector<OptionSpec> group_option_specs() {
  constexpr std::array same = {"clip-norm", "batch", "epochs", "step", "iterate", "radius", "seed"};
  std::vector<OptionSpec> specs = {
      {"user-count", OptionKind::integer, "public number of users, for add_remove", ">= 1",
       "as many as there are, for zero_out"},
      cap_spec()};
  for (const OptionSpec& spec : clipping::option_specs())
    if (std::ranges::find(same, spec.name) != same.end()) specs.push_back(spec);
  return specs;
}

namespace {

// The event is what was asked for, so the noise, which a certificate states, must be enough for it.
void require_enough_noise(const GroupPlan& plan) {
  const Approx& target = std::get<Approx>(plan.common.target);
  const auto cost = std::get<Approx>(compose({&plan.records.release.event, 1}, target));
  if (!(cost.epsilon <= target.epsilon * (1 + 0x1p-22)))  // the accountant's last unit, as in verify
    throw_error<UsageError>("the noise multiplier makes {} for a record, expected at most {}", cost.epsilon,
                            target.epsilon);
}

}  // namespace

GroupPlan plan_user_group(std::size_t users, const Shape& shape, const GroupOptions& options) {
  options.validate();
  const std::size_t records = users * static_cast<std::size_t>(options.records_per_user);
  GroupPlan plan{.common = clipping::with_step_for(shape.loss, options.common)};
  plan.common.target = item_target(options.target, static_cast<std::uint64_t>(options.records_per_user));
  plan.common.records = static_cast<std::int64_t>(records);
  plan.records = clipping::plan_dp_sgd(records, shape.parameters(), plan.common);
  require_enough_noise(plan);
  plan.release = plan.records.release;
  plan.release.mechanism = "group-of-records";
  plan.release.event = ApproxEvent{options.target.epsilon, options.target.delta};
  plan.release.nesting = Group{static_cast<std::uint64_t>(options.records_per_user)};
  plan.release.inner = {plan.records.release};
  plan.release.sensitivity.reason +=
      "; all records of a user come or go together, at most as many as the cap";
  return plan;
}

namespace {

// At most the cap of each user's records, as a dataset of its own.
Dataset kept_records(const Dataset& data, std::size_t users, std::int64_t cap, BitSource& bits) {
  const UserRecords kept = bounded_records(data, users, cap, bits);
  std::vector<std::size_t> rows(kept.record.begin(), kept.record.end());
  std::ranges::sort(rows);
  return rows_of(data, rows);
}

Facts certified_options(const GroupPlan& plan, const GroupOptions& options) {
  Facts facts;
  facts.set("epsilon", options.target.epsilon);
  facts.set("delta", options.target.delta);
  facts.set("neighbours", std::string(tacit::name(plan.common.neighbours)));
  facts.set("clip_norm", plan.common.clip_norm ? fmt::format("{}", *plan.common.clip_norm) : "auto");
  facts.set("batch", plan.records.batch);
  facts.set("epochs", plan.records.epochs);
  facts.set("step", plan.records.step_length);
  facts.set("noise_multiplier", std::get<PoissonGaussianEvent>(plan.records.release.event).noise_multiplier);
  facts.set("radius", plan.common.radius);
  facts.set("iterate", std::string(clipping::name(plan.common.iterate)));
  facts.set("seed", plan.common.seed);
  facts.set("records_per_user", options.records_per_user);
  return facts;
}

}  // namespace

Release user_group(const Problem& problem, const GroupOptions& options, Meter& meter) {
  validate(problem);
  if (options.common.neighbours != meter.budget().neighbours || meter.budget().unit != Unit::user)
    throw_error<UsageError>(
        "user-group is planned for users and {}, but the budget is for the unit {} and {}",
        tacit::name(options.common.neighbours), tacit::name(meter.budget().unit),
        tacit::name(meter.budget().neighbours));
  const auto users = static_cast<std::size_t>(
      options.user_count.value_or(static_cast<std::int64_t>(problem.data->user_count)));
  if (meter.budget().neighbours == Neighbours::zero_out && users < problem.data->user_count)
    throw_error<UsageError>("user-count is {}, expected at least the {} that there are", users,
                            problem.data->user_count);
  const Shape shape = public_shape(problem, users, options.records_per_user);
  const GroupPlan plan = plan_user_group(users, shape, options);
  Meter own = meter.child(plan.release);

  // 1. At most the cap of each user's records. 2. dp-sgd over them, for what group privacy leaves to each.
  const Dataset kept = kept_records(*problem.data, users, options.records_per_user, meter.bits());
  Problem records = problem;
  records.data = &kept;
  Released<Vector> w = clipping::train(clipped_sums(records, plan.records.clip, plan.common.threads),
                                       kept.size(), clipping::initial_parameters(shape, plan.common.seed),
                                       plan.records, plan.common, own, {});
  return {std::move(w), certify("user-group", meter, certified_options(plan, options),
                                public_facts(shape, users, options.records_per_user))};
}

}  // namespace user_level

Method user_group_method() {
  return {.name = "user-group",
          .notions = {"approx"},
          .unit = "user",
          .paper = "",
          .summary =
              "group privacy, the baseline: dp-sgd with so much noise that all records of a user are hidden",
          .assumes = "nothing",
          .options = user_level::group_option_specs(),
          .neighbours = {Neighbours::zero_out, Neighbours::add_remove},
          .unsuitable = [](const Shape&) { return std::string(); },
          .fit =
              [](const Problem& problem, const Facts& options, Meter& meter) {
                return user_level::user_group(
                    problem, user_level::GroupOptions::from(with_relation(options, meter)), meter);
              },
          .rebuild_steps =
              [](const Facts& options, const Facts& assumed_public) {
                Facts all = options;
                all.set("user_count", assumed_public.integer("users"));
                const auto users = static_cast<std::size_t>(assumed_public.integer("users"));
                return std::vector<Step>{plan_user_group(users, heavy_tails::shape_from(assumed_public),
                                                         user_level::GroupOptions::from(all))
                                             .release};
              }};
}

}  // namespace tacit::inline v1
