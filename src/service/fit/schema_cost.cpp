#include "service/fit/schema_cost.hpp"

#include <algorithm>

#include "data/encoded/origin.hpp"
#include "model/certificate_json.hpp"
#include "model/statement.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::service {

namespace {

SchemaRelease release_of(const Json& json) {
  const Certificate certificate = certificate_from_json(json["certificate"]);
  const Notion given = notion_of(certificate.guarantee);
  if (given != Notion::pure && given != Notion::approx)
    throw_error<DataError>("the schema's certificate states {} privacy, expected pure or approx",
                           name(given));
  validate(certificate.guarantee);
  // Columns may be edited by hand; what finding them cost may not.
  try {
    check_cost_of_schema(certificate);
  } catch (const Error& error) {
    throw_error<DataError>("its certificate does not hold: {}; take the schema as it was released",
                           error.what());
  }
  return {.guarantee = certificate.guarantee,
          .unit = certificate.unit,
          .neighbours = certificate.neighbours,
          .assumed = schema_assumptions(certificate)};
}

}  // namespace

SchemaCost schema_cost(const SchemaRelease& found) {
  return {found.guarantee, found.unit, found.neighbours, found.edited, found.assumed};
}

std::optional<SchemaRelease> schema_release(std::string_view text, std::string_view source) {
  const Json json = parse_json(text, source);
  if (!json.is_object() || !json.contains("certificate")) return std::nullopt;
  if (!json.contains("format") || json["format"] != schema_format)
    throw_error<DataError>(
        "{}: it has a certificate, but its \"format\" is not \"{}\"; take the schema as it was released",
        source, schema_format);
  SchemaRelease release;
  try {
    release = release_of(json);
  } catch (const Error& error) {
    throw_error<DataError>("{}: {}", source, error.what());
  }
  try {
    static_cast<void>(verify_statement(json, source));
  } catch (const Error&) {
    release.edited = true;
  }
  return release;
}

void require_cost_stated(const std::optional<Schema>& schema, const std::optional<SchemaRelease>& stated) {
  if (schema && schema->found_privately && !stated)
    throw_error<UsageError>(
        "the schema was found privately, and nothing states what that cost: give the schema's file as it "
        "was released, with its certificate");
}

void Origin::add(const Origin& more) {
  by_query = by_query || more.by_query;
  for (const std::string& text : more.schema_files)
    if (std::ranges::find(schema_files, text) == schema_files.end()) schema_files.push_back(text);
}

std::optional<SchemaRelease> Origin::schema_release() const {
  if (schema_files.size() > 1)
    throw_error<UsageError>(
        "the files were encoded with schemas that were not found in one release; encode all of them with one "
        "schema file, or give it to the fit, too");
  if (schema_files.empty() || schema_files.front().empty()) return std::nullopt;
  return service::schema_release(schema_files.front(), "the schema of the encoded cells");
}

Origin origin_of(const ReadOptions& reading) {
  Origin origin{.by_query = !reading.query.empty()};
  if (format_of(reading) != Format::encoded) return origin;
  const EncodedOrigin stated = origin_of_encoded(reading.path);
  origin.add({.by_query = stated.by_query, .schema_files = {stated.schema_file}});
  return origin;
}

std::optional<SchemaRelease> schema_release(const std::filesystem::path& schema) {
  return schema_release(read_file(schema), schema.string());
}

}  // namespace tacit::inline v1::service
