#include <algorithm>

#include "service/fit/columns.hpp"
#include "service/fit/steps.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"

// What a fit would do: resolve, then the shape of the records in place of the records.

namespace tacit::inline v1::service {

namespace {

const Schema& required_schema(const ReadOptions& reading) {
  if (!reading.schema || !reading.schema->target)
    throw_error<UsageError>(
        "a plan needs a schema with a target: without it columns and classes are read off the data");
  return *reading.schema;
}

std::size_t required_records(std::optional<std::size_t> records) {
  if (!records || *records == 0)
    throw_error<UsageError>(
        "a plan needs the number of records, which nothing public says: state it as records");
  return *records;
}

// The options and facts as a certificate would state them before the method's plan has filled in the rest.
struct Stated {
  Facts options, assumed_public;
};
Stated stated(const Method& method, const Facts& given, const Shape& shape, Neighbours neighbours) {
  const auto has = [](const std::vector<std::string>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  };
  Stated made{.options = {}, .assumed_public = shape_facts(shape)};
  for (const auto& [key, value] : given.entries()) {
    Facts& facts = has(method.public_facts, key) ? made.assumed_public : made.options;
    if (key != "threads") std::visit([&, &name = key](const auto& v) { facts.set(name, v); }, value);
  }
  if (has(method.facts, "neighbours")) made.options.set("neighbours", std::string(name(neighbours)));
  if (!shape.blocks.empty()) {
    if (has(method.facts, "feature_blocks")) made.options.set("feature_blocks", shape.blocks.text());
    made.assumed_public.set("feature_blocks", shape.blocks.text());  // for the rules that go by them
  }
  return made;
}

void tell_steps(const Method& method, const Stated& facts, PlannedFit& plan) {
  if (method.rebuild_options == nullptr || method.rebuild_steps == nullptr) {
    plan.no_steps = "the method has no plan to show";
    return;
  }
  try {
    plan.options = method.rebuild_options(facts.options, facts.assumed_public);
    plan.steps = method.rebuild_steps(plan.options, facts.assumed_public);
  } catch (const InfeasibleError&) {
    throw;
  } catch (const Error& error) {  // some of it is chosen from the records, privately
    plan.options = facts.options;
    plan.no_steps = fmt::format("they follow from what the fit finds ({})", error.what());
  }
}

void tell_intervals(const SharedFit& shared, const Shape& shape, PlannedFit& plan) {
  Certificate fit{.method = plan.method,
                  .guarantee = shared.split->rest,
                  .unit = plan.budget.unit,
                  .neighbours = plan.budget.neighbours,
                  .steps = plan.steps,
                  .options = plan.options,
                  .assumed_public = shape_facts(shape)};
  const Step step = intervals::plan(fit_of_intervals(fit), shared.split->intervals).step;
  fit = tacit::with_intervals(std::move(fit), step, plan.budget.limit, *shared.split,
                              *shared.options.interval_level);
  plan.steps = fit.steps;
  plan.options = fit.options;
}

}  // namespace

PlannedFit plan_fit(const ReadOptions& reading, const FitOptions& asked, std::optional<std::size_t> records) {
  required_schema(reading);
  const FitPlan request = resolve(reading, asked);
  const SharedFit shared = with_interval_share(request.options);
  const FitOptions& options = shared.options;
  PlannedFit plan;
  plan.records = required_records(records);
  const KnotFacts known = knot_facts(request, plan.records);
  const FitRecords shaped =
      with_bearable_columns(no_records(with_knots(*reading.schema, options.encoder, known)), request, known);
  const Dataset& data = shaped.data;
  plan.schema = *shaped.schema;
  plan.loss = choose_loss(options, data.target_kind, data.classes.size());
  const Problem problem{.data = &data,
                        .loss = plan.loss,
                        .intercept = options.intercept,
                        .domain = WholeSpace{},
                        .blocks = blocks_of(request, shaped.blocks, data.features.columns())};
  Shape shape = shape_of(problem);
  shape.records = plan.records;
  plan.features = shape.features;
  plan.parameters = shape.parameters();

  const std::optional<double> row_bound = shaped.row_norm_bound ? shaped.row_norm_bound : options.row_bound;
  const Facts facts =
      facts_for_method(options, row_bound, prepare_target(data, data.labels, plan.loss, options));
  Choice choice = choose_method(options, request.candidates, shape, facts);
  if (const std::string why = why_no_columns(shaped); !why.empty()) choice.reason = why;
  if (const std::string why = choice.method->unsuitable(shape); !why.empty())
    throw_error<UsageError>("the method {} cannot fit this: {}", choice.method->name, why);
  plan.method = choice.method->name;
  plan.choice = choice.reason;
  require_intervals(shared, *choice.method, shape, facts);
  plan.budget = requested_budget(request.options, *choice.method);
  tell_steps(*choice.method, stated(*choice.method, facts, shape, plan.budget.neighbours), plan);
  if (shared.split) tell_intervals(shared, shape, plan);
  const bool of_users = plan.budget.unit == Unit::user;  // how many they are is not said
  plan.warnings = said_beforehand(options, shaped,
                                  {.unit = plan.budget.unit,
                                   .count = of_users ? std::nullopt : std::optional(plan.records),
                                   .parameters = plan.parameters});
  plan.schema_release = asked.schema_release;
  return plan;
}

}  // namespace tacit::inline v1::service
