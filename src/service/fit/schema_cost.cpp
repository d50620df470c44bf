#include "service/fit/schema_cost.hpp"

#include "model/certificate_json.hpp"
#include "model/statement.hpp"
#include "tacit/core.hpp"
#include "tacit/ledger.hpp"

namespace tacit::inline v1::service {

namespace {

// As an (epsilon, delta), which is what both kinds of schemas and fits can be added up in; none for others.
std::optional<Approx> as_approx(const Guarantee& guarantee) {
  if (const auto* pure = std::get_if<Pure>(&guarantee)) return Approx{pure->epsilon, 0};
  if (const auto* approx = std::get_if<Approx>(&guarantee)) return *approx;
  return std::nullopt;
}

std::string sum_in_words(const Guarantee& a, const Guarantee& b) {
  const auto first = as_approx(a), second = as_approx(b);
  if (!first || !second) return "which is not added up with it here";
  const Approx sum{add_up(first->epsilon, second->epsilon), add_up(first->delta, second->delta)};
  const bool pure = first->delta == 0 && second->delta == 0;
  return fmt::format("{} together with this model",
                     in_words(pure ? Guarantee(Pure{sum.epsilon}) : Guarantee(sum)));
}

}  // namespace

std::string schema_cost(const SchemaRelease& schema, const Budget& fit) {
  const bool same = schema.unit == fit.unit && schema.neighbours == fit.neighbours;
  return fmt::format("{} for the schema{}, {}", in_words(schema.guarantee),
                     schema.edited ? ", which was edited since" : "",
                     same ? sum_in_words(schema.guarantee, fit.limit)
                          : fmt::format("for the unit {} and {} neighbours, so that it is not added up",
                                        name(schema.unit), name(schema.neighbours)));
}

std::optional<SchemaRelease> schema_release(const std::filesystem::path& schema) {
  const Json json = parse_json(read_file(schema), schema.string());
  if (!is_statement(json) || !json.contains("certificate")) return std::nullopt;
  const Certificate certificate = certificate_from_json(json["certificate"]);
  SchemaRelease release{certificate.guarantee, certificate.unit, certificate.neighbours};
  try {
    static_cast<void>(verify_statement(json, schema.string()));
  } catch (const Error&) {
    release.edited = true;
  }
  return release;
}

}  // namespace tacit::inline v1::service
