#include "algorithm/posterior/exact.hpp"
#include "data/readers.hpp"
#include "data/text.hpp"
#include "privacy/accounting/conversions.hpp"
#include "service/fit/advice.hpp"
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

// What a reader refuses by names alone. (A number is a place in the file.)
void check_agreement(const ReadOptions& reading) {
  decimal_mark(reading);
  const std::string& described = reading.schema->target->column;
  if (!reading.target.empty() && !described.empty() && reading.target != described &&
      !integer_in(reading.target))
    throw_error<UsageError>("the target column is given as \"{}\", but the schema says \"{}\"",
                            reading.target, described);
}

std::size_t required_units(std::optional<std::size_t> units, Unit unit) {
  if (!units || *units == 0)
    throw_error<UsageError>("a plan needs the number of {0}s, which nothing public says: state it",
                            record_or_user(unit));
  return *units;
}

// Of all files. Nothing else of them is looked at, and a plan does not need them.
Origin planned_origin(const ReadOptions& reading, const FitOptions& asked) {
  std::vector<std::filesystem::path> files = asked.shards.files;
  if (files.empty()) files.push_back(reading.path);
  Origin all{.by_query = !reading.query.empty()};
  for (const std::filesystem::path& file : files) {
    ReadOptions one = reading;
    one.path = file;
    if (std::error_code ignored; std::filesystem::exists(file, ignored)) all.add(origin_of(one));
  }
  return all;
}

// By the general rule, where no steps tell less.
void state_most_spent(Certificate& certificate) {
  if (certificate.neighbours != Neighbours::replace_one &&
      !std::holds_alternative<NoPrivacy>(certificate.guarantee))
    certificate.replaced = to_replace_one(certificate.guarantee, certificate.neighbours);
}

// What the records will be said to come from.
Sources planned_sources(const ReadOptions& reading, const FitOptions& options) {
  const Origin origin = planned_origin(reading, options);
  return {.drafted_schema = reading.schema->drafted_from_data,
          .by_query = origin.by_query,
          .schema_release = options.schema_release ? std::nullopt : origin.schema_release(),
          .user_column = reading.user,
          .group = options.group};
}

// What the method would have done, in place of a run.
FitRun planned_run(Choice choice, Certificate certificate, const LossSpec& loss, PreparedTarget target,
                   const SharedFit& shared) {
  std::optional<IntervalRun> intervals;
  if (shared.split)
    intervals = {.split = *shared.split,
                 .step = intervals::plan(fit_of_intervals(certificate), shared.split->intervals).step};
  const bool as_it_comes = takes_target_as_it_comes(*choice.method, loss, target);
  return {.choice = std::move(choice),
          .release = {Released<Vector>(Public(Vector())), std::move(certificate)},
          .loss = loss,
          .target = std::move(target),
          .target_as_it_comes = as_it_comes,
          .intervals = std::move(intervals)};
}

// As the fit says it before it draws.
std::string long_sampling(const Facts& planned, const Shape& shape) {
  if (!planned.has("predicted_acceptance")) return "";
  return posterior::long_work(shape, planned.number("predicted_acceptance"),
                              static_cast<std::size_t>(planned.integer("samples")));
}

}  // namespace

PlannedFit plan_fit(const ReadOptions& reading, const FitOptions& asked, std::optional<std::size_t> given) {
  required_schema(reading);
  check_agreement(reading);
  const FitPlan request = resolve(reading, asked);
  const SharedFit shared = with_interval_share(request.options);
  const FitOptions& options = shared.options;
  const Unit unit = request.candidates.front()->unit;
  const std::size_t units = required_units(given, unit);
  ExpectedFit fit = expected_fit(request, shared, *reading.schema, units);
  FitRecords& shaped = fit.records;
  shaped.sources = planned_sources(reading, request.options);
  const Method& method = *fit.choice.method;
  PlannedFit plan{.schema = *shaped.schema};
  plan.loss = fit.loss;
  plan.features = fit.shape.features;
  plan.parameters = fit.shape.parameters();

  PlannedMethod planned =
      planned_method(method, fit.facts, fit.shape, units, requested_budget(options, method));
  plan.no_steps = std::move(planned.no_steps);
  if (!plan.no_steps.empty()) state_most_spent(planned.certificate);
  const FitRun run = planned_run(std::move(fit.choice), std::move(planned.certificate), plan.loss,
                                 std::move(fit.target), shared);
  plan.certificate = sealed_certificate(request, shaped, run);

  if (run.target_as_it_comes) plan.warnings.emplace_back(no_target_range);
  for (std::string& what :
       said_beforehand(options, shaped, size_of_fit(method, fit.shape, units, options.guarantee)))
    plan.warnings.push_back(std::move(what));
  for (std::string what :
       {weak_promise_warning(plan.certificate), noisy_categories(plan.certificate, fit.shape, plan.schema),
        long_sampling(plan.certificate.options, fit.shape)})
    if (!what.empty()) plan.warnings.push_back(std::move(what));
  return plan;
}

}  // namespace tacit::inline v1::service
