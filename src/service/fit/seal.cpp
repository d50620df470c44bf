#include "privacy/assumptions.hpp"
#include "service/fit/group.hpp"
#include "service/fit/schema_cost.hpp"
#include "service/fit/steps.hpp"

namespace tacit::inline v1::service {

namespace {

// What is not known to be public, but was taken to be.
void state(const Sources& sources, bool stated_row_bound, Certificate& certificate) {
  Facts& facts = certificate.assumed_public;
  for (const std::string& what : sources.read_off_data) assume_public(read_off_named(what), certificate);
  if (sources.drafted_schema) assume_public(ReadOff::schema, certificate);
  const bool used = facts.has("row_norm_bound") || certificate.options.has("row_norm_bound");
  if (stated_row_bound && used)  // methods that clip have no use for it
    facts.set("row_norm_bound_source", std::string("stated by the caller"));
  if (!sources.user_column.empty()) facts.set("user_column", sources.user_column);
  if (sources.guessed_numbers) assume_public(ReadOff::target_kind, certificate);
  if (sources.guessed_header) assume_public(ReadOff::header, certificate);
  if (sources.guessed_separator) assume_public(ReadOff::separator, certificate);
  if (sources.by_query) assume_public(ReadOff::query, certificate);
  if (sources.group) state_group(*sources.group, certificate);
}

// Whether neighbours have different numbers of records and the true one is told to nobody.
bool hides_count(const FitOptions& options, const Certificate& certificate) {
  if (std::holds_alternative<NoPrivacy>(certificate.guarantee)) return false;
  return certificate.neighbours == Neighbours::add_remove ||
         (certificate.neighbours == Neighbours::zero_out &&
          options.method_options.has(count_option(certificate.unit)));
}

// Of the fit alone.
Certificate certificate_of_fit(const FitPlan& plan, const FitRecords& records, const FitRun& run) {
  Certificate certificate = run.release.certificate;
  Facts& facts = certificate.assumed_public;
  if (!run.choice.reason.empty()) facts.set("method_choice", run.choice.reason);
  if (plan.options.weight_bound) facts.set("weight_bound", *plan.options.weight_bound);
  if (run.target_as_it_comes) facts.set("target_range", std::string("none given"));
  if (!run.ledger_release.empty()) facts.set("ledger_release", run.ledger_release);
  state(records.sources, plan.options.row_bound.has_value(), certificate);
  if (hides_count(plan.options, certificate)) assume_public(ReadOff::some, certificate);
  add_callers_assumptions(plan.options.assumptions, certificate);
  return certificate;
}

// Of all that the release spent: intervals come after the fit, ranges before both, and a schema that was
// released before costs what it cost on top of the rest. Encoded cells have the ranges and categories of the
// schema that encoded them, whatever is said now: its release counts unless the caller states one.
Certificate joined(Certificate fit, const FitPlan& plan, const Sources& sources, const FitRun& run) {
  if (run.intervals)
    fit = with_intervals(std::move(fit), run.intervals->step, plan.options.guarantee, run.intervals->split,
                         *plan.options.interval_level);
  if (run.ranges)
    fit = with_ranges(std::move(fit), run.ranges->steps, run.ranges->whole, run.ranges->split,
                      run.ranges->asked_target);
  const std::optional<SchemaRelease>& stated = plan.options.schema_release;
  if (const std::optional<SchemaRelease>& found = stated ? stated : sources.schema_release)
    state_schema_cost(schema_cost(*found), fit);
  fit.replaced = replaced_guarantee(fit);  // worked out once: an account takes time
  return fit;
}

// The model's schema says which column is the user's, so that it reads the same file again.
std::optional<Schema> with_users(std::optional<Schema> schema, const std::string& user) {
  const bool by_number = user.find_first_not_of("+-0123456789") == std::string::npos;
  if (schema && !by_number) schema->user = user;
  return schema;
}

}  // namespace

Certificate sealed_certificate(const FitPlan& plan, const FitRecords& records, const FitRun& run) {
  return joined(certificate_of_fit(plan, records, run), plan, records.sources, run);
}

FittedModel seal(const FitPlan& plan, const FitRecords& records, FitRun run) {
  // What the method did to the labels comes on top of what was done before it.
  const LabelMap labels = label_map(*run.choice.method, run.release.certificate.options);
  Certificate fit = certificate_of_fit(plan, records, run);
  const Vector& parameters = run.release.parameters.value();
  std::optional<Intervals> intervals;
  if (run.intervals)
    intervals = intervals_from(fit, run.intervals->split, parameters, *plan.options.interval_level,
                               run.intervals->released);
  std::vector<Vector> samples;
  for (const Released<Vector>& sample : run.release.samples) samples.push_back(sample.value());
  return {.loss = run.loss,
          .intercept = plan.options.intercept,
          .features = records.data.features.columns(),
          .parameters = parameters,
          .samples = std::move(samples),
          .names = records.data.names,
          .target = plan.options.target,
          .classes = classifies(run.loss) ? records.data.classes : std::vector<std::string>{},
          .offset = run.target.offset + run.target.scale * labels.offset,
          .scale = run.target.scale * labels.scale,
          .schema = with_users(records.schema ? records.schema : plan.schema, records.sources.user_column),
          .image_features = records.image_features,
          .certificate = joined(std::move(fit), plan, records.sources, run),
          .ranges = run.ranges ? std::optional(run.ranges->answers) : std::nullopt,
          .intervals = std::move(intervals)};
}

}  // namespace tacit::inline v1::service
