#include "algorithm/user_level/user_group.hpp"

#include <algorithm>

#include "algorithm/heavy_tails/options.hpp"
#include "algorithm/partition.hpp"
#include "algorithm/rows.hpp"
#include "privacy/nested_cost.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace user_level {

const OptionTable<GroupOptions>& GroupOptions::table() {
  static const OptionTable<GroupOptions> table = {
      budget(&GroupOptions::target),
      field(&GroupOptions::user_count, "user-count", at_least(1),
            "public number of users, at least as many as there are under zero_out")
          .otherwise("as many as there are, for zero_out")
          .uncertified(),
      cap_field(&GroupOptions::records_per_user),
      without_private_min(within(&GroupOptions::common, clipping::Options::table(),
                                 {"", "neighbours", "clip-norm", "batch", "epochs", "step", "iterate",
                                  "radius", "seed", "noise-multiplier", "threads"}))};
  return table;
}

void GroupOptions::validate() const {
  tacit::validate(Guarantee(target));
  if (common.private_min || common.schedule)
    throw_error<UsageError>("user-group takes a clip norm or auto, neither private-min nor a schedule");
  if (common.neighbours == Neighbours::add_remove && !user_count)
    throw_error<UsageError>(
        "under add_remove the number of users is private: give a public one (the option user-count)");
  table().validate(*this);
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
  GroupPlan plan{.common = clipping::with_step_for(shape, options.common)};
  plan.common.target = item_target(options.target, static_cast<std::uint64_t>(options.records_per_user));
  plan.common.records = static_cast<std::int64_t>(records);
  plan.common.shards = shape.shards;
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

Facts certified_group_options(const GroupPlan& plan, GroupOptions options) {
  options.common = plan.common;
  options.common.target = options.target;  // of a user, not of a record
  options.common.batch = plan.records.batch;
  options.common.epochs = plan.records.epochs;
  options.common.step_length = plan.records.step_length;
  options.common.noise_multiplier =
      std::get<PoissonGaussianEvent>(plan.records.release.event).noise_multiplier;
  return GroupOptions::table().certified(options);
}

// The problem on at most the cap of each user's records.
struct KeptRecords {
  KeptRecords(const Problem& all, std::size_t users, std::int64_t cap, BitSource& bits)
      : data(kept_records(*all.data, users, cap, bits)), problem(all) {
    problem.data = &data;
  }
  KeptRecords(const KeptRecords&) = delete;

  Dataset data;
  Problem problem;
};

Released<Vector> train_on(const KeptRecords& kept, Vector start, const GroupPlan& plan, Meter& meter) {
  return clipping::train(clipped_sums(kept.problem, plan.records.clip, plan.common.threads), kept.data.size(),
                         std::move(start), plan.records, plan.common, meter, {});
}

std::shared_ptr<const RemoteBatches> remote_group_sums(const Problem& problem, const GroupPlan& plan,
                                                       const GroupOptions& options) {
  MessageWriter settings;
  put(settings, plan.records.clip).put(options.records_per_user);
  return std::make_shared<const RemoteBatches>(problem, "group sums", settings);
}

// A person's records are on one shard, which chooses among them with its own bits.
std::unique_ptr<ShardPass> make_group_sums_pass(const ShardRecords& shard, MessageReader& settings) {
  const Clip clip = get_clip(settings);
  const auto kept = std::make_shared<const KeptRecords>(*shard.problem, shard.problem->data->user_count,
                                                        settings.get<std::int64_t>(), *shard.bits);
  return std::make_unique<BatchPass>(clipped_sums(kept->problem, clip, shard.threads), kept->data.size(),
                                     *shard.bits, kept);
}

}  // namespace

PassKind group_sums_pass() { return {"group sums", make_group_sums_pass}; }

Release user_group(const Problem& problem, const GroupOptions& options, Meter& meter) {
  validate(problem);
  if (options.common.neighbours != meter.budget().neighbours || meter.budget().unit != Unit::user)
    throw_error<UsageError>(
        "user-group is planned for users and {}, but the budget is for the unit {} and {}",
        tacit::name(options.common.neighbours), record_or_user(meter.budget().unit),
        tacit::name(meter.budget().neighbours));
  const auto users = static_cast<std::size_t>(
      options.user_count.value_or(static_cast<std::int64_t>(problem.data->user_count)));
  if (meter.budget().neighbours == Neighbours::zero_out && users < problem.data->user_count)
    throw_error<UsageError>("user-count is {}, but the data has more users", users);
  const Shape shape = public_shape(problem, users, options.records_per_user);
  const GroupPlan plan = plan_user_group(users, shape, options);
  Meter own = meter.child(plan.release);

  // 1. At most the cap of each user's records. 2. dp-sgd over them, for what group privacy leaves to each.
  Vector start = clipping::initial_parameters(shape, plan.common.seed);
  Released<Vector> w =
      problem.data->shards
          ? clipping::train(clipping::sums_of_shards(remote_group_sums(problem, plan, options)),
                            std::move(start), plan.records, plan.common, own, {})
          : train_on(KeptRecords(problem, users, options.records_per_user, meter.bits()), std::move(start),
                     plan, own);
  return {std::move(w), certify("user-group", meter, certified_group_options(plan, options),
                                public_facts(shape, users, options.records_per_user))};
}

namespace {

struct CertifiedGroup {
  GroupOptions options;
  GroupPlan plan;
};

CertifiedGroup certified_group(const Facts& facts, const Facts& assumed_public) {
  Facts all = facts;
  all.set("user_count", assumed_public.integer("users"));
  const GroupOptions options = GroupOptions::from(all);
  return {options, plan_user_group(static_cast<std::size_t>(assumed_public.integer("users")),
                                   shape_from(assumed_public), options)};
}

}  // namespace

}  // namespace user_level

Method user_group_method() {
  return with_options(
      {.name = "user-group",
       .notions = {Notion::approx},
       .unit = Unit::user,
       .paper = "",
       .summary =
           "group privacy, the baseline: dp-sgd with so much noise that all records of a user are hidden",
       .assumes = "nothing",
       .neighbours = {Neighbours::zero_out, Neighbours::add_remove},
       .sharded = true,
       .unsuitable = [](const Shape&) { return std::string(); },
       .fit =
           [](const Problem& problem, const Facts& options, Meter& meter) {
             return user_level::user_group(
                 problem, user_level::GroupOptions::from(with_relation(options, meter)), meter);
           },
       .rebuild_steps =
           [](const Facts& options, const Facts& assumed_public) {
             return std::vector<Step>{user_level::certified_group(options, assumed_public).plan.release};
           },
       .rebuild_options =
           [](const Facts& options, const Facts& assumed_public) {
             const user_level::CertifiedGroup run = user_level::certified_group(options, assumed_public);
             return user_level::certified_group_options(run.plan, run.options);
           }},
      user_level::GroupOptions::table());
}

}  // namespace tacit::inline v1
