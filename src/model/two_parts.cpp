#include "model/two_parts.hpp"

#include "tacit/account.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

Event event_of(const Guarantee& guarantee) {
  if (const auto* pure = std::get_if<Pure>(&guarantee)) return PureEvent{pure->epsilon};
  if (const auto* gaussian = std::get_if<Gaussian>(&guarantee)) return GaussianEvent{gaussian->mu};
  const auto& approx = std::get<Approx>(guarantee);
  return ApproxEvent{approx.epsilon, approx.delta};
}

Step step_of(std::string_view mechanism, const Guarantee& cost, std::vector<Step> inner, std::string reason) {
  Step step;
  step.mechanism = mechanism;
  step.event = event_of(cost);
  step.sensitivity.reason = std::move(reason);
  step.nesting = Composed{};
  step.inner = std::move(inner);
  return step;
}

std::vector<Event> events_of(const std::vector<Step>& steps) {
  std::vector<Event> events;
  for (const Step& step : steps) events.push_back(step.event);
  return events;
}

Guarantee together(const Guarantee& first, const Guarantee& second, const Guarantee& whole) {
  const Event both[] = {event_of(first), event_of(second)};
  return compose(both, whole);
}

void set_part(Facts& options, const std::string& prefix, const Guarantee& guarantee) {
  Facts stated;
  set_target(stated, guarantee);
  for (const auto& [key, value] : stated.entries()) options.set(prefix + key, value);
}

Guarantee part_of(const Facts& options, const std::string& prefix) {
  if (options.has(prefix + "mu")) return Gaussian{options.number(prefix + "mu")};
  const double epsilon = options.number(prefix + "epsilon");
  if (!options.has(prefix + "delta")) return Pure{epsilon};
  return Approx{epsilon, options.number(prefix + "delta")};
}

Facts options_without(const Facts& options, std::string_view prefix) {
  Facts rest;
  for (const auto& [key, value] : options.entries())
    if (!key.starts_with(prefix)) rest.set(key, value);
  return rest;
}

}  // namespace tacit::inline v1
