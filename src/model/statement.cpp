#include "model/statement.hpp"

#include "model/certificate_json.hpp"
#include "model/digest.hpp"
#include "model/schema_cost.hpp"

namespace tacit::inline v1 {

namespace {

Json head(std::string_view format, const Certificate& certificate) {
  Json json{{"format", format}, {"version", statement_version}};
  const Json full = to_json(certificate);
  for (const char* key : {"private", "guarantee", "unit", "neighbours", "assumptions"}) json[key] = full[key];
  json["guarantee"]["sentence"] = describe(certificate.guarantee, certificate.unit, certificate.neighbours);
  if (Json cost = schema_cost_json(certificate); !cost.is_null()) json["schema_cost"] = std::move(cost);
  return json;
}

}  // namespace

Json to_json(const statistics::Estimate& estimate) {
  return {{"value", estimate.value}, {"interval", {estimate.interval.low, estimate.interval.high}}};
}

Json statement_json(std::string_view format, const Json& content, const ReleasedNumbers& released,
                    const ReleasedTexts& texts, const Certificate& certificate) {
  Json json = head(format, certificate);
  for (const auto& [key, value] : content.items()) json[key] = value;
  json["released"] = released;
  if (!texts.empty()) json["released_texts"] = texts;
  json["certificate"] = to_json(certificate);
  return json;
}

std::string statement_text(std::string_view format, const Json& content, const ReleasedNumbers& released,
                           const Certificate& certificate, const ReleasedTexts& texts) {
  Json json = statement_json(format, content, released, texts, certificate);
  json["digest"] = sha256(sealed_bytes(json));
  return layout(json);
}

}  // namespace tacit::inline v1
