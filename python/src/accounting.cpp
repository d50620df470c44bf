#include <pybind11/stl.h>

#include "bindings.hpp"
#include "interruptible.hpp"
#include "tacit/service.hpp"

namespace tacit::python {

namespace py = pybind11;

namespace {

std::pair<double, double> ends(const Bracket& bracket) {
  return {bracket.epsilon_lower, bracket.epsilon_upper};
}

std::pair<double, double> account(double noise_multiplier, double rate, std::int64_t steps, double delta,
                                  const std::string& neighbours) {
  const service::SampledSteps sampled{noise_multiplier, rate, steps, parse_neighbours(neighbours)};
  service::validate(sampled);
  return ends(interruptible([&] { return service::account_steps(sampled, delta); }));
}

std::pair<double, double> account_events(const std::string& json, double delta) {
  const EventList events = parse_events(json, "events");
  return ends(interruptible([&] { return service::account_events(events, delta); }));
}

double calibrate(std::optional<double> epsilon, std::optional<double> delta, std::optional<double> mu,
                 std::optional<double> rho, double rate, std::int64_t steps, const std::string& neighbours) {
  if (epsilon.has_value() + mu.has_value() + rho.has_value() != 1 || epsilon.has_value() != delta.has_value())
    throw_error<UsageError>("give one target: epsilon and delta, or mu, or rho");
  Guarantee target = Approx{epsilon.value_or(0), delta.value_or(0)};
  if (mu) target = Gaussian{*mu};
  if (rho) target = Zcdp{*rho};
  const Neighbours relation = parse_neighbours(neighbours);
  return interruptible([&] { return service::calibrate(target, rate, steps, relation); });
}

}  // namespace

void bind_accounting(py::module_& module) {
  module.def("account", &account);
  module.def("account_events", &account_events);
  module.def("calibrate", &calibrate);
}

}  // namespace tacit::python
