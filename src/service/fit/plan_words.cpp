#include <fmt/format.h>

#include <cmath>

#include "model/certificate_json.hpp"
#include "privacy/accounting/conversions.hpp"
#include "service/fit/schema_cost.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"
#include "tacit/method.hpp"
#include "tacit/service.hpp"

namespace tacit::inline v1::service {

namespace {

std::string shown(const FactValue& value) {
  return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

// What the law of the noise says of the released numbers, where noise is added to them.
std::string noise_in_words(const Step& step) {
  return step.scale > 0 ? fmt::format(", noise of scale {:.4g}", step.scale) : "";
}

std::string times_in_words(const Step& step) {
  const auto* sampled = std::get_if<PoissonGaussianEvent>(&step.event);
  if (step.times != 1) return fmt::format(", at most {} times", step.times);
  return sampled ? fmt::format(", {} times", sampled->steps) : "";
}

// Steps within a step are told under it.
std::string steps_in_words(const std::vector<Step>& steps, const std::string& indent) {
  std::string text;
  for (const Step& step : steps) {
    const std::string numbers =
        step.inner.empty() ? fmt::format(", {} number{}", step.dimension, step.dimension == 1 ? "" : "s")
                           : ", within it:";
    text += fmt::format("{}Step: {}, {}{}{}{}{}\n", indent, step.mechanism, describe(step.event),
                        times_in_words(step), noise_in_words(step), numbers, step.inner.empty() ? "." : "");
    text += steps_in_words(step.inner, indent + "  ");
  }
  return text;
}

// How far the noise alone is likely to move the parameters: known before the fit where it is added to them.
std::optional<double> expected_error(const PlannedFit& plan) {
  if (noise_entry(plan.method) != NoiseEntry::parameters || plan.steps.size() != 1) return std::nullopt;
  const Step& step = plan.steps.front();
  const double d = static_cast<double>(step.dimension);
  // E‖z‖² is σ²d for Gaussian noise, and β²d(d+1) for a density ∝ exp(−‖z‖/β).
  return step.scale * std::sqrt(step.mechanism == "gaussian" ? d : d * (d + 1));
}

// What a schema that was found privately cost, and what it and the fit will have cost together; null where it
// cost nothing.
Json planned_schema_cost(const PlannedFit& plan) {
  const std::optional<SchemaRelease>& found = plan.schema_release;
  if (!found) return nullptr;
  Certificate fit{.method = plan.method,
                  .guarantee = plan.budget.limit,
                  .unit = plan.budget.unit,
                  .neighbours = plan.budget.neighbours,
                  .steps = plan.steps};
  // Without the steps, by the general rule.
  const bool two_numbers =
      fit.neighbours != Neighbours::replace_one && !std::holds_alternative<NoPrivacy>(fit.guarantee);
  if (plan.steps.empty() && two_numbers) fit.replaced = to_replace_one(fit.guarantee, fit.neighbours);
  state_schema_cost(schema_cost(*found), fit);
  return schema_cost_json(fit);
}

constexpr std::string_view no_expected_error =
    "what the noise does to the model depends on the records; `tacit compare` measures it on public data";

}  // namespace

std::string plan_text(const PlannedFit& plan) {
  std::string text = "Nothing was read or charged. A fit would do this:\n";
  text += describe(plan.budget.limit, plan.budget.unit, plan.budget.neighbours) + "\n";
  if (const Json cost = planned_schema_cost(plan); !cost.is_null())
    text += fmt::format("The schema was found privately, too: {}.\n", cost["sentence"].get<std::string>());
  text += fmt::format("Method {}{}, loss {}.\n", plan.method,
                      plan.choice.empty() ? "" : fmt::format(" (chosen: {})", plan.choice), name(plan.loss));
  text +=
      fmt::format("{} records, {} features, {} parameters.\n", plan.records, plan.features, plan.parameters);
  text += steps_in_words(plan.steps, "");
  if (!plan.no_steps.empty()) text += fmt::format("Its steps are not known beforehand: {}.\n", plan.no_steps);
  for (const auto& [key, value] : plan.options.entries()) text += fmt::format("  {} {}\n", key, shown(value));
  if (const auto error = expected_error(plan))
    text += fmt::format("Noise will move the parameters by about {:.4g} in all.\n", *error);
  else
    text += fmt::format("Expected error: {}.\n", no_expected_error);
  for (const std::string& warning : plan.warnings) text += "Warning: " + warning + ".\n";
  return text;
}

std::string plan_json(const PlannedFit& plan) {
  Json json{{"method", plan.method},
            {"method_choice", plan.choice.empty() ? Json() : Json(plan.choice)},
            {"guarantee", to_json(plan.budget.limit)},
            {"unit", name(plan.budget.unit)},
            {"neighbours", name(plan.budget.neighbours)},
            {"loss", name(plan.loss)},
            {"records", plan.records},
            {"features", plan.features},
            {"parameters", plan.parameters},
            {"options", to_json(plan.options)},
            {"steps", Json::array()},
            {"no_steps", plan.no_steps.empty() ? Json() : Json(plan.no_steps)}};
  for (const Step& step : plan.steps) json["steps"].push_back(to_json(step));
  const auto error = expected_error(plan);
  json["expected_error"] = error ? Json(*error) : Json();
  if (!error) json["no_expected_error"] = no_expected_error;
  json["warnings"] = plan.warnings;
  if (Json cost = planned_schema_cost(plan); !cost.is_null()) json["schema_cost"] = std::move(cost);
  json["schema"] = Json::parse(schema_to_json(plan.schema));
  return json.dump(2);
}

}  // namespace tacit::inline v1::service
