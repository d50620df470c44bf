#include "tacit/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/certificate_json.hpp"
#include "model/difference.hpp"
#include "model/digest.hpp"
#include "model/schema_cost.hpp"
#include "model/stated_facts.hpp"
#include "model/two_parts.hpp"
#include "model/verify_intervals.hpp"
#include "model/verify_parts.hpp"
#include "model/verify_ranges.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"
#include "tacit/model.hpp"

namespace tacit::inline v1 {

namespace {

const Method& method_of(const Certificate& certificate, std::span<const Method> table) {
  const auto it = std::ranges::find(table, certificate.method, &Method::name);
  if (it == table.end())
    throw_error<VerificationError>(
        "the method \"{}\" is unknown to this tacit, so its steps cannot be rebuilt", certificate.method);
  return *it;
}

void check_claims_of_method(const Certificate& certificate, const Method& method) {
  if (!offers(method, notion_of(certificate.guarantee)))
    throw_error<VerificationError>("the certificate states {} privacy, but {} gives {}",
                                   notion(certificate.guarantee), method.name, notions_in_words(method));
  if (certificate.unit != method.unit)
    throw_error<VerificationError>("the certificate states the unit {}, but {} protects the unit {}",
                                   record_or_user(certificate.unit), method.name,
                                   record_or_user(method.unit));
  // A method that offers more than one relation records its choice; one that offered a single one then did
  // not.
  const bool replaces =
      std::ranges::find(method.neighbours, Neighbours::replace_one) != method.neighbours.end();
  const std::string relation =
      certificate.options.has("neighbours")
          ? certificate.options.text("neighbours")
          : std::string(name(replaces ? Neighbours::replace_one : method.neighbours.front()));
  if (name(certificate.neighbours) != relation)
    throw_error<VerificationError>("the certificate states the neighbours {}, but the method was run for {}",
                                   name(certificate.neighbours), relation);
  if (std::ranges::find(method.neighbours, certificate.neighbours) == method.neighbours.end())
    throw_error<VerificationError>("{} does not offer the neighbours {}", method.name, relation);
}

std::vector<Step> rebuild(const Certificate& certificate, const Method& method) {
  try {
    return method.rebuild_steps(certificate.options, certificate.assumed_public);
  } catch (const Error& error) {
    throw_error<VerificationError>("the steps of {} cannot be rebuilt: {}", method.name, error.what());
  }
}

// Files of version 1 hold the steps that were charged, and not those within them; the noise cover had another
// name.
std::vector<Step> as_version_1(std::vector<Step> steps) {
  for (Step& step : steps) {
    step = flat(std::move(step));
    if (step.mechanism == "noise-cover") step.mechanism = "eraser";
  }
  return steps;
}

// The epsilon of steps that are all pure; nothing where one is not.
std::optional<double> pure_epsilon(const std::vector<Step>& steps) {
  try {
    return std::get<Pure>(compose(events_of(steps), Pure{})).epsilon;
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Where a method records its noise, its steps do not show the budget it was asked for: that must be the
// stated guarantee. Calibration leaves less than 0.1 % of an epsilon unused (measured, epsilon 1e-4 to 50).
// Steps that are pure show it: they were made for the epsilon that was asked for, and with a delta they give
// less, down to 0.
void check_budget_among_options(const Certificate& certificate, const std::vector<Step>& steps) {
  constexpr double unused = 0.01, accountant = 0x1p-22;
  const Json stated = to_json(certificate.guarantee);
  for (const char* key : {"epsilon", "delta", "mu"}) {
    if (!certificate.options.has(key)) continue;
    const double asked = certificate.options.number(key);
    if (!stated.contains(key))
      throw_error<VerificationError>("options.{} is {}, but the {} guarantee has none", key, asked,
                                     notion(certificate.guarantee));
    const double given = number(stated, key);
    const auto used = [&](double whole) { return asked <= whole * (1 + unused); };
    const auto used_by_pure_steps = [&] {
      const std::optional<double> whole = pure_epsilon(steps);
      return std::string_view(key) == "epsilon" && whole && used(*whole);
    };
    const bool fits = std::string_view(key) == "delta"
                          ? asked == given
                          : given <= asked * (1 + accountant) && (used(given) || used_by_pure_steps());
    if (!fits)
      throw_error<VerificationError>("options.{} is {}, but the guarantee states {}", key, asked, given);
  }
}

// Plans for absurd budgets take long: those far beyond the guarantee are found before any is made. At a large
// delta a small epsilon may have become none.
void check_size_of_budget(const Certificate& certificate) {
  const Json stated = to_json(certificate.guarantee);
  for (const char* key : {"epsilon", "mu"})
    if (certificate.options.has(key) && stated.contains(key) &&
        !(certificate.options.number(key) <= 1000 * std::fmax(number(stated, key), 1)))
      throw_error<VerificationError>("options.{} is {}, far beyond the guarantee", key,
                                     certificate.options.number(key));
}

// Version 1 composed a failure of probability d with the rest as d + (1 − d)·F, where d + F is proved.
void refuse_failures_of_version_1(const std::vector<Step>& steps) {
  for (const Step& step : steps)
    if (std::holds_alternative<DeltaEvent>(step.event))
      throw_error<VerificationError>(
          "the step {} can fail, which files of version 1 counted a little too low: the stated epsilon is "
          "proved "
          "for delta * (1 + delta) in place of delta; fit again to have it for the delta that is asked for",
          step.mechanism);
}

void check_grid(const FittedModel& model, const Method& method, const std::vector<Step>& steps) {
  if (steps.empty())
    throw_error<VerificationError>("{} took no step, yet released", model.certificate.method);
  Step last = steps.back();
  // A choice among public points releases all coordinates of one; their grid is an option of the method.
  if (last.mechanism == "exponential") {
    last.dimension = shape_from(model.certificate.assumed_public).parameters();
    last.grid = model.certificate.options.number("net_spacing");
  }
  if (last.dimension != static_cast<std::size_t>(model.parameters.size()))
    throw_error<VerificationError>("the last step released {} numbers, but the model has {} parameters",
                                   last.dimension, model.parameters.size());
  if (!(last.grid > 0)) throw_error<VerificationError>("the grid of the last step is {}, not > 0", last.grid);
  const auto on_grid = [&](const Vector& values, std::string_view what) {
    for (Eigen::Index k = 0; k < values.size(); ++k)
      if (std::fmod(values[k], last.grid) != 0)  // exact: the remainder is always a double
        throw_error<VerificationError>("{} {} does not lie on the grid of {:a}", what, k, last.grid);
  };
  on_grid(as_released(method, model.parameters, model.certificate.options, model.certificate.assumed_public),
          "parameter");
  for (const Vector& sample : model.samples) on_grid(sample, "a sample's number");
  const std::size_t samples = model.certificate.options.has("samples")
                                  ? static_cast<std::size_t>(model.certificate.options.integer("samples"))
                                  : 1;
  if (model.samples.size() != (samples > 1 ? samples : 0))
    throw_error<VerificationError>("the model has {} samples, its certificate states {}",
                                   model.samples.size(), samples);
}

// The model's own parts against what its certificate says of them.
void check_consistency(const FittedModel& model) {
  const Facts& facts = model.certificate.assumed_public;
  const auto require = [](bool holds, std::string_view what) {
    if (!holds) throw_error<VerificationError>("the model and its certificate state different {}", what);
  };
  require(facts.text("loss") == name(model.loss), "losses");
  require(facts.number("intercept") == model.intercept, "intercepts");
  const double features = static_cast<double>(model.features + (model.intercept != 0 ? 1 : 0));
  require(facts.number("features") == features, "numbers of features");
  require(facts.number("records") >= 1, "numbers of records");
  const bool drafted = model.schema && model.schema->drafted_from_data;
  if (model.schema && model.schema->target) {
    const SchemaTarget& target = *model.schema->target;
    const bool same_classes = target.classes.empty() || target.classes == model.classes;
    if (target.column != model.target || !same_classes)
      throw_error<VerificationError>("the model and its schema state different targets");
  }
  require(!model.schema || drafted == facts.has("schema_drafted_from_data"), "sources of the schema");
}

// The file holds what its model would be written as, and nothing else.
void check_members(const Json& recorded, const FittedModel& model) {
  Json held = recorded, written = Json::parse(model_to_json(model));
  for (const char* seal : {"digest", "signature", "version"}) {
    held.erase(seal);
    written.erase(seal);
  }
  if (count(recorded, "version") == 1) written["certificate"].erase("replaced");
  if (const std::string found = difference(held, written, ""); !found.empty())
    throw_error<VerificationError>("the file was edited: {}", found);
}

}  // namespace

void require_digest(std::string_view text, std::string_view source) {
  const Json json = parse_json(text, source);
  try {
    check_digest(json);
  } catch (const Error& error) {
    throw_error<DataError>("{}: {}", source, error.what());
  }
}

SignatureState signature_state(std::string_view text, std::string_view source,
                               std::optional<std::string_view> public_key_pem) {
  const Json json = parse_json(text, source);
  if (!json.contains("signature")) return SignatureState::absent;
  return check_signature(json, public_key_pem);
}

Verification verify_model(std::string_view text, std::string_view source,
                          std::optional<std::string_view> public_key_pem, std::span<const Method> table) {
  Verification result{.model = parse_model(text, source), .signature = SignatureState::absent};
  const Json json = parse_json(text, source);
  judging(source, [&] { check_digest(json); });
  result.signature = check_signature_of(json, source, public_key_pem);
  judging(source, [&] {
    check_source_of_privacy(result.model.certificate);
    FittedModel model = result.model.ranges ? without_ranges(result.model) : result.model;
    if (model.intervals) model = without_intervals(model);
    const Certificate& certificate = model.certificate;
    const Method& method = method_of(certificate, table);
    check_claims_of_method(certificate, method);
    if (count(json, "version") > 1 && method.neighbours.size() > 1 && !certificate.options.has("neighbours"))
      throw_error<VerificationError>("options.neighbours is missing; {} offers several relations",
                                     method.name);
    if (count(json, "version") == 1) refuse_failures_of_version_1(certificate.steps);
    check_consistency(model);
    check_features_of_schema(model);
    check_options_are_the_methods(certificate, method);
    check_assumed_public(model, method);
    check_assumptions(certificate, method, count(json, "version"));
    check_size_of_budget(certificate);
    const std::vector<Step> steps = rebuild(certificate, method);
    check_steps(certificate.steps, count(json, "version") == 1 ? as_version_1(steps) : steps,
                certificate.method);
    check_guarantee(certificate, steps, count(json, "version") > 1);
    check_budget_among_options(certificate, steps);
    check_rebuilt_options(certificate, method);
    check_grid(model, method, steps);
    check_schema_cost(result.model.certificate);  // whose words follow from the guarantee
    check_members(json, result.model);
  });
  return result;
}

}  // namespace tacit::inline v1
