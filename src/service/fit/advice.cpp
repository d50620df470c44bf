#include "tacit/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "algorithm/tuning.hpp"
#include "model/verify_intervals.hpp"
#include "privacy/assumptions.hpp"
#include "service/fit/advice.hpp"

namespace tacit::inline v1::service {

namespace {

// How many records it takes for one of d parameters to stand out of noise, up to a constant: d/epsilon under
// pure privacy, the root of d over epsilon or mu otherwise [heuristic: utility only].
double records_for_a_signal(const Guarantee& guarantee, double parameters) {
  if (const auto* pure = std::get_if<Pure>(&guarantee)) return parameters / pure->epsilon;
  if (const auto* gaussian = std::get_if<Gaussian>(&guarantee)) return std::sqrt(parameters) / gaussian->mu;
  if (const auto* approx = std::get_if<Approx>(&guarantee)) return std::sqrt(parameters) / approx->epsilon;
  return 0;
}

}  // namespace

std::string weak_promise_warning(const Certificate& certificate) {
  const Guarantee& guarantee = certificate.guarantee;
  const auto* pure = std::get_if<Pure>(&guarantee);
  const auto* approx = std::get_if<Approx>(&guarantee);
  constexpr double much =
      20;  // e^20: a guess of one in a million may become certain [heuristic: advice only]
  const double epsilon = pure ? pure->epsilon : approx ? approx->epsilon : 0;
  if (epsilon > much)
    return fmt::format(
        "epsilon = {:.6g} promises next to nothing: a guess of one in a million may become certain; "
        "expected at most {}",
        epsilon, much);
  const Facts& known = certificate.assumed_public;
  const std::string units = count_fact(certificate.unit);
  if (!approx || !known.has(units)) return "";
  const double each = 1 / static_cast<double>(std::max<std::int64_t>(known.integer(units), 1));
  if (approx->delta <= each) return "";
  return fmt::format(
      "delta = {:.3g} is more than one over the number of {}: showing one of them as it is would "
      "keep this promise; expected far below {:.3g}",
      approx->delta, units, each);
}

namespace {

std::string are_few(std::size_t count, Unit unit) {
  const std::string_view one = record_or_user(unit);
  return count == 1 ? fmt::format("1 {} is few", one) : fmt::format("{} {}s are few", count, one);
}

// Rows that nobody describes, with isotropic noise: below so many times as many records as a signal takes the
// model was no better than a constant, with pure noise and with Gaussian noise [heuristic: utility only,
// measured in docs/features.md].
constexpr double pure_rows = 15, gaussian_rows = 25;

}  // namespace

std::string few_for_parameters(const Guarantee& guarantee, Unit unit, std::size_t count,
                               std::size_t parameters) {
  if (static_cast<double>(count) >= records_for_a_signal(guarantee, static_cast<double>(parameters)))
    return "";
  return fmt::format("{} for {} parameters at this privacy: expect noise rather than a model",
                     are_few(count, unit), parameters);
}

std::string few_for_features(const Guarantee& guarantee, std::size_t count, std::size_t features) {
  const bool pure = std::holds_alternative<Pure>(guarantee);
  const double need =
      (pure ? pure_rows : gaussian_rows) * records_for_a_signal(guarantee, static_cast<double>(features));
  if (static_cast<double>(count) >= need) return "";
  return fmt::format(
      "{} for {} features at this privacy: expect little more than a constant; more epsilon{} or fewer "
      "features would help",
      are_few(count, Unit::item), features, pure ? ", a delta" : "");
}

std::string few_records_warning(const FittedModel& model) {
  const Facts& known = model.certificate.assumed_public;  // never has a number that is private
  const Unit unit = model.certificate.unit;
  const std::string units = count_fact(unit);
  if (!known.has(units)) return "";
  return few_for_parameters(model.certificate.guarantee, unit, static_cast<std::size_t>(known.integer(units)),
                            static_cast<std::size_t>(model.parameters.size()));
}

// The users' points lay too far apart for a test: what is returned is what was there before it.
std::string halt_warning(const FittedModel& model) {
  const Facts& options = model.certificate.options;
  if (!options.has("phases_passed")) return "";
  const auto passed = options.integer("phases_passed"), phases = options.integer("phases");
  if (passed == phases) return "";
  return fmt::format(
      "the fit halted in phase {} of {}, as a noisy test found that users disagreed more than spread allows: "
      "the model is {}",
      passed + 1, phases, passed == 0 ? "the start point, all zeros" : "that of the phase before");
}

std::string target_range_warning(const FittedModel& model) {
  return model.certificate.assumed_public.has("target_range") ? std::string(no_target_range) : "";
}

// The exponential of a sum of numbers that nobody has bounded.
std::string rate_warning(const FittedModel& model) {
  const auto* link = std::get_if<Link>(&model.loss);
  const bool sizes_chosen = model.certificate.options.has("limits");
  if (link == nullptr || link->kind != LinkKind::poisson || !sizes_chosen) return "";
  return "numbers are taken as they are, and a rate is the exponential of their weighted sum: a row far from "
         "the others may have an infinite one; give a schema with ranges";
}

// Whether a number has more features than a line takes.
bool has_curves(const FittedModel& model) {
  return model.schema && std::ranges::any_of(model.schema->columns, [](const SchemaColumn& column) {
           const auto* number = std::get_if<NumericColumn>(&column.kind);
           if (number == nullptr) return false;
           const auto* knots = std::get_if<std::size_t>(&number->knots);
           return std::holds_alternative<std::vector<double>>(number->knots) ||
                  (knots != nullptr && *knots > 1);
         });
}

// Where noise hides the curvature, intervals are as wide as the penalty allows, whatever the records say.
std::string hidden_curvature_warning(const FittedModel& model) {
  if (!model.intervals) return "";
  std::size_t hidden = 0;
  try {
    hidden = interval_widths(model).hidden();
  } catch (const Error&) {  // an edited file, of which `verify` tells what is wrong
  }
  if (hidden == 0) return "";
  return fmt::format(
      "noise hides the curvature in {} of {} directions, so that intervals are wide there: {}more epsilon, "
      "more records or fewer features{} would narrow them",
      hidden, model.parameters.size(),
      std::holds_alternative<Pure>(model.certificate.guarantee) ? "a delta, " : "",
      has_curves(model) ? " (the encoder linear)" : "");
}

std::vector<std::string> warnings(const FittedModel& model) {
  std::vector<std::string> found{target_range_warning(model), halt_warning(model),
                                 few_records_warning(model),  weak_promise_warning(model.certificate),
                                 rate_warning(model),         hidden_curvature_warning(model)};
  std::erase(found, "");
  return found;
}

std::string chosen_setting(const FittedModel& model) { return tuning::chosen_setting(model.certificate); }

}  // namespace tacit::inline v1::service
