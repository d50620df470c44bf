#include "tacit/algorithm/user_level/user_sgd.hpp"

#include <algorithm>
#include <array>

#include "../rows.hpp"
#include "caps.hpp"
#include "tacit/algorithm/heavy_tails/options.hpp"
#include "tacit/core/error.hpp"
#include "tacit/privacy/target_facts.hpp"

namespace tacit::inline v1 {

namespace user_level {

void SgdOptions::validate() const {
  common.validate();
  require_cap(records_per_user);
  if (common.private_min || common.schedule)
    throw_error<UsageError>("user-sgd takes a clip norm or auto; private-min and schedules are for records");
}

SgdOptions SgdOptions::from(const Facts& facts) {
  Facts renamed = facts;
  if (facts.has("user_count")) renamed.set("records", facts.integer("user_count"));
  SgdOptions options{.common = clipping::Options::from(renamed)};
  if (!facts.has("user_count")) options.common.records.reset();
  options.records_per_user = cap_of(facts);
  if (facts.has("weighting")) options.weighting = parse_weighting(facts.text("weighting"));
  options.validate();
  return options;
}

std::vector<OptionSpec> sgd_option_specs() {
  constexpr std::array same = {"epochs", "step", "iterate", "radius", "seed"};
  std::vector<OptionSpec> specs = {
      {"clip-norm", OptionKind::text, "how long one user's mean gradient may be (tau)", "> 0 or auto",
       "auto: a fifth of what records scaled to equal lengths can reach"},
      {"batch", OptionKind::number, "expected number of users in a batch", "> 0", "2·√users"},
      {"user-count", OptionKind::integer, "public number of users, for add_remove", ">= 1",
       "as many as there are, for zero_out"},
      {"weighting", OptionKind::text, "whether users count the same, or by their records up to the cap",
       "user or record", "user"},
      cap_spec()};
  for (const OptionSpec& spec : clipping::option_specs())
    if (std::ranges::find(same, spec.name) != same.end()) specs.push_back(spec);
  return specs;
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
    throw_error<UsageError>("user-count is {}, expected at least the {} that there are", stated,
                            problem.data->user_count);
  return stated;
}

Facts certified_options(const clipping::Plan& plan, const SgdOptions& options) {
  const clipping::Options& common = options.common;
  Facts facts;
  set_target(facts, common.target);
  facts.set("neighbours", std::string(tacit::name(common.neighbours)));
  facts.set("clip_norm", common.clip_norm ? fmt::format("{}", *common.clip_norm) : "auto");
  facts.set("batch", plan.batch);
  facts.set("epochs", plan.epochs);
  facts.set("step", plan.step_length);
  facts.set("noise_multiplier", std::get<PoissonGaussianEvent>(plan.release.event).noise_multiplier);
  facts.set("radius", common.radius);
  facts.set("iterate", std::string(clipping::name(common.iterate)));
  facts.set("seed", common.seed);
  facts.set("records_per_user", options.records_per_user);
  facts.set("weighting", std::string(name(options.weighting)));
  return facts;
}

}  // namespace

Release user_sgd(const Problem& problem, const SgdOptions& asked, Meter& meter,
                 const clipping::Observer& observer) {
  validate(problem);
  SgdOptions options = asked;
  options.common = clipping::with_step_for(problem.loss, asked.common);
  if (options.common.neighbours != meter.budget().neighbours)
    throw_error<UsageError>("user-sgd is planned for {} neighbours, but the budget is for {}",
                            tacit::name(options.common.neighbours), tacit::name(meter.budget().neighbours));
  const std::size_t users = public_users(problem, options);
  const Shape shape = public_shape(problem, users, options.records_per_user);
  const clipping::Plan plan = plan_user_sgd(users, shape.parameters(), options);
  const UserRecords records = bounded_records(*problem.data, users, options.records_per_user, meter.bits());
  Released<Vector> w = clipping::train(user_sgd_sums(problem, records, plan, options), records.users(),
                                       clipping::initial_parameters(shape, options.common.seed), plan,
                                       options.common, meter, observer);
  return {std::move(w), certify("user-sgd", meter, certified_options(plan, options),
                                public_facts(shape, users, options.records_per_user))};
}

}  // namespace user_level

Method user_sgd_method() {
  return {.name = "user-sgd",
          .notions = {"approx", "gaussian"},
          .unit = "user",
          .paper = "",
          .summary = "DP-SGD over users: clipped mean gradients of Poisson-sampled users, Gaussian noise",
          .assumes = "nothing",
          .options = user_level::sgd_option_specs(),
          .neighbours = {Neighbours::zero_out, Neighbours::add_remove},
          .unsuitable = [](const Shape&) { return std::string(); },
          .fit =
              [](const Problem& problem, const Facts& options, Meter& meter) {
                return user_level::user_sgd(
                    problem, user_level::SgdOptions::from(with_relation(options, meter)), meter);
              },
          .rebuild_steps =
              [](const Facts& options, const Facts& assumed_public) {
                Facts all = options;
                all.set("user_count", assumed_public.integer("users"));
                const auto users = static_cast<std::size_t>(assumed_public.integer("users"));
                const Shape shape = heavy_tails::shape_from(assumed_public);
                return std::vector<Step>{
                    plan_user_sgd(users, shape.parameters(), user_level::SgdOptions::from(all)).release};
              }};
}

}  // namespace tacit::inline v1
