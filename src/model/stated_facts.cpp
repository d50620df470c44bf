#include "stated_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "method_facts.hpp"
#include "tacit/algorithm/heavy_tails/options.hpp"
#include "tacit/algorithm/user_level/contribution.hpp"
#include "tacit/core/error.hpp"
#include "tacit/privacy/assumptions.hpp"

namespace tacit::inline v1 {

namespace {

using namespace std::string_view_literals;

// What a fit writes down about itself, whatever the method. An empty value: any text.
constexpr std::array written_by_fits = {std::pair("row_norm_bound_source"sv, "stated by the caller"sv),
                                        std::pair("target_range"sv, "none given"sv),
                                        std::pair("user_column"sv, ""sv), std::pair("method_choice"sv, ""sv),
                                        std::pair("ledger_release"sv, ""sv)};

bool is_written_by_fits(std::string_view key, const FactValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr && std::ranges::any_of(written_by_fits, [&](const auto& fact) {
           return key == fact.first && (fact.second.empty() ? !text->empty() : *text == fact.second);
         });
}

// check_budget_among_options compares these with the guarantee.
bool is_budget(std::string_view key) { return key == "epsilon" || key == "delta" || key == "mu"; }

Shape shape_of(const FittedModel& model) {
  Shape shape = heavy_tails::shape_from(model.certificate.assumed_public);
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
  if (parse_unit(method.unit) != Unit::user) return heavy_tails::public_facts(shape, {});
  const auto users = static_cast<std::size_t>(stated.integer("users"));
  const std::int64_t cap = model.certificate.options.integer("records_per_user");
  shape.records = users * static_cast<std::size_t>(cap);
  return user_level::public_facts(shape, users, cap);
}

// A whole number reads as a number: JSON does not tell them apart.
bool same(const FactValue& a, const FactValue& b) {
  const auto number = [](const FactValue& value) -> const double* { return std::get_if<double>(&value); };
  const auto whole = [](const FactValue& value) { return std::get_if<std::int64_t>(&value); };
  if (number(a) && whole(b)) return *number(a) == static_cast<double>(*whole(b));
  if (whole(a) && number(b)) return static_cast<double>(*whole(a)) == *number(b);
  return a == b;
}

}  // namespace

void check_options_are_the_methods(const Certificate& certificate, const Method& method) {
  for (const auto& [key, value] : certificate.options.entries())
    if (!is_budget(key) && !is_option_of(method, key))
      throw_error<VerificationError>("options.{} does not belong to the method {}", key, method.name);
}

void check_assumed_public(const FittedModel& model, const Method& method) {
  const Facts& stated = model.certificate.assumed_public;
  const Facts expected = facts_of_shape(model, method);
  for (const auto& [key, value] : expected.entries()) {
    const auto it = std::ranges::find(stated.entries(), key, &std::pair<std::string, FactValue>::first);
    if (it == stated.entries().end()) throw_error<VerificationError>("assumed_public.{} is missing", key);
    if (!same(it->second, value))
      throw_error<VerificationError>("assumed_public.{} is not what the model and its options say", key);
  }
  for (const auto& [key, value] : stated.entries())
    if (!expected.has(key) && !is_public_of(method, key) && !is_assumption(key, value) &&
        !is_written_by_fits(key, value))
      throw_error<VerificationError>(
          "assumed_public.{} does not belong to a model of {}, or has another value", key, method.name);
}

void check_assumptions(const Certificate& certificate, const Method& method) {
  std::vector<std::string> left = certificate.assumptions;
  const auto take = [&](const std::string& sentence, std::string_view who) {
    const auto it = std::ranges::find(left, sentence);
    if (it == left.end())
      throw_error<VerificationError>("the certificate does not state what {} assumes: {}", who, sentence);
    left.erase(it);
  };
  for (const std::string& sentence : assumptions_of(method, certificate.options, certificate.assumed_public))
    take(sentence, method.name);
  for (const std::string& sentence : assumptions_of(certificate.assumed_public)) take(sentence, "the fit");
  for (const std::string& sentence : left)
    if (!stands_by_itself(sentence))
      throw_error<VerificationError>("nothing in the certificate leads to its assumption: {}", sentence);
  if (const std::optional<std::size_t> stated = callers_assumptions(certificate.assumed_public);
      stated && *stated != left.size())
    throw_error<VerificationError>("the caller made {} assumptions, but {} are stated", *stated, left.size());
}

}  // namespace tacit::inline v1
