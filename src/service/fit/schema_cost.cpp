#include "service/fit/schema_cost.hpp"

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
  if (!is_statement(json) || !json.contains("certificate")) return std::nullopt;
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

std::optional<SchemaRelease> schema_release(const std::filesystem::path& schema) {
  return schema_release(read_file(schema), schema.string());
}

}  // namespace tacit::inline v1::service
