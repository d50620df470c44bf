#include "service/fit/columns.hpp"
#include "service/fit/planned.hpp"
#include "service/fit/schema_cost.hpp"
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

// Of all files. Nothing else of them is looked at, and a plan does not need them.
Origin planned_origin(const ReadOptions& reading, const FitOptions& asked) {
  std::vector<std::filesystem::path> files = asked.shards.files;
  if (files.empty()) files.push_back(reading.path);
  Origin all;
  for (const std::filesystem::path& file : files) {
    ReadOptions one = reading;
    one.path = file;
    if (std::error_code ignored; std::filesystem::exists(file, ignored)) all.add(origin_of(one));
  }
  return all;
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
  PlannedMethod planned = planned_method(*choice.method, facts, shape, plan.budget.neighbours);
  plan.options = std::move(planned.options);
  plan.steps = std::move(planned.steps);
  plan.no_steps = std::move(planned.no_steps);
  if (shared.split) tell_intervals(shared, shape, plan);
  const bool of_users = plan.budget.unit == Unit::user;  // how many they are is not said
  plan.warnings = said_beforehand(options, shaped,
                                  {.unit = plan.budget.unit,
                                   .count = of_users ? std::nullopt : std::optional(plan.records),
                                   .parameters = plan.parameters});
  const Certificate whole{.method = plan.method,
                          .guarantee = plan.budget.limit,
                          .steps = plan.steps,
                          .options = plan.options,
                          .assumed_public = shape_facts(shape)};
  if (std::string noisy = noisy_categories(whole, shape, plan.schema); !noisy.empty())
    plan.warnings.push_back(std::move(noisy));
  plan.schema_release = asked.schema_release;
  if (!plan.schema_release) plan.schema_release = planned_origin(reading, asked).schema_release();
  return plan;
}

}  // namespace tacit::inline v1::service
