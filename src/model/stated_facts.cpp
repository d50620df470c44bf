#include "model/stated_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "algorithm/heavy_tails/options.hpp"
#include "algorithm/user_level/contribution.hpp"
#include "core/utf8.hpp"
#include "data/raw_table.hpp"
#include "model/certificate_json.hpp"
#include "model/difference.hpp"
#include "privacy/assumptions.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

using namespace std::string_view_literals;

// What a fit writes down about itself, whatever the method. An empty value: any text.
constexpr std::array written_by_fits = {std::pair("row_norm_bound_source"sv, "stated by the caller"sv),
                                        std::pair("target_range"sv, "none given"sv),
                                        std::pair("user_column"sv, ""sv),
                                        std::pair("method_choice"sv, ""sv),
                                        std::pair("ledger_release"sv, ""sv),
                                        std::pair("group_of"sv, ""sv),
                                        std::pair("schema_cost"sv, ""sv),
                                        std::pair("schema_group_of"sv, ""sv),
                                        std::pair("schema_unit"sv, ""sv),
                                        std::pair("schema_neighbours"sv, ""sv)};

bool is_written_by_fits(std::string_view key, const FactValue& value) {
  // check_schema_cost compares these with its words.
  if (key == "schema_epsilon" || key == "schema_delta") return !std::holds_alternative<std::string>(value);
  if (key == "schema_edited") return value == FactValue(true);
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr && std::ranges::any_of(written_by_fits, [&](const auto& fact) {
           return key == fact.first && (fact.second.empty() ? !text->empty() : *text == fact.second);
         });
}

// Weights are parts of it, so that no number of the certificate rests on it [docs/weights.md].
bool is_weight_bound(std::string_view key, const FactValue& value, const Method& method) {
  const auto* bound = std::get_if<double>(&value);
  return key == "weight_bound" && method.weighs && bound != nullptr && *bound >= 0x1p-100 &&
         *bound <= 0x1p100;
}

bool contains(const std::vector<std::string>& names, std::string_view key) {
  return std::ranges::find(names, key) != names.end();
}

// check_budget_among_options compares these with the guarantee.
bool is_budget(std::string_view key) { return key == "epsilon" || key == "delta" || key == "mu"; }

Shape shape_of(const FittedModel& model) {
  Shape shape = shape_from(model.certificate.assumed_public);
  shape.features = model.features + (model.intercept != 0 ? 1 : 0);
  shape.intercept = model.intercept;
  shape.loss = model.loss;
  if (const auto* softmax = std::get_if<Softmax>(&model.loss)) shape.outputs = softmax->classes - 1;
  return shape;
}

// The facts that every fit of such a shape states.
Facts facts_of_shape(const FittedModel& model, const Method& method) {
  const Facts& stated = model.certificate.assumed_public;
  Shape shape = shape_of(model);
  if (method.unit != Unit::user) return shape_facts(shape);
  const auto users = static_cast<std::size_t>(stated.integer("users"));
  const std::int64_t cap = model.certificate.options.integer("records_per_user");
  shape.records = users * static_cast<std::size_t>(cap);
  return user_level::public_facts(shape, users, cap);
}

void require_same(const Facts& recorded, const Facts& rebuilt, const std::string& where) {
  if (const std::string found = difference(to_json(recorded), to_json(rebuilt), where); !found.empty())
    throw_error<VerificationError>("the certificate was edited: {}", found);
}

}  // namespace

void check_options_are_the_methods(const Certificate& certificate, const Method& method) {
  for (const auto& [key, value] : certificate.options.entries())
    if (!is_budget(key) && !contains(method.facts, key))
      throw_error<VerificationError>("options.{} does not belong to the method {}", key, method.name);
}

void check_rebuilt_options(const Certificate& certificate, const Method& method) {
  if (method.rebuild_options == nullptr) return;
  Facts rebuilt;
  try {
    rebuilt = method.rebuild_options(certificate.options, certificate.assumed_public);
  } catch (const Error& error) {
    throw_error<VerificationError>("the options of {} cannot be rebuilt: {}", method.name, error.what());
  }
  require_same(certificate.options, rebuilt, "options");
}

void check_assumed_public(const FittedModel& model, const Method& method) {
  const Facts& stated = model.certificate.assumed_public;
  if (stated.has("shards") && !method.sharded)
    throw_error<VerificationError>("the method {} takes no shards, but the certificate states {}",
                                   method.name, stated.integer("shards"));
  check_group_facts(stated, model.certificate.unit, model.schema ? &*model.schema : nullptr);
  const Facts expected = facts_of_shape(model, method);
  Facts of_shape;
  for (const auto& [key, value] : stated.entries())
    if (expected.has(key)) of_shape.set(key, value);
  require_same(of_shape, expected, "assumed_public");
  for (const auto& [key, value] : stated.entries())
    if (!expected.has(key) && !contains(method.public_facts, key) && !is_assumption(key, value) &&
        !is_written_by_fits(key, value) && !is_weight_bound(key, value, method))
      throw_error<VerificationError>(
          "assumed_public.{} does not belong to a model of {}, or has another value", key, method.name);
}

std::pair<std::string, std::string> group_in(const Facts& stated) {
  if (!stated.has("group_of")) return {};
  const std::string& name = stated.text("group_of");
  const std::size_t at = std::min(name.find('='), name.size());
  return {name.substr(0, at), name.substr(std::min(at + 1, name.size()))};
}

void check_group_facts(const Facts& stated, Unit unit, const Schema* schema) {
  if (stated.has("group") != stated.has("group_of"))
    throw_error<VerificationError>("a group is stated without its name, or a name without the group");
  if (!stated.has("group")) return;
  const std::string& name = stated.text("group_of");
  const auto [column, value] = group_in(stated);
  if (column.empty() || value.empty())
    throw_error<VerificationError>("the group's name is \"{}\", expected COLUMN=VALUE", name);
  if (const std::string why = why_no_group(column, value); !why.empty())
    throw_error<VerificationError>("{}", why);
  if (unit == Unit::user) throw_error<VerificationError>("groups are for records, but the unit is the user");
  if (schema == nullptr) return;
  // A fit of few records has no column: its schema ignores them all.
  const auto known = std::ranges::find(schema->columns, column, &SchemaColumn::name);
  if (known == schema->columns.end() || std::holds_alternative<IgnoredColumn>(known->kind)) return;
  const auto* listed = std::get_if<CategoricalColumn>(&known->kind);
  if (listed == nullptr || !contains(listed->categories, value))
    throw_error<VerificationError>("the group {} is not a category of the schema", name);
}

std::vector<std::string> assumptions_of(const Method& method, const Certificate& certificate) {
  if (method.assumptions == nullptr)
    return method.assumes.empty() || method.assumes == "nothing" ? std::vector<std::string>{}
                                                                 : std::vector{method.assumes};
  try {
    return method.assumptions(certificate.options, certificate.assumed_public);
  } catch (const Error& error) {
    throw_error<VerificationError>("what {} assumes cannot be rebuilt: {}", method.name, error.what());
  }
}

void check_assumptions(const Certificate& certificate, const Method& method, std::size_t format) {
  std::vector<std::string> left = certificate.assumptions;
  const auto take = [&](const std::string& sentence, std::string_view who) {
    const auto it = std::ranges::find(left, sentence);
    if (it == left.end())
      throw_error<VerificationError>("the certificate does not state what {} assumes: {}", who, sentence);
    left.erase(it);
  };
  for (const std::string& sentence : assumptions_of(method, certificate)) take(sentence, method.name);
  for (const std::string& sentence : assumptions_of(certificate.assumed_public)) take(sentence, "the fit");
  const std::optional<std::size_t> callers = callers_assumptions(certificate.assumed_public);
  for (const std::string& sentence : left)
    if (!callers && !stands_by_itself(sentence) && !(format == 1 && stood_by_itself_in_format_1(sentence)))
      throw_error<VerificationError>("nothing in the certificate leads to its assumption: {}",
                                     visible(sentence));
  if (!callers) return;
  if (*callers != left.size())
    throw_error<VerificationError>("the caller made {} assumptions, but {} are stated", *callers,
                                   left.size());
  try {
    check_callers_assumptions(left);
  } catch (const UsageError& error) {
    throw_error<VerificationError>("{}", error.what());
  }
}

}  // namespace tacit::inline v1
