#include "model/schema_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/utf8.hpp"
#include "model/certificate_json.hpp"
#include "model/difference.hpp"
#include "model/stated_facts.hpp"
#include "privacy/accounting/conversions.hpp"
#include "privacy/assumptions.hpp"
#include "tacit/core.hpp"
#include "tacit/verify.hpp"

namespace tacit::inline v1 {

namespace {

constexpr std::array numbers_and_source = {"schema_source",  "schema_epsilon",    "schema_delta",
                                           "schema_unit",    "schema_neighbours", "schema_edited",
                                           "schema_group_of"};

// What a private schema may take for granted, in the order in which certificates have their sentences.
constexpr std::array carried = {
    std::pair(ReadOff::columns, ReadOff::schemas_columns), std::pair(ReadOff::names, ReadOff::schemas_names),
    std::pair(ReadOff::query, ReadOff::schemas_query), std::pair(ReadOff::group, ReadOff::schemas_group)};

bool is_carried(std::string_view fact) {
  return std::ranges::any_of(carried, [&](const auto& pair) { return fact == key_of(pair.second); });
}

// Rounded up only where the sum is no double: 0.2 and 0.6 are 0.8.
double sum_up(double a, double b) {
  const double sum = a + b, of_b = sum - a;
  const double error = (a - (sum - of_b)) + (b - of_b);  // exact
  return error > 0 ? next_up(sum) : sum;
}

std::optional<Approx> as_approx(const Guarantee& guarantee) {
  if (const auto* pure = std::get_if<Pure>(&guarantee)) return Approx{pure->epsilon, 0};
  if (const auto* approx = std::get_if<Approx>(&guarantee)) return *approx;
  return std::nullopt;
}

// One after the other: epsilons and deltas add up; squared mus do where the schema's guarantee is pure.
std::optional<Guarantee> added(const Guarantee& schema, const Guarantee& model) {
  const auto* pure = std::get_if<Pure>(&schema);
  if (const auto* gaussian = std::get_if<Gaussian>(&model); gaussian != nullptr && pure != nullptr) {
    const double mu = to_gaussian(*pure).mu;
    return Gaussian{sqrt_up(add_up(mul_up(mu, mu), mul_up(gaussian->mu, gaussian->mu)))};
  }
  const auto first = as_approx(schema), second = as_approx(model);
  if (!first || !second) return std::nullopt;
  const double epsilon = sum_up(first->epsilon, second->epsilon), delta = sum_up(first->delta, second->delta);
  return delta == 0 ? Guarantee(Pure{epsilon}) : Guarantee(Approx{epsilon, delta});
}

// Leaving a record out is one way to replace it, and replacing it is leaving out twice.
std::optional<Guarantee> for_relation(const SchemaCost& schema, Neighbours wanted) {
  if (schema.neighbours == wanted) return schema.guarantee;
  if (wanted == Neighbours::replace_one) return to_replace_one(schema.guarantee, schema.neighbours);
  if (wanted == Neighbours::zero_out && schema.neighbours == Neighbours::replace_one) return schema.guarantee;
  return std::nullopt;
}

// Never less than what holds.
std::string rounded_up(const Guarantee& guarantee) {
  if (const auto* gaussian = std::get_if<Gaussian>(&guarantee))
    return fmt::format("mu = {}", decimal_up(gaussian->mu, 6));
  const Approx cost = *as_approx(guarantee);
  const std::string epsilon = fmt::format("epsilon = {}", decimal_up(cost.epsilon, 6));
  return cost.delta == 0 ? epsilon : fmt::format("{}, delta = {}", epsilon, decimal_up(cost.delta, 6));
}

std::string_view release_of(const Certificate& certificate) {
  return certificate.method == "describe" ? "description" : "model";
}

std::string cost_in_words(const SchemaCost& schema, const Certificate& model) {
  std::string words = fmt::format("{} for the schema", rounded_up(schema.guarantee));
  if (schema.assumed.has("group_of"))
    words += fmt::format(", found for the group {}", schema.assumed.text("group_of"));
  if (schema.edited) words += ", which was edited since";
  if (schema.unit != model.unit || schema.neighbours != model.neighbours)
    words += fmt::format(", for the unit {} and {} neighbours", name(schema.unit), name(schema.neighbours));
  const std::optional<Guarantee> both = with_schema(schema, model);
  if (!both) return words + fmt::format(", which does not add up with this {}'s", release_of(model));
  words += fmt::format(", {} together with this {}", rounded_up(*both), release_of(model));
  if (const auto replaced = replaced_with_schema(schema, model))
    words += fmt::format(" ({} when one {} replaced by any other)", rounded_up(*replaced),
                         model.unit == Unit::item ? "record is" : "user's records are");
  return words;
}

Facts facts_of(const SchemaCost& schema, const Certificate& model) {
  Facts facts;
  const Approx cost = *as_approx(schema.guarantee);
  facts.set("schema_epsilon", cost.epsilon);
  if (std::holds_alternative<Approx>(schema.guarantee)) facts.set("schema_delta", cost.delta);
  facts.set("schema_unit", std::string(name(schema.unit)));
  facts.set("schema_neighbours", std::string(name(schema.neighbours)));
  if (schema.edited) facts.set("schema_edited", true);
  if (schema.assumed.has("group_of")) facts.set("schema_group_of", schema.assumed.text("group_of"));
  facts.set("schema_cost", cost_in_words(schema, model));
  return facts;
}

}  // namespace

std::optional<Guarantee> with_schema(const SchemaCost& schema, const Certificate& model) {
  if (schema.unit != model.unit) return std::nullopt;
  const auto cost = for_relation(schema, model.neighbours);
  return cost ? added(*cost, model.guarantee) : std::nullopt;
}

std::optional<Guarantee> replaced_with_schema(const SchemaCost& schema, const Certificate& model) {
  const std::optional<Guarantee> replaced = replaced_guarantee(model);
  if (schema.unit != model.unit || !replaced) return std::nullopt;
  return added(to_replace_one(schema.guarantee, schema.neighbours), *replaced);
}

void state_schema_cost(const SchemaCost& schema, Certificate& certificate) {
  if (!as_approx(schema.guarantee))
    throw_error<DataError>("the schema's certificate states {} privacy, expected pure or approx",
                           notion(schema.guarantee));
  check_group_facts(schema.assumed, schema.unit);
  assume_public(ReadOff::found_schema, certificate);
  for (const auto& [own, carries] : carried)
    if (schema.assumed.has(key_of(own))) assume_public(carries, certificate);
  const Facts facts = facts_of(schema, certificate);
  for (const auto& [key, value] : facts.entries()) certificate.assumed_public.set(key, value);
}

std::optional<SchemaCost> stated_schema_cost(const Certificate& certificate) {
  const Facts& facts = certificate.assumed_public;
  if (!facts.has("schema_epsilon")) return std::nullopt;
  SchemaCost schema{.guarantee = Pure{facts.number("schema_epsilon")},
                    .unit = parse_unit(facts.text("schema_unit")),
                    .neighbours = parse_neighbours(facts.text("schema_neighbours")),
                    .edited = facts.has("schema_edited")};
  if (facts.has("schema_delta"))
    schema.guarantee = Approx{facts.number("schema_epsilon"), facts.number("schema_delta")};
  validate(schema.guarantee);
  for (const auto& [own, carries] : carried)
    if (facts.has(key_of(carries))) schema.assumed.set(key_of(own), true);
  if (facts.has("schema_group_of")) schema.assumed.set("group_of", facts.text("schema_group_of"));
  return schema;
}

Facts schema_assumptions(const Certificate& schema) {
  Facts assumed;
  for (const auto& [key, value] : schema.assumed_public.entries()) {
    if (key == "records" || key == "users" || key == "ledger_release" || key == key_of(ReadOff::some))
      continue;
    const bool known =
        std::ranges::any_of(carried, [&fact = key](const auto& pair) { return fact == key_of(pair.first); });
    if (key != "group_of" && !(known && is_assumption(key, value)))
      throw_error<DataError>("the schema's certificate assumes {}, which this tacit cannot carry over", key);
    assumed.set(key, value);
  }
  check_group_facts(assumed, schema.unit);
  return assumed;
}

Json schema_cost_json(const Certificate& certificate) {
  if (!certificate.assumed_public.has("schema_cost")) return nullptr;
  Json json = Json::object();
  if (const std::optional<SchemaCost> schema = stated_schema_cost(certificate)) {
    json["schema"] = to_json(schema->guarantee);
    if (const auto both = with_schema(*schema, certificate)) json["together"] = to_json(*both);
    if (const auto both = replaced_with_schema(*schema, certificate)) json["replaced"] = to_json(*both);
  }
  json["sentence"] = certificate.assumed_public.text("schema_cost");
  return json;
}

bool is_schema_cost(std::string_view fact) {
  return std::ranges::find(numbers_and_source, fact) != numbers_and_source.end() || fact == "schema_cost" ||
         is_carried(fact);
}

void check_schema_cost(const Certificate& certificate) {
  const Facts& stated = certificate.assumed_public;
  Facts recorded;
  for (const auto& [key, value] : stated.entries())
    if (is_schema_cost(key)) recorded.set(key, value);
  if (recorded.entries().empty()) return;
  if (recorded.entries().size() == 1 && recorded.has("schema_cost")) {  // older files have the words alone
    const std::string& words = recorded.text("schema_cost");
    if (visible(words) != words)
      throw_error<VerificationError>("assumed_public.schema_cost has characters that no tacit writes");
    return;
  }
  Certificate rebuilt = certificate;
  rebuilt.assumed_public = {};
  try {
    const std::optional<SchemaCost> schema = stated_schema_cost(certificate);
    if (!schema) throw_error<VerificationError>("assumed_public.schema_epsilon is missing");
    state_schema_cost(*schema, rebuilt);
  } catch (const UsageError& error) {
    throw_error<VerificationError>("what the schema cost is not a guarantee: {}", error.what());
  }
  const Json expected = to_json(rebuilt.assumed_public);
  if (const std::string found = difference(to_json(recorded), expected, "assumed_public"); !found.empty())
    throw_error<VerificationError>("the certificate was edited: {}", found);
}

std::vector<std::string> told_assumptions(const Certificate& certificate) {
  std::vector<std::string> told = certificate.assumptions;
  const Facts& facts = certificate.assumed_public;
  if (!facts.has("schema_cost") || facts.has("schema_source")) return told;
  Certificate newer;
  assume_public(ReadOff::found_schema, newer);
  told.push_back(newer.assumptions.front());
  return told;
}

}  // namespace tacit::inline v1
