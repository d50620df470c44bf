#include "model/certificate_json.hpp"

#include <cmath>
#include <limits>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

struct Write {
  Json operator()(const NoPrivacy&) const { return {{"notion", "none"}, {"epsilon", nullptr}}; }
  Json operator()(const Pure& g) const { return {{"notion", "pure"}, {"epsilon", from_double(g.epsilon)}}; }
  Json operator()(const Gaussian& g) const { return {{"notion", "gaussian"}, {"mu", from_double(g.mu)}}; }
  Json operator()(const Zcdp& g) const { return {{"notion", "zcdp"}, {"rho", from_double(g.rho)}}; }
  Json operator()(const Renyi& g) const {
    return {{"notion", "renyi"}, {"orders", g.orders}, {"epsilons", g.epsilons}};
  }
  Json operator()(const Approx& g) const {
    return {{"notion", "approx"}, {"epsilon", from_double(g.epsilon)}, {"delta", from_double(g.delta)}};
  }
};

FactValue fact_from_json(std::string_view key, const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    throw_error<DataError>("\"{}\" is out of range", key);
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float()) return value.get<double>();
  if (!value.is_string()) throw_error<DataError>("\"{}\" is neither a number, a text, true nor false", key);
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  return value.get<std::string>();
}

Facts facts_from_json(const Json& json, std::string_view what) {
  if (!json.is_object()) throw_error<DataError>("\"{}\" is not an object", what);
  Facts facts;
  for (const auto& [key, value] : json.items()) facts.set(key, fact_from_json(key, value));
  return facts;
}

std::string composition_rule(const Certificate& certificate) {
  if (certificate.steps.size() < 2) return "one step, whose cost is the guarantee";
  switch (certificate.guarantee.index()) {
    case 0:
      return "nothing was promised";
    case 1:
      return "the epsilons of the steps add up";
    case 2:
      return "mu is the root of the sum of the steps' squared mus";
    case 3:
      return "the rhos of the steps add up";
    case 4:
      return "the epsilons of the steps add up, order by order";
    default:
      return "the privacy losses of the steps add up; epsilon is the upper end at this delta";
  }
}

template <class T, class Parse>
T parsed(const Json& json, std::string_view key, Parse parse) {
  try {
    return parse(text(json, key));
  } catch (const UsageError& error) {
    throw_error<DataError>("{}", error.what());
  }
}

}  // namespace

Json to_json(const Facts& facts) {
  Json json = Json::object();
  for (const auto& [key, value] : facts.entries()) {
    if (const auto* real = std::get_if<double>(&value))
      json[key] = from_double(*real);
    else
      std::visit([&json, &name = key](const auto& held) { json[name] = held; }, value);
  }
  return json;
}

Json to_json(const Guarantee& guarantee) { return std::visit(Write{}, guarantee); }

Guarantee guarantee_from_json(const Json& json) {
  const std::string notion = text(json, "notion");
  if (notion == "none") return NoPrivacy{};
  if (notion == "pure") return Pure{number(json, "epsilon")};
  if (notion == "gaussian") return Gaussian{number(json, "mu")};
  if (notion == "zcdp") return Zcdp{number(json, "rho")};
  if (notion == "renyi") return Renyi{numbers(json, "orders"), numbers(json, "epsilons")};
  if (notion == "approx") return Approx{number(json, "epsilon"), number(json, "delta")};
  throw_error<DataError>("the guarantee's notion \"{}\" is unknown", notion);
}

bool is_private(const Certificate& certificate) {
  return !std::holds_alternative<NoPrivacy>(certificate.guarantee) && !certificate.seeded &&
         !certificate.watched;
}

Json to_json(const Certificate& certificate) {
  Json steps = Json::array();
  for (const Step& step : certificate.steps) steps.push_back(to_json(step));
  Json json{{"private", is_private(certificate)},
            {"guarantee", to_json(certificate.guarantee)},
            {"unit", name(certificate.unit)},
            {"neighbours", name(certificate.neighbours)}};
  if (const std::optional<Guarantee> replaced = replaced_guarantee(certificate))
    json["replaced"] = to_json(*replaced);
  json.update(Json{{"method", certificate.method},
                   {"steps", steps},
                   {"composition", composition_rule(certificate)},
                   {"options", to_json(certificate.options)},
                   {"assumed_public", to_json(certificate.assumed_public)},
                   {"assumptions", certificate.assumptions},
                   {"bit_source", certificate.bit_source},
                   {"seeded", certificate.seeded},
                   {"watched", certificate.watched},
                   {"tacit", certificate.version}});
  return json;
}

Certificate certificate_from_json(const Json& json) {
  Certificate certificate{.method = text(json, "method"),
                          .guarantee = guarantee_from_json(member(json, "guarantee")),
                          .unit = parsed<Unit>(json, "unit", parse_unit),
                          .neighbours = parsed<Neighbours>(json, "neighbours", parse_neighbours),
                          .replaced = {},
                          .steps = {},
                          .options = facts_from_json(member(json, "options"), "options"),
                          .assumed_public = facts_from_json(member(json, "assumed_public"), "assumed_public"),
                          .assumptions = texts(json, "assumptions"),
                          .bit_source = text(json, "bit_source"),
                          .seeded = boolean(json, "seeded"),
                          .watched = boolean(json, "watched"),
                          .version = text(json, "tacit")};
  if (json.contains("replaced")) certificate.replaced = guarantee_from_json(json["replaced"]);
  const Json& steps = member(json, "steps");
  if (!steps.is_array()) throw_error<DataError>("\"steps\" is not a list");
  for (const Json& step : steps) certificate.steps.push_back(step_from_json(step));
  return certificate;
}

}  // namespace tacit::inline v1
