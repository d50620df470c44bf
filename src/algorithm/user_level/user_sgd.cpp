#include "algorithm/user_level/user_sgd.hpp"

#include <algorithm>

#include "algorithm/heavy_tails/options.hpp"
#include "algorithm/rows.hpp"
#include "solver/batch_pass.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace user_level {

const OptionTable<SgdOptions>& SgdOptions::table() {
  // Users are what dp-sgd calls records.
  Field<SgdOptions> users{.spec = {"user-count", OptionKind::integer,
                                   "public number of users, at least as many as there are under zero_out",
                                   at_least(1).in_short(), "as many as there are, for zero_out", at_least(1)},
                          .is_certified = false};
  users.read = [spec = users.spec](SgdOptions& o, const Facts& facts) {
    options::get(facts, spec, o.common.records);
  };
  users.write = [](const SgdOptions& o) { return options::put(o.common.records); };
  static const OptionTable<SgdOptions> table = {
      without_private_min(
          within(&SgdOptions::common, clipping::Options::table(), {"", "neighbours", "clip-norm", "batch"}))
          .retold("clip-norm", "how long one user's mean gradient may be (tau)",
                  "auto: a fifth of what records scaled to equal lengths can reach")
          .retold("batch", "expected number of users in a batch", "2·√users"),
      users,
      choice(&SgdOptions::weighting, "weighting", {Weighting::user, Weighting::record},
             "whether users count the same, or by their records up to the cap"),
      cap_field(&SgdOptions::records_per_user),
      within(&SgdOptions::common, clipping::Options::table(),
             {"epochs", "step", "iterate", "radius", "seed", "noise-multiplier", "threads"})};
  return table;
}

void SgdOptions::validate() const {
  common.validate();
  table().validate(*this);
  if (common.private_min || common.schedule)
    throw_error<UsageError>("user-sgd takes a clip norm or auto; private-min and schedules are for records");
}

clipping::Plan plan_user_sgd(std::size_t users, std::size_t parameters, const SgdOptions& options) {
  options.validate();
  clipping::Plan plan = clipping::plan_dp_sgd(users, parameters, options.common);
  plan.unit = Unit::user;
  return plan;
}

BatchSums user_sgd_sums(const Problem& problem, const UserRecords& users, const clipping::Plan& plan,
                        const SgdOptions& options) {
  // With a clip norm of its own a user's mean is that of the gradients as they are.
  Clip records{.length = 1, .norm = 0, .threshold = plan.clip.threshold, .limited = plan.clip.norm == 0};
  const auto make_sums = [&problem, records] { return clipped_sums(problem, records, 1); };
  return clipped_user_sums(make_sums, users, shape_of(problem).parameters(), plan.clip, options.weighting,
                           static_cast<std::size_t>(options.records_per_user), options.common.threads);
}

namespace {

// As many users as there are under zero_out, unless more are stated (some are null then).
std::size_t public_users(const Problem& problem, const SgdOptions& options) {
  if (!options.common.records) return problem.data->user_count;
  const auto stated = static_cast<std::size_t>(*options.common.records);
  if (options.common.neighbours == Neighbours::zero_out && stated < problem.data->user_count)
    throw_error<UsageError>("user-count is {}, but the data has more users", stated);
  return stated;
}

// Users are what steps are planned for; how many records they have is theirs, so no step may depend on it.
Shape per_user(Shape shape, std::size_t users) {
  shape.records = users;
  return shape;
}

Facts certified_sgd_options(const clipping::Plan& plan, SgdOptions options) {
  options.common.batch = plan.batch;
  options.common.epochs = plan.epochs;
  options.common.step_length = plan.step_length;
  options.common.noise_multiplier = std::get<PoissonGaussianEvent>(plan.release.event).noise_multiplier;
  return SgdOptions::table().certified(options);
}

// A fit that goes on from a checkpoint chooses among each user's records anew: the proof holds for every
// choice, in each step (docs/user_sgd.md).
Released<Vector> train_here(const Problem& problem, std::size_t users, Vector start,
                            const clipping::Plan& plan, const SgdOptions& options, Meter& meter,
                            const clipping::Observer& observer) {
  const UserRecords records = bounded_records(*problem.data, users, options.records_per_user, meter.bits());
  return clipping::train(user_sgd_sums(problem, records, plan, options), records.users(), std::move(start),
                         plan, options.common, meter, observer);
}

// What user_sgd_sums() goes by.
std::shared_ptr<const RemoteBatches> remote_user_sums(const Problem& problem, const clipping::Plan& plan,
                                                      const SgdOptions& options) {
  MessageWriter settings;
  put(settings, plan.clip).put(options.weighting).put(options.records_per_user);
  return std::make_shared<const RemoteBatches>(problem, "user sums", settings);
}

// A person's records are on one shard, which chooses among them with its own bits.
std::unique_ptr<ShardPass> make_user_sums_pass(const ShardRecords& shard, MessageReader& settings) {
  clipping::Plan plan;
  plan.clip = get_clip(settings);
  SgdOptions options;
  options.weighting = settings.get<Weighting>();
  options.records_per_user = settings.get<std::int64_t>();
  options.common.threads = shard.threads;
  const Dataset& data = *shard.problem->data;
  const auto users = std::make_shared<const UserRecords>(
      bounded_records(data, data.user_count, options.records_per_user, *shard.bits));
  return std::make_unique<BatchPass>(user_sgd_sums(*shard.problem, *users, plan, options), users->users(),
                                     *shard.bits, users);
}

}  // namespace

PassKind user_sums_pass() { return {"user sums", make_user_sums_pass}; }

Release user_sgd(const Problem& problem, const SgdOptions& asked, Meter& meter,
                 const clipping::Observer& observer) {
  validate(problem);
  SgdOptions options = asked;
  if (options.common.neighbours != meter.budget().neighbours)
    throw_error<UsageError>("user-sgd is planned for {} neighbours, but the budget is for {}",
                            tacit::name(options.common.neighbours), tacit::name(meter.budget().neighbours));
  const std::size_t users = public_users(problem, options);
  const Shape shape = public_shape(problem, users, options.records_per_user);
  options.common = clipping::with_step_for(per_user(shape, users), options.common);
  options.common.shards = shape.shards;
  const clipping::Plan plan = plan_user_sgd(users, shape.parameters(), options);
  Vector start = clipping::initial_parameters(shape, options.common.seed);
  Released<Vector> w =
      problem.data->shards
          ? clipping::train(clipping::sums_of_shards(remote_user_sums(problem, plan, options)),
                            std::move(start), plan, options.common, meter, observer)
          : train_here(problem, users, std::move(start), plan, options, meter, observer);
  return {std::move(w), certify("user-sgd", meter, certified_sgd_options(plan, options),
                                public_facts(shape, users, options.records_per_user))};
}

namespace {

struct CertifiedSgd {
  SgdOptions options;
  clipping::Plan plan;
};

CertifiedSgd certified_sgd(const Facts& facts, const Facts& assumed_public) {
  Facts all = facts;
  all.set("user_count", assumed_public.integer("users"));
  const Shape shape = shape_from(assumed_public);
  const auto users = static_cast<std::size_t>(assumed_public.integer("users"));
  SgdOptions options = SgdOptions::from(all);
  options.common = clipping::with_step_for(per_user(shape, users), options.common);
  options.common.shards = shape.shards;
  return {options, plan_user_sgd(users, shape.parameters(), options)};
}

}  // namespace

}  // namespace user_level

Method user_sgd_method() {
  return with_options(
      {.name = "user-sgd",
       .notions = {Notion::approx, Notion::gaussian},
       .unit = Unit::user,
       .paper = "",
       .summary = "DP-SGD over users: clipped mean gradients of Poisson-sampled users, Gaussian noise",
       .assumes = "nothing",
       .neighbours = {Neighbours::zero_out, Neighbours::add_remove},
       .resumable = true,
       .weighs = true,
       .sharded = true,
       .unsuitable = [](const Shape&) { return std::string(); },
       .fit =
           [](const Problem& problem, const Facts& options, Meter& meter) {
             return user_level::user_sgd(problem, user_level::SgdOptions::from(with_relation(options, meter)),
                                         meter);
           },
       .rebuild_steps =
           [](const Facts& options, const Facts& assumed_public) {
             return std::vector<Step>{user_level::certified_sgd(options, assumed_public).plan.release};
           },
       .rebuild_options =
           [](const Facts& options, const Facts& assumed_public) {
             const user_level::CertifiedSgd run = user_level::certified_sgd(options, assumed_public);
             return user_level::certified_sgd_options(run.plan, run.options);
           }},
      user_level::SgdOptions::table());
}

}  // namespace tacit::inline v1
