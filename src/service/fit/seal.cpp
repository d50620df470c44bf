#include "algorithm/heavy_tails/private_limits.hpp"
#include "model/schema_cost.hpp"
#include "privacy/assumptions.hpp"
#include "service/fit/group.hpp"
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

Certificate complete(Certificate certificate, const FitPlan& plan, const FitRecords& records,
                     const FitRun& run) {
  Facts& facts = certificate.assumed_public;
  if (!run.choice.reason.empty()) facts.set("method_choice", run.choice.reason);
  if (plan.options.weight_bound) facts.set("weight_bound", *plan.options.weight_bound);
  if (run.target_as_it_comes) facts.set("target_range", std::string("none given"));
  if (!run.ledger_release.empty()) facts.set("ledger_release", run.ledger_release);
  state(records.sources, plan.options.row_bound.has_value(), certificate);
  add_callers_assumptions(plan.options.assumptions, certificate);
  return certificate;
}

// The model's schema says which column is the user's, so that it reads the same file again.
std::optional<Schema> with_users(std::optional<Schema> schema, const std::string& user) {
  const bool by_number = user.find_first_not_of("+-0123456789") == std::string::npos;
  if (schema && !by_number) schema->user = user;
  return schema;
}

}  // namespace

FittedModel seal(const FitPlan& plan, const FitRecords& records, FitRun run) {
  // What the method did to the labels comes on top of what was done before it.
  const heavy_tails::LabelMap labels = heavy_tails::label_map(run.release.certificate);
  std::vector<Vector> samples;
  for (const Released<Vector>& sample : run.release.samples) samples.push_back(sample.value());
  FittedModel model{
      .loss = run.loss,
      .intercept = plan.options.intercept,
      .features = records.data.features.columns(),
      .parameters = run.release.parameters.value(),
      .samples = std::move(samples),
      .names = records.data.names,
      .target = plan.options.target,
      .classes = classifies(run.loss) ? records.data.classes : std::vector<std::string>{},
      .offset = run.target.offset + run.target.scale * labels.offset,
      .scale = run.target.scale * labels.scale,
      .schema = with_users(records.schema ? records.schema : plan.schema, records.sources.user_column),
      .image_features = records.image_features,
      .certificate = complete(run.release.certificate, plan, records, run)};
  if (run.intervals)
    model = with_intervals(std::move(model), *run.intervals, plan.options.guarantee,
                           *plan.options.interval_level);
  if (const std::optional<SchemaRelease>& found = plan.options.schema_release)
    state_schema_cost({found->guarantee, found->unit, found->neighbours, found->edited}, model.certificate);
  return model;
}

}  // namespace tacit::inline v1::service
