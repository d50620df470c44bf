#include "tacit/service/fit_records.hpp"

#include "tacit/core/error.hpp"
#include "tacit/noise/system_bits.hpp"
#include "tacit/privacy/lock.hpp"

namespace tacit::inline v1::service {

namespace {

// What the schema says is public goes where the caller said nothing.
FitOptions with_schema(FitOptions options, const std::optional<Schema>& schema, const ReadResult& read) {
  if (schema && schema->target) {
    if (options.target.empty()) options.target = schema->target->column;
    if (!options.target_min) options.target_min = schema->target->min;
    if (!options.target_max) options.target_max = schema->target->max;
  }
  if (options.row_bound && read.row_norm_bound)
    throw_error<UsageError>(
        "the schema, or the format, bounds every row by {}; a row bound of {} contradicts it",
        *read.row_norm_bound, *options.row_bound);
  if (!options.row_bound) options.row_bound = read.row_norm_bound;
  if (options.checkpoint && schema) options.checkpoint->schema = fingerprint(schema_to_json(*schema));
  return options;
}

// What is not known to be public, but was taken to be.
void certify(const std::vector<std::string>& read_off_data, bool drafted_schema, bool stated_row_bound,
             Certificate& certificate) {
  for (const std::string& what : read_off_data) {
    const std::string key = certificate.assumed_public.has(what) ? what + "_source" : what;
    certificate.assumed_public.set(key, std::string("read off the data, assumed public"));
    certificate.assumptions.push_back(
        fmt::format("the {} were read off the data and are taken to be public", what));
  }
  if (drafted_schema) {
    certificate.assumed_public.set("schema_drafted_from_data", true);
    certificate.assumptions.push_back("the schema was drafted from the data and is taken to be public");
  }
  const bool used =
      certificate.assumed_public.has("row_norm_bound") || certificate.options.has("row_norm_bound");
  if (stated_row_bound && used)  // methods that clip have no use for it
    certificate.assumed_public.set("row_norm_bound_source", std::string("stated by the caller"));
}

}  // namespace

FittedModel fit_records(ReadResult read, const std::optional<Schema>& schema, const FitOptions& options,
                        BitSource& bits) {
  const FitOptions complete = with_schema(options, schema, read);
  FittedModel model = fit(std::move(read.data), complete, bits);
  model.schema = schema;
  certify(read.read_off_data, read.drafted_schema, options.row_bound.has_value(), model.certificate);
  return model;
}

FittedModel fit_records(ReadResult read, const std::optional<Schema>& schema, const FitOptions& options) {
  return fit_records(std::move(read), schema, options, *noise::system_bits());
}

}  // namespace tacit::inline v1::service
