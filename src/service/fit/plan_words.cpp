#include <fmt/format.h>

#include <cmath>

#include "model/certificate_json.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"
#include "tacit/method.hpp"
#include "tacit/model.hpp"
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
std::optional<double> expected_error(const Certificate& plan) {
  if (noise_entry(plan.method) != NoiseEntry::parameters || plan.steps.size() != 1) return std::nullopt;
  const Step& step = plan.steps.front();
  const double d = static_cast<double>(step.dimension);
  // E‖z‖² is σ²d for Gaussian noise, and β²d(d+1) for a density ∝ exp(−‖z‖/β).
  return step.scale * std::sqrt(step.mechanism == "gaussian" ? d : d * (d + 1));
}

std::string method_choice(const Certificate& plan) {
  const Facts& facts = plan.assumed_public;
  return facts.has("method_choice") ? fmt::format(" (chosen: {})", facts.text("method_choice")) : "";
}

std::string sizes_in_words(const PlannedFit& plan) {
  const Facts& facts = plan.certificate.assumed_public;
  const std::string units = facts.has("users")
                                ? fmt::format("{} users, at most {} records of each", facts.integer("users"),
                                              facts.integer("records_per_user"))
                                : fmt::format("{} records", facts.integer("records"));
  return fmt::format("{}, {} features, {} parameters.\n", units, plan.features, plan.parameters);
}

constexpr std::string_view no_expected_error =
    "what the noise does to the model depends on the records; `tacit compare` measures it on public data";

}  // namespace

std::string plan_text(const PlannedFit& plan) {
  const Certificate& certificate = plan.certificate;
  std::string text = "Nothing was read or charged. A fit would do this:\n" + summary_text(certificate);
  text +=
      fmt::format("Method {}{}, loss {}.\n", certificate.method, method_choice(certificate), name(plan.loss));
  text += sizes_in_words(plan);
  text += steps_in_words(certificate.steps, "");
  if (!plan.no_steps.empty())
    text +=
        fmt::format("Its steps are not known beforehand: {}. The fit states at most the guarantee above.\n",
                    plan.no_steps);
  for (const auto& [key, value] : certificate.options.entries())
    text += fmt::format("  {} {}\n", key, shown(value));
  if (const auto error = expected_error(certificate))
    text += fmt::format("Noise will move the parameters by about {:.4g} in all.\n", *error);
  else
    text += fmt::format("Expected error: {}.\n", no_expected_error);
  for (const std::string& warning : plan.warnings) text += "Warning: " + warning + ".\n";
  return text;
}

std::string plan_json(const PlannedFit& plan) {
  const Certificate& certificate = plan.certificate;
  const Facts& facts = certificate.assumed_public;
  Json json = Json::parse(summary_json(certificate));
  if (!json.contains("method_choice")) json["method_choice"] = nullptr;
  json["loss"] = name(plan.loss);
  for (const char* key : {"users", "records"})
    if (facts.has(key)) json[key] = facts.integer(key);
  json["features"] = plan.features;
  json["parameters"] = plan.parameters;
  json["options"] = to_json(certificate.options);
  json["steps"] = Json::array();
  for (const Step& step : certificate.steps) json["steps"].push_back(to_json(step));
  json["no_steps"] = plan.no_steps.empty() ? Json() : Json(plan.no_steps);
  const auto error = expected_error(certificate);
  json["expected_error"] = error ? Json(*error) : Json();
  if (!error) json["no_expected_error"] = no_expected_error;
  json["warnings"] = plan.warnings;
  json["schema"] = Json::parse(schema_to_json(plan.schema));
  return json.dump(2);
}

}  // namespace tacit::inline v1::service
