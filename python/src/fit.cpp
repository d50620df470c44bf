#include "tacit/service/fit.hpp"

#include <pybind11/stl.h>

#include <algorithm>

#include "bindings.hpp"
#include "interruptible.hpp"
#include "records.hpp"
#include "tacit/service/fit_records.hpp"

namespace tacit::python {

namespace py = pybind11;

namespace {

// The value under `name`, of which None is the same as nothing.
template <class T>
std::optional<T> given(const py::dict& settings, const char* name) {
  if (!settings.contains(name) || settings[name].is_none()) return std::nullopt;
  return settings[name].cast<T>();
}

service::FitOptions fit_options(const py::dict& settings) {
  service::FitOptions options;
  options.guarantee = service::requested_guarantee(
      given<double>(settings, "epsilon"), given<double>(settings, "delta"), given<double>(settings, "mu"));
  options.loss = given<std::string>(settings, "loss").value_or("");
  options.loss_parameter = given<double>(settings, "loss_parameter");
  options.hidden = given<std::int64_t>(settings, "hidden");
  options.method = given<std::string>(settings, "method").value_or("");
  if (const auto neighbours = given<std::string>(settings, "neighbours"))
    options.neighbours = parse_neighbours(*neighbours);
  options.intercept = given<bool>(settings, "fit_intercept").value_or(true) ? 1 : 0;
  options.row_bound = given<double>(settings, "row_bound");
  options.target_min = given<double>(settings, "target_min");
  options.target_max = given<double>(settings, "target_max");
  options.threads = given<unsigned>(settings, "threads").value_or(0);
  if (const auto ledger = given<std::string>(settings, "ledger"))
    options.ledger = service::LedgerUse{*ledger, given<std::string>(settings, "ledger_name").value_or("")};
  if (const auto chosen = given<py::dict>(settings, "options"))
    options.method_options = method_options(service::choose_method(options).name, *chosen);
  return options;
}

// Limits for records too few to choose them privately, as if rows and labels were of size 1; nullopt where
// the method has none, or where bounds or shares were given.
std::optional<service::FitOptions> with_unit_limits(service::FitOptions options, const Records& records) {
  const Method& method = service::choose_method(options);
  if (options.row_bound || records.schema ||
      std::ranges::find(method.options, "slope-limit", &OptionSpec::name) == method.options.end())
    return std::nullopt;
  for (const char* given : {"slope_limit", "curvature_limit", "limit_share", "column_share", "moment_order"})
    if (options.method_options.has(given)) return std::nullopt;
  options.method_options.set("slope_limit", 1.0);
  options.method_options.set("curvature_limit", 1.0);
  return options;
}

struct Fitted {
  FittedModel model;
  std::string too_few;  // why limits were not chosen privately; empty when they were, or were given
};

// What is refused before the first charge is refused by public values alone, so that a second try spends
// nothing twice.
Fitted fit_or_use_unit_limits(const Records& records, service::FitOptions options) {
  bool charged = false;
  options.before_each_step = [&](const Step&) { charged = true; };
  try {
    return {service::fit_records(records.read, records.schema, options), ""};
  } catch (const InfeasibleError& error) {
    const auto limited = with_unit_limits(options, records);
    if (charged || !limited) throw;
    return {service::fit_records(records.read, records.schema, *limited), error.what()};
  }
}

// The model, and why limits could not be chosen privately. `assumptions` go into the certificate: what the
// caller did that the guarantee does not cover.
std::pair<FittedModel, std::string> fit(const Records& records, const py::dict& settings,
                                        const std::vector<std::string>& assumptions) {
  const service::FitOptions options = fit_options(settings);
  Fitted fitted = interruptible([&] { return fit_or_use_unit_limits(records, options); });
  auto& certified = fitted.model.certificate.assumptions;
  certified.insert(certified.end(), assumptions.begin(), assumptions.end());
  return {std::move(fitted.model), std::move(fitted.too_few)};
}

py::dict described(const Method& method) {
  py::dict options;
  for (const OptionSpec& spec : method.options)
    options[py::str(service::fact_name(spec.name))] =
        fmt::format("{}; {}; default: {}", spec.help, spec.range, spec.fallback);
  return py::dict(py::arg("name") = method.name, py::arg("notions") = method.notions,
                  py::arg("unit") = method.unit, py::arg("summary") = method.summary,
                  py::arg("assumes") = method.assumes, py::arg("options") = options);
}

}  // namespace

void bind_fit(py::module_& module) {
  module.def("fit", &fit);
  module.def("methods", [] {
    py::list all;
    for (const Method& method : methods()) all.append(described(method));
    return all;
  });
}

}  // namespace tacit::python
