#include "tacit/fit.hpp"

#include <cmath>

#include "service/fit/columns.hpp"
#include "service/fit/failed_reads.hpp"
#include "service/fit/group.hpp"
#include "service/fit/ranges.hpp"
#include "service/fit/schema_cost.hpp"
#include "service/fit/steps.hpp"
#include "service/shards/process_shards.hpp"
#include "service/shards/read_shards.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"

namespace tacit::inline v1::service {

namespace {

constexpr const char* no_ranges_to_find = "the records are features already";

// That the schema is that of the records: it goes into the model, which reads others with it.
void require_encoded_so(const FitRecords& records) {
  if (!records.schema) return;
  const Dataset& data = records.data;
  if (const std::size_t made = encoded_columns(*records.schema); made != data.features.columns())
    throw_error<DataError>(
        "the schema makes {} features, but the records have {}: encode them with the schema that "
        "schema_to_fit gives, and fit with that",
        made, data.features.columns());
  if (!records.schema->target) return;
  const std::vector<std::string>& classes = records.schema->target->classes;
  if (classes != data.classes || classes.empty() != (data.target_kind != TargetKind::classes))
    throw_error<DataError>("the schema's target has other classes than the records, or in another order");
}

FittedModel fit(const FitPlan& plan, FitRecords records, BitSource& bits) {
  if (!records.sources.group) records = in_group(std::move(records), plan.options.group);
  FitRun made = run(plan, records, bits);
  return seal(plan, records, std::move(made));
}

}  // namespace

FittedModel fit(Dataset data, const FitOptions& options, BitSource& bits) {
  may_find_ranges(options, no_ranges_to_find);
  const FitPlan plan = resolve_in_memory(options, std::nullopt, data);
  return fit(plan, {.data = std::move(data), .schema = {}, .blocks = {}, .row_norm_bound = {}, .sources = {}},
             bits);
}

Schema schema_to_fit(const Schema& schema, const FitOptions& options, std::size_t records) {
  const FitPlan plan = resolve_for_knots(options, schema);
  return with_knots(schema, plan.options.encoder, knot_facts(plan, records));
}

FittedModel fit_records(ReadResult read, const std::optional<Schema>& schema, const FitOptions& options,
                        BitSource& bits) {
  require_cost_stated(schema, options.schema_release);
  may_find_ranges(options, schema ? "the schema states the ranges" : no_ranges_to_find);
  const FitPlan plan = resolve_in_memory(options, schema, read.data);
  FitRecords records = take(std::move(read));
  if (!records.schema) records.schema = schema;  // which encoded them
  recording_failures(plan.options.ledger, [&] { require_encoded_so(records); });
  records = in_group(std::move(records), plan.options.group);
  const KnotFacts facts = knot_facts(plan, records.data.size());
  return fit(plan, with_bearable_columns(std::move(records), plan, facts), bits);
}

namespace {

// Encoded cells bring theirs along.
ReadOptions with_schema_of_file(ReadOptions reading) {
  if (!reading.schema && format_of(reading) == Format::encoded)
    reading.schema = schema_of_encoded(reading.path);
  return reading;
}

FittedModel fit_file_in_shards(const ReadOptions& reading, const FitOptions& options, BitSource& bits) {
  check_shards(reading, options);
  const FitPlan plan = resolve(reading, options);
  return fit(plan, read_shards(make_shards(reading, options), reading, plan, bits), bits);
}

}  // namespace

FittedModel fit_file(const ReadOptions& given, const FitOptions& options, BitSource& bits) {
  if (options.shards.used()) return fit_file_in_shards(given, options, bits);
  const ReadOptions reading = with_schema_of_file(given);
  const bool may_find = may_find_ranges(reading, options);
  const FitPlan plan = resolve(reading, options);
  if (may_find)
    if (auto model = fit_finding_ranges(reading, options, plan, bits)) return *std::move(model);
  return fit(plan, read(reading, plan), bits);
}

FittedModel fit_shards(const Schema& schema, std::size_t shards, const AskShards& ask,
                       const FitOptions& options) {
  if (!schema.target) throw_error<UsageError>("shards need a schema with the target");
  FitOptions asked = options;
  asked.shards.count = shards;
  asked.shards.elsewhere = true;
  const FitPlan plan = resolve(asked, schema);
  ReadOptions reading;
  reading.schema = schema;
  const auto bits = noise::system_bits();
  return fit(plan, read_shards(callback_shards(shards, ask), reading, plan, *bits), *bits);
}

FittedModel fit(Dataset data, const FitOptions& options) {
  return fit(std::move(data), options, *noise::system_bits());
}

FittedModel fit_records(ReadResult read, const std::optional<Schema>& schema, const FitOptions& options) {
  return fit_records(std::move(read), schema, options, *noise::system_bits());
}

FittedModel fit_file(const ReadOptions& reading, const FitOptions& options) {
  return fit_file(reading, options, *noise::system_bits());
}

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
  return {options.guarantee, method.unit, relation_for(method, options.neighbours)};
}

}  // namespace tacit::inline v1::service
