#include "tacit/service/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "checkpointed_fit.hpp"
#include "tacit/algorithm/heavy_tails/private_limits.hpp"
#include "tacit/core/error.hpp"
#include "tacit/core/planned_work.hpp"
#include "tacit/core/rounding.hpp"
#include "tacit/core/version.hpp"
#include "tacit/noise/system_bits.hpp"
#include "tacit/privacy/target_facts.hpp"
#include "tacit/service/advice.hpp"
#include "tacit/service/choose.hpp"
#include "target.hpp"

namespace tacit::inline v1::service {

namespace {

constexpr unsigned most_threads = 1024;

void check_method_options(const Method& method, const Facts& given) {
  std::string names;
  for (const OptionSpec& spec : method.options)
    names += fmt::format("{}--{}", names.empty() ? "" : ", ", spec.name);
  for (const auto& [key, value] : given.entries()) {
    const auto known = [&key = key](const OptionSpec& spec) { return fact_name(spec.name) == key; };
    if (std::ranges::none_of(method.options, known))
      throw_error<UsageError>("{} is not an option of the method {}, which has {}", key, method.name,
                              names.empty() ? "none" : names);
  }
}

void check_checkpoint_options(const FitOptions& options, const Method& method) {
  if (!options.ledger)
    throw_error<UsageError>(
        "a checkpoint needs a ledger, which keeps it from being continued more than once");
  if (!method.resumable)
    throw_error<UsageError>("the method {} is fitted in one go and makes no checkpoints", method.name);
}

std::string relations(const Method& method) {
  std::string names;
  for (const Neighbours relation : method.neighbours)
    names += fmt::format("{}{}", names.empty() ? "" : " or ", name(relation));
  return names;
}

// Everything that can be refused without a look at the data.
void check_before_reading(const FitOptions& options) {
  validate(options.guarantee);
  check_loss_name(options);
  const std::vector<const Method*> open = candidates(options);  // each has what was asked for, unless named
  const Method& method = *open.front();
  if (!chooses_itself(options)) check_method_options(method, options.method_options);
  if (options.neighbours &&
      std::ranges::find(method.neighbours, *options.neighbours) == method.neighbours.end())
    throw_error<UsageError>("neighbours {} is not offered by {}, which protects {}",
                            name(*options.neighbours), method.name, relations(method));
  if (options.ledger && std::holds_alternative<NoPrivacy>(options.guarantee))
    throw_error<UsageError>("a fit without privacy cannot be charged to a ledger");
  if (options.checkpoint) check_checkpoint_options(options, method);
  if (options.threads > most_threads)
    throw_error<UsageError>("threads is {}, expected at most {}", options.threads, most_threads);
  if (options.row_bound && !(*options.row_bound > 0 && std::isfinite(*options.row_bound)))
    throw_error<UsageError>("the row bound is {}, expected a finite number > 0", *options.row_bound);
  if (!(options.intercept >= 0 && std::isfinite(options.intercept)))
    throw_error<UsageError>("the intercept is {}, expected a finite number >= 0", options.intercept);
}

// A name that JSON cannot hold is found before the budget is spent, not when the model is written.
void check_names(const Dataset& data, const std::string& target) {
  try {
    for (const auto* names : {&data.classes, &data.names})
      for (const std::string& name : *names) static_cast<void>(nlohmann::json(name).dump());
    static_cast<void>(nlohmann::json(target).dump());
  } catch (const nlohmann::json::exception&) {
    throw_error<DataError>("the name of a column or class is not valid UTF-8");
  }
}

Facts facts_for_method(const FitOptions& options, const PreparedTarget& target) {
  Facts facts = options.method_options;
  set_target(facts, options.guarantee);
  facts.set("threads", static_cast<std::int64_t>(options.threads));
  if (options.row_bound) {
    // ‖(a, intercept)‖ ≤ √(A² + intercept²)
    const double squares =
        add_up(mul_up(*options.row_bound, *options.row_bound), mul_up(options.intercept, options.intercept));
    facts.set("row_norm_bound", sqrt_up(squares));
  }
  if (target.bound && (target.scale != 1 || !facts.has("label_bound")))
    facts.set("label_bound", *target.bound);
  return facts;
}

// Methods with a label bound deal with the labels' size, or ask for it. The steps of all others are for
// numbers about as large as 1; counts are above 0 in any case.
bool takes_target_as_it_comes(const Method& method, const LinearLoss& loss, const PreparedTarget& target) {
  const auto* link = std::get_if<Link>(&loss);
  return !classifies(loss) && !(link != nullptr && link->kind == LinkKind::poisson) && !target.bound &&
         !offers(method, "none") && method.name != "tuned" &&
         std::ranges::find(method.options, "label-bound", &OptionSpec::name) == method.options.end();
}

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

// What a checkpoint is bound to: everything that was asked for, and the shape of the data as far as it is
// public. (Other data of the same shape would go unnoticed; it is charged to the same name.)
nlohmann::ordered_json identity(const FitOptions& options, const Problem& problem, const Meter& meter) {
  nlohmann::ordered_json fit{{"version", tacit::version},
                             {"loss", name(problem.loss)},
                             {"loss_parameter", options.loss_parameter.value_or(0)},
                             {"neighbours", name(meter.budget().neighbours)},
                             {"intercept", options.intercept},
                             {"row_bound", options.row_bound.value_or(0)},
                             {"target", options.target},
                             {"target_min", options.target_min.value_or(0)},
                             {"target_max", options.target_max.value_or(0)},
                             {"schema", options.checkpoint->schema},
                             {"features", problem.data->features.columns()},
                             {"classes", problem.data->classes.size()},
                             {"parameters", shape_of(problem).parameters()}};
  if (meter.budget().neighbours != Neighbours::add_remove) fit["records"] = problem.data->size();
  for (const auto& [key, value] : options.method_options.entries())
    std::visit([&, &key = key](const auto& v) { fit[key] = v; }, value);
  return fit;
}

}  // namespace

Guarantee requested_guarantee(std::optional<double> epsilon, std::optional<double> delta,
                              std::optional<double> mu) {
  if (epsilon.has_value() == mu.has_value() || (mu && delta))
    throw_error<UsageError>("expected epsilon, epsilon and delta, or mu");
  if (mu) {
    validate(Gaussian{*mu});
    return Gaussian{*mu};
  }
  if (!(*epsilon > 0))
    throw_error<UsageError>("epsilon is {}, expected > 0, or inf for no privacy", *epsilon);
  if (std::isinf(*epsilon)) {
    if (delta) throw_error<UsageError>("a delta means nothing without privacy (epsilon = inf)");
    return NoPrivacy{};
  }
  if (!delta) return Pure{*epsilon};
  validate(Approx{*epsilon, *delta});
  return Approx{*epsilon, *delta};
}

Budget requested_budget(const FitOptions& options, const Method& method) {
  return {options.guarantee, parse_unit(method.unit), options.neighbours.value_or(method.neighbours.front())};
}

FittedModel fit(Dataset data, const FitOptions& options, BitSource& bits) {
  check_before_reading(options);
  if (options.ledger && bits.seeded())
    throw_error<UsageError>("a fit with seeded bits is not private and cannot be charged to a ledger");
  check_names(data, options.target);
  const LinearLoss loss = choose_loss(options, data.target_kind, data.classes.size());
  PreparedTarget target = prepare_target(data, loss, options);

  data.labels = std::move(target.labels);
  const Problem problem{.data = &data, .loss = loss, .intercept = options.intercept, .domain = WholeSpace{}};
  validate(problem);
  const Facts facts = facts_for_method(options, target);
  const Choice choice = choose_method(options, shape_of(problem), facts);
  const Method& method = *choice.method;
  if (method.unit == "user" && data.users.empty())
    throw_error<UsageError>("the method {} protects users; say whose record each one is", method.name);
  if (const std::string why = method.unsuitable(shape_of(problem)); !why.empty())
    throw_error<UsageError>("the method {} cannot fit this: {}", method.name, why);

  const bool unscaled = takes_target_as_it_comes(method, loss, target);
  Meter meter(requested_budget(options, method), bits);
  const LedgerRequest request{options.ledger ? options.ledger->name : "", method.name, meter.budget()};
  std::optional<CheckpointedFit> checkpoints;
  if (options.checkpoint) {
    checkpoints.emplace(*options.checkpoint, *options.ledger, request, identity(options, problem, meter));
    meter.save_to(*checkpoints);
  }
  std::string charged;  // the ledger's id of this release
  bool told = !unscaled;
  meter.before_each_step([&](const Step& step) {
    if (!std::exchange(told, true)) foretell(fmt::format("Warning: {}.", no_target_range));
    if (options.before_each_step) options.before_each_step(step);
    if (options.ledger && charged.empty())
      charged = checkpoints ? checkpoints->charge() : charge_ledger(options.ledger->path, request);
  });
  Release release = fit_or_say_what_was_spent(method, problem, facts, meter);
  if (!choice.reason.empty()) release.certificate.assumed_public.set("method_choice", choice.reason);
  if (unscaled) release.certificate.assumed_public.set("target_range", std::string("none given"));
  if (!charged.empty()) release.certificate.assumed_public.set("ledger_release", charged);

  // What the method did to the labels comes on top of what was done before it.
  const heavy_tails::LabelMap labels = heavy_tails::label_map(release.certificate);

  std::vector<Vector> samples;
  for (const Released<Vector>& sample : release.samples) samples.push_back(sample.value());
  return {.loss = loss,
          .intercept = options.intercept,
          .features = data.features.columns(),
          .parameters = release.parameters.value(),
          .samples = std::move(samples),
          .names = data.names,
          .target = options.target,
          .classes = classifies(loss) ? data.classes : std::vector<std::string>{},
          .offset = target.offset + target.scale * labels.offset,
          .scale = target.scale * labels.scale,
          .schema = std::nullopt,
          .certificate = std::move(release.certificate)};
}

FittedModel fit(Dataset data, const FitOptions& options) {
  return fit(std::move(data), options, *noise::system_bits());
}

}  // namespace tacit::inline v1::service
