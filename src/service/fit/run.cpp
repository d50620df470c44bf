#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/utf8.hpp"
#include "privacy/assumptions.hpp"
#include "service/fit/checkpointed_fit.hpp"
#include "service/fit/columns.hpp"
#include "service/fit/failed_reads.hpp"
#include "service/fit/ledger_request.hpp"
#include "service/fit/steps.hpp"
#include "service/fit/weights.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"
#include "tacit/meter.hpp"
#include "tacit/root_meter.hpp"
#include "tacit/version.hpp"

namespace tacit::inline v1::service {

namespace {

// A name that JSON cannot hold is found before the budget is spent, not when the model is written.
void check_names(const Dataset& data, const std::string& target) {
  if (!data.names.empty() && data.names.size() != data.features.columns())
    throw_error<DataError>("{} features have {} names", data.features.columns(), data.names.size());
  std::vector<std::string> classes = data.classes;
  std::ranges::sort(classes);
  if (const auto twice = std::ranges::adjacent_find(classes); twice != classes.end())
    throw_error<DataError>("two classes are called \"{}\"", visible(*twice));
  try {
    for (const auto* names : {&data.classes, &data.names})
      for (const std::string& name : *names) static_cast<void>(nlohmann::json(name).dump());
    static_cast<void>(nlohmann::json(target).dump());
  } catch (const nlohmann::json::exception&) {
    throw_error<DataError>("the name of a column or class is not valid UTF-8");
  }
}

// Of records in one place. How many records a user has, and who has none, is theirs.
void check_users(const Dataset& data) {
  if (data.shards || (data.users.empty() && data.user_count == 0)) return;
  if (data.users.size() != data.size())
    throw_error<DataError>("{} records have {} users", data.size(), data.users.size());
  for (std::size_t i = 0; i < data.users.size(); ++i)
    if (data.users[i] >= data.user_count)
      throw_error<DataError>("record {}: user {}, expected a number below {}", i, data.users[i],
                             data.user_count);
}

// A stop after the charge says what it cost, and what can be done.
[[noreturn]] void say_what_stays_charged(const Interrupted& stopped, const FitOptions& options) {
  if (!options.checkpoint) throw_error<Interrupted>("{}; {}", stopped.what(), stays_charged);
  std::error_code ignored;
  if (!std::filesystem::exists(options.checkpoint->path, ignored)) throw;
  const std::string how = goes_on_from(options.checkpoint->path);
  if (std::string_view(stopped.what()).ends_with(how)) throw;
  throw_error<Interrupted>("{}; {}, and {}", stopped.what(), stays_charged, how);
}

}  // namespace

void require_unseeded(const FitOptions& options, const BitSource& bits) {
  if (options.ledger && bits.seeded())
    throw_error<UsageError>("a fit with seeded bits is not private and cannot be charged to a ledger");
}

std::optional<double> agreed_row_bound(const FitPlan& plan, const FitRecords& records) {
  if (plan.options.row_bound && records.row_norm_bound)
    throw_error<UsageError>(
        "the schema, or the format, bounds every row by {}; a row bound of {} contradicts it",
        *records.row_norm_bound, *plan.options.row_bound);
  return plan.options.row_bound ? plan.options.row_bound : records.row_norm_bound;
}

void require_suitable(const Method& method, const Shape& shape) {
  if (const std::string why = method.unsuitable(shape); !why.empty())
    throw_error<UsageError>("the method {} cannot fit this: {}", method.name, why);
}

Facts facts_for_method(const FitOptions& options, std::optional<double> row_bound,
                       const PreparedTarget& target) {
  Facts facts = options.method_options;
  set_target(facts, options.guarantee);
  facts.set("threads", static_cast<std::int64_t>(options.threads));
  if (row_bound) {
    // ‖(a, intercept)‖ ≤ √(A² + intercept²)
    const double squares =
        add_up(mul_up(*row_bound, *row_bound), mul_up(options.intercept, options.intercept));
    facts.set("row_norm_bound", sqrt_up(squares));
  }
  if (target.bound && (target.scale != 1 || !facts.has("label_bound")))
    facts.set("label_bound", *target.bound);
  return facts;
}

FeatureBlocks blocks_of(const FitPlan& plan, const std::vector<FeatureBlock>& encoded, std::size_t columns) {
  const bool unknown = encoded.empty() && columns > 0;
  if (plan.options.encoder == EncoderRule::linear_v1 || unknown) return {};
  const FeatureBlocks blocks = FeatureBlocks::with_intercept(encoded, plan.options.intercept);
  // Intervals know the moments of noise in all of K alone.
  return plan.options.interval_level ? blocks.without_plane() : blocks;
}

// Methods with a label bound deal with the labels' size, or ask for it; counts are above 0 in any case.
bool takes_target_as_it_comes(const Method& method, const LossSpec& loss, const PreparedTarget& target) {
  const auto* link = std::get_if<Link>(&loss);
  return !classifies(loss) && !(link != nullptr && link->kind == LinkKind::poisson) && !target.bound &&
         !offers(method, Notion::none) && !knows_label_bound(method);
}

namespace {

// A method that gives up later has spent what it was charged for, and the message must not hide that.
Release fit_or_say_what_was_spent(const Method& method, const Problem& problem, const Facts& facts,
                                  Meter& meter) {
  try {
    return method.fit(problem, facts, meter);
  } catch (const InfeasibleError& error) {
    if (meter.steps().empty()) throw;
    throw_error<InfeasibleError>("{}; it follows from sizes that were released, so the budget is spent",
                                 error.what());
  }
}

// Of records, or of users: what is stated, or what is there where that is public.
std::optional<std::size_t> public_count(const Facts& facts, const Budget& budget, const Dataset& data) {
  const bool users = budget.unit == Unit::user;
  const char* const stated = count_option(budget.unit);
  if (facts.has(stated)) return static_cast<std::size_t>(facts.integer(stated));
  if (budget.neighbours == Neighbours::add_remove) return std::nullopt;
  return users ? data.user_count : data.size();
}

// What a checkpoint is bound to: everything that was asked for, and the shape of the data as far as it is
// public. `count`: of records, or of users where they are protected, the number that is public. (Other data
// of the same shape would go unnoticed; it is charged to the same name and group.)
nlohmann::ordered_json identity(const FitOptions& options, std::optional<double> row_bound,
                                const Problem& problem, const Meter& meter,
                                const std::optional<std::size_t>& count) {
  nlohmann::ordered_json fit{{"version", tacit::version},
                             {"loss", name(problem.loss)},
                             {"loss_parameter", options.loss_parameter.value_or(0)},
                             {"neighbours", name(meter.budget().neighbours)},
                             {"intercept", options.intercept},
                             {"row_bound", row_bound.value_or(0)},
                             {"weight_bound", options.weight_bound.value_or(0)},
                             {"target", options.target},
                             {"target_min", options.target_min.value_or(0)},
                             {"target_max", options.target_max.value_or(0)},
                             {"schema", options.checkpoint->schema},
                             {"encoder", name(options.encoder)},
                             {"features", problem.data->features.columns()},
                             {"classes", problem.data->classes.size()},
                             {"parameters", shape_of(problem).parameters()}};
  if (options.group) fit["group"] = {options.group->column, options.group->value};
  if (count && meter.budget().neighbours != Neighbours::add_remove)
    fit[count_fact(meter.budget().unit)] = *count;
  for (const auto& [key, value] : options.method_options.entries())
    std::visit([&, &key = key](const auto& v) { fit[key] = v; }, value);
  return fit;
}

void settle_step(const Method& method, const FitRecords& records, Facts& facts) {
  if (records.image_features == ImageFeatures::wavelets && method.wavelet_step && !facts.has("step") &&
      !facts.has("schedule"))
    facts.set("step", *method.wavelet_step);
}

// With a delta, wavelets go to the descent that their accuracy was measured with [docs/features.md].
Choice choose(const FitPlan& plan, const FitRecords& records, const Shape& shape, const Facts& facts) {
  Choice choice = choose_method(plan.options, plan.candidates, shape, facts);
  const auto measured = std::ranges::find_if(
      plan.candidates, [](const Method* method) { return method->wavelet_step.has_value(); });
  if (records.image_features == ImageFeatures::wavelets && chooses_itself(plan.options) &&
      std::holds_alternative<Approx>(plan.options.guarantee) && measured != plan.candidates.end())
    choice = {*measured, "gradient descent is what was measured on wavelets"};
  if (const std::string why = why_no_columns(records); !why.empty()) choice.reason = why;
  return choice;
}

// The charge to the ledger, right before the first noise is drawn; its id, once it is made.
class Charge {
 public:
  Charge(const FitOptions& options, const Method& method, const Budget& whole,
         std::optional<double> row_bound, const Problem& problem, RootMeter& meter,
         const std::optional<std::size_t>& count)
      : options_(options) {
    if (!options.ledger) return;
    request_ = request_to(options, method, whole, options.group);
    if (!options.checkpoint) return;
    checkpoints_.emplace(*options.checkpoint, *options.ledger, request_,
                         identity(options, row_bound, problem, meter, count));
    meter.save_to(*checkpoints_);
  }
  void make_once() {
    if (!options_.ledger || !id_.empty()) return;
    if (options_.ledger->before_charge) options_.ledger->before_charge();
    id_ = checkpoints_ ? checkpoints_->charge() : charge_ledger(options_.ledger->path, request_);
  }
  const std::string& id() const { return id_; }

 private:
  const FitOptions& options_;
  LedgerRequest request_;
  std::optional<CheckpointedFit> checkpoints_;
  std::string id_;
};

// `charged` is set once the ledger is.
FitRun run_method(const FitPlan& plan, FitRecords& records, BitSource& bits, bool& charged) {
  const SharedFit shared = with_interval_share(plan.options);
  const FitOptions& options = shared.options;
  Dataset& data = records.data;
  const std::optional<double> row_bound = agreed_row_bound(plan, records);
  const LossSpec loss = choose_loss(options, data.target_kind, data.classes.size());
  const Problem problem{.data = &data,
                        .loss = loss,
                        .intercept = options.intercept,
                        .domain = WholeSpace{},
                        .blocks = blocks_of(plan, records.blocks, records.data.features.columns())};
  check_names(data, options.target);
  check_users(data);
  data.weights = parts_of_bound(std::move(data.weights), options.weight_bound);
  PreparedTarget target = prepare_target(data, std::move(data.labels), loss, options);
  data.labels = std::move(target.labels);
  validate(problem);

  Facts facts = facts_for_method(options, row_bound, target);
  Choice choice = choose(plan, records, shape_of(problem), facts);
  const Method& method = *choice.method;
  settle_step(method, records, facts);
  if (data.shards && !method.sharded)
    throw_error<UsageError>("the method {} needs all records in one place", method.name);
  if (method.unit == Unit::user && data.user_count == 0)
    throw_error<UsageError>("the method {} protects users; say whose record each one is", method.name);
  require_suitable(method, shape_of(problem));
  require_intervals(shared, method, shape_of(problem), facts);

  const bool as_it_comes = takes_target_as_it_comes(method, loss, target);
  const Budget whole = requested_budget(plan.options, method);
  RootMeter meter(requested_budget(options, method), bits);
  const std::optional<std::size_t> count = public_count(facts, whole, data);
  Charge charge(options, method, whole, row_bound, problem, meter, count);
  std::vector<std::string> to_say =
      said_beforehand(options, records, size_of_fit(method, shape_of(problem), count, options.guarantee));
  std::erase_if(to_say, [&](const std::string& what) { return std::ranges::count(plan.said, what) > 0; });
  bool warned = false;
  meter.before_each_step([&](const Step& step) {
    if (!std::exchange(warned, true)) {
      if (as_it_comes) announce(fmt::format("Warning: {}.", no_target_range));
      for (const std::string& what : to_say) announce(fmt::format("Warning: {}.", what));
    }
    if (options.before_each_step) options.before_each_step(step);
    charge.make_once();
    charged = true;
  });
  Release release = fit_or_say_what_was_spent(method, problem, facts, meter);
  if (release.certificate.method != method.name)
    throw_error<UsageError>(
        "the method {} was fitted, but its certificate names {}, as which nobody could verify it; nothing is "
        "released{}",
        method.name, release.certificate.method.empty() ? "none" : visible(release.certificate.method),
        options.ledger && charged ? fmt::format(", but {}", stays_charged) : "");
  std::optional<IntervalRun> intervals;
  if (shared.split) intervals = release_intervals(shared, problem, release, whole, bits);
  return {.choice = std::move(choice),
          .release = std::move(release),
          .loss = loss,
          .target = std::move(target),
          .target_as_it_comes = as_it_comes,
          .ledger_release = charge.id(),
          .intervals = std::move(intervals)};
}

}  // namespace

FitRun run(const FitPlan& plan, FitRecords& records, BitSource& bits) {
  require_unseeded(plan.options, bits);
  bool charged = false;
  try {
    return recording_refusals(plan.options.ledger, charged,
                              [&] { return run_method(plan, records, bits, charged); });
  } catch (const Interrupted& stopped) {
    if (!plan.options.ledger || !charged) throw;
    say_what_stays_charged(stopped, plan.options);
  }
}

}  // namespace tacit::inline v1::service
