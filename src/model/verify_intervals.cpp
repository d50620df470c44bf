#include "model/verify_intervals.hpp"

#include <cmath>

#include "model/two_parts.hpp"
#include "model/verify_parts.hpp"
#include "model/verify_ranges.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

constexpr std::string_view of_fit = "the fit, with what intervals leave it";
constexpr std::string_view of_intervals = "curvature and variation at the released parameters";

std::vector<Step> two_steps(const IntervalSplit& split, std::vector<Step> fit, const Step& measured) {
  return {step_of(fit_step, split.rest, std::move(fit), std::string(of_fit)),
          step_of(interval_step, split.intervals, {measured}, std::string(of_intervals))};
}

// Machines differ in the last digits of an eigenvalue, and so of what follows from it.
void require_near(const Vector& recorded, const Vector& rebuilt, std::string_view what) {
  for (Eigen::Index j = 0; j < rebuilt.size(); ++j)
    if (!(std::fabs(recorded[j] - rebuilt[j]) <= 1e-6 * (1 + std::fabs(rebuilt[j]))))
      throw_error<VerificationError>("the {} end of interval {} is {}, but what was released gives {}", what,
                                     j, recorded[j], rebuilt[j]);
}

void check_on_grid(const Vector& released, const Step& step) {
  if (static_cast<std::size_t>(released.size()) != step.dimension)
    throw_error<VerificationError>("intervals rest on {} released numbers, expected {}", released.size(),
                                   step.dimension);
  for (Eigen::Index k = 0; k < released.size(); ++k)
    if (std::fmod(released[k], step.grid) != 0)
      throw_error<VerificationError>("number {} of the intervals does not lie on the grid of {:a}", k,
                                     step.grid);
}

intervals::Plan rebuilt_plan(const Certificate& fit, const Guarantee& cost) {
  try {
    return intervals::plan(fit_of_intervals(fit), cost);
  } catch (const UsageError& error) {
    throw_error<VerificationError>("the intervals' step cannot be rebuilt: {}", error.what());
  }
}

}  // namespace

intervals::Fit fit_of_intervals(const Certificate& fit) {
  return {fit.method, fit.options, fit.assumed_public, fit.steps, fit.neighbours};
}

Certificate with_intervals(Certificate fit, const Step& step, const Guarantee& total,
                           const IntervalSplit& split, double level) {
  fit.steps = two_steps(split, std::move(fit.steps), step);
  fit.guarantee = together(split.rest, split.intervals, total);
  set_part(fit.options, "interval_", split.intervals);
  set_part(fit.options, "interval_rest_", split.rest);
  fit.options.set("interval_level", level);
  return fit;
}

Intervals intervals_from(const Certificate& fit, const IntervalSplit& split, const Vector& parameters,
                         double level, const Vector& released) {
  const intervals::Fit made = fit_of_intervals(fit);
  const intervals::Plan plan = rebuilt_plan(fit, split.intervals);
  const intervals::HalfWidths half = intervals::half_widths(plan, made, released, level);
  return {.level = level,
          .lower = parameters - half.population,
          .upper = parameters + half.population,
          .minimiser_lower = parameters - half.minimiser,
          .minimiser_upper = parameters + half.minimiser,
          .released = released};
}

intervals::Widths interval_widths(const FittedModel& given) {
  const FittedModel model = given.ranges ? without_ranges(given) : given;
  const Certificate& certificate = model.certificate;
  if (certificate.steps.empty()) throw_error<VerificationError>("the certificate has no steps");
  Certificate fit = certificate;
  fit.steps = certificate.steps.front().inner;
  fit.options = options_without(certificate.options, "interval_");
  const intervals::Plan plan = rebuilt_plan(fit, part_of(certificate.options, "interval_"));
  const Vector& released = model.intervals->released;
  check_on_grid(released, plan.step);
  return {plan, fit_of_intervals(fit), released};
}

FittedModel without_intervals(const FittedModel& model) {
  const Certificate& certificate = model.certificate;
  const std::vector<Step>& steps = certificate.steps;
  if (steps.size() != 2 || steps[0].mechanism != fit_step || steps[1].mechanism != interval_step)
    throw_error<VerificationError>("a step is missing: the fit was made, and then its intervals");
  const IntervalSplit split{part_of(certificate.options, "interval_"),
                            part_of(certificate.options, "interval_rest_")};
  const double level = certificate.options.number("interval_level");
  const Intervals& stated = *model.intervals;
  if (!(level > 0 && level < 1) || stated.level != level)
    throw_error<VerificationError>("the intervals' level is {}, the certificate states {}", stated.level,
                                   level);

  FittedModel fit = model;
  fit.intervals.reset();
  fit.certificate.steps = steps[0].inner;
  fit.certificate.options = options_without(certificate.options, "interval_");
  const intervals::Plan plan = rebuilt_plan(fit.certificate, split.intervals);
  check_steps(steps, two_steps(split, steps[0].inner, plan.step), certificate.method);
  check_guarantee(certificate, steps);
  for (const auto& [within, limit] :
       {std::pair(&steps[0].inner, split.rest), std::pair(&steps[1].inner, split.intervals)})
    if (!fits(compose(events_of(*within), limit), limit))
      throw_error<VerificationError>("the steps cost more than is stated for them");
  check_on_grid(stated.released, plan.step);
  const Intervals rebuilt = intervals_from(fit.certificate, split, model.parameters, level, stated.released);
  require_near(stated.lower, rebuilt.lower, "lower");
  require_near(stated.upper, rebuilt.upper, "upper");
  require_near(stated.minimiser_lower, rebuilt.minimiser_lower, "minimiser's lower");
  require_near(stated.minimiser_upper, rebuilt.minimiser_upper, "minimiser's upper");

  fit.certificate.guarantee = compose(events_of(fit.certificate.steps), split.rest);
  fit.certificate.replaced = std::nullopt;
  fit.certificate.replaced = replaced_guarantee(fit.certificate);
  return fit;
}

}  // namespace tacit::inline v1
