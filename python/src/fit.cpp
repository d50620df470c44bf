#include "tacit/fit.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "bindings.hpp"
#include "fit_options.hpp"
#include "interruptible.hpp"
#include "records.hpp"
#include "service/fit/ranges.hpp"
#include "service/fit/schema_cost.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"

namespace tacit::python {

namespace py = pybind11;

namespace {

template <class T>
constexpr const char* expected = "of another kind";
template <>
constexpr const char* expected<double> = "a number";
template <>
constexpr const char* expected<bool> = "true or false";
template <>
constexpr const char* expected<std::string> = "a text";
template <>
constexpr const char* expected<std::int64_t> = "a whole number";
template <>
constexpr const char* expected<unsigned> = "a whole number from 0 on";
template <>
constexpr const char* expected<py::dict> = "a dict";

// The value under `name`, of which None is the same as nothing.
template <class T>
std::optional<T> given(const py::dict& settings, const char* name) {
  if (!settings.contains(name) || settings[name].is_none()) return std::nullopt;
  try {
    return settings[name].cast<T>();
  } catch (const py::cast_error&) {
    throw_error<UsageError>("{} is {}, expected {}", name, std::string(py::repr(settings[name])),
                            expected<T>);
  }
}

// A method that is named must protect the unit; without a name one that does is chosen.
void choose_unit(service::FitOptions& options, Unit unit) {
  const Notion wanted = notion_of(options.guarantee);
  options.unit = unit;
  if (service::chooses_itself(options)) {
    if (std::ranges::none_of(methods(), [&](const Method& m) {
          return (m.unit == unit || wanted == Notion::none) && offers(m, wanted);
        }))
      throw_error<UsageError>("no method gives {} privacy for the unit {}", name(wanted), name(unit));
    return;
  }
  const Method& method = *service::candidates(options).front();
  if (method.unit != unit && wanted != Notion::none)
    throw_error<UsageError>("the method {} protects the unit {}, but the unit {} is asked for", method.name,
                            name(method.unit), name(unit));
}

}  // namespace

service::FitOptions fit_options(const py::dict& settings, bool elsewhere) {
  service::FitOptions options;
  options.shards.elsewhere = elsewhere;
  options.guarantee = service::requested_guarantee(
      given<double>(settings, "epsilon"), given<double>(settings, "delta"), given<double>(settings, "mu"));
  options.loss = given<std::string>(settings, "loss").value_or("");
  options.loss_parameter = given<double>(settings, "loss_parameter");
  options.hidden = given<std::int64_t>(settings, "hidden");
  options.method = given<std::string>(settings, "method").value_or("");
  choose_unit(options, parse_unit(given<std::string>(settings, "unit").value_or("item")));
  if (const auto neighbours = given<std::string>(settings, "neighbours"))
    options.neighbours = parse_neighbours(*neighbours);
  if (const auto encoder = given<std::string>(settings, "encoder"))
    options.encoder = parse_encoder_rule(*encoder);
  options.intercept = given<bool>(settings, "fit_intercept").value_or(true) ? 1 : 0;
  options.row_bound = given<double>(settings, "row_bound");
  options.weight_bound = given<double>(settings, "weight_bound");
  options.range_share = given<double>(settings, "range_share");
  options.interval_level = given<double>(settings, "intervals");
  options.target_min = given<double>(settings, "target_min");
  options.target_max = given<double>(settings, "target_max");
  options.threads = given<unsigned>(settings, "threads").value_or(0);
  if (const auto ledger = given<std::string>(settings, "ledger"))
    options.ledger = service::LedgerUse{*ledger, given<std::string>(settings, "ledger_name").value_or("")};
  if (const auto group = given<std::string>(settings, "group"))
    options.group = service::parse_group("group", *group);
  if (const auto schema = given<std::string>(settings, "schema"))
    options.schema_release = service::schema_release(*schema, "schema");
  if (const auto chosen = given<py::dict>(settings, "options"))
    options.method_options = method_options(service::candidates(options), *chosen);
  return options;
}

namespace {

// Whether the method would take limits instead of choosing them privately, and nothing was said about either.
bool could_use_unit_limits(const service::FitOptions& options, bool schema) {
  const Method& method = *service::candidates(options).front();
  const auto given = [&](const char* name) { return options.method_options.has(name); };
  return find_option(method, "slope-limit") != nullptr && !options.row_bound && !schema &&
         std::ranges::none_of(
             std::array{"slope_limit", "curvature_limit", "limit_share", "column_share", "moment_order"},
             given);
}

FittedModel fitted(Records& records, const service::FitOptions& options) {
  if (!records.raw.empty())
    return service::fit_table(records.raw, records.read, options, *noise::system_bits());
  return service::fit_records(std::move(records.read), records.schema, options);
}

// The records go into the fit, so that their labels are held once. `assumptions` go into the certificate:
// what the caller did that the guarantee does not cover. `tell` hears what is to be said before anything is
// spent.
FittedModel fit(Records& records, const py::dict& settings, const std::vector<std::string>& assumptions,
                const py::function& tell) {
  service::FitOptions options = fit_options(settings);
  if (!records.schema || !records.schema->target)
    options.target = given<std::string>(settings, "target").value_or("");
  if (given<bool>(settings, "unit_limits").value_or(false)) {
    for (const char* limit : {"slope_limit", "curvature_limit"}) options.method_options.set(limit, 1.0);
    if (options.loss == "poisson") options.method_options.set("label_bound", 1.0);
  }
  options.assumptions = assumptions;
  std::atomic<bool> charged = false;
  options.before_each_step = [&](const Step&) { charged = true; };
  try {
    return interruptible([&] { return fitted(records, options); },
                         [&](const std::string& text) { tell(text); });
  } catch (py::error_already_set& error) {
    if (options.ledger && charged) tell_what_stays_charged(error);
    throw;
  } catch (const InfeasibleError& error) {
    // What is refused before the first charge is refused by public values alone: trying again spends nothing
    // twice.
    if (charged || !could_use_unit_limits(options, records.schema.has_value())) throw;
    throw TooFewRecords(error.what());
  }
}

py::dict described(const Method& method) {
  py::dict options;
  for (const OptionSpec& spec : method.options)
    options[py::str(service::fact_name(spec.name))] =
        fmt::format("{}; {}; default: {}", spec.help, spec.range, spec.fallback);
  std::vector<std::string> notions;
  for (const Notion notion : method.notions) notions.emplace_back(name(notion));
  return py::dict(py::arg("name") = method.name, py::arg("notions") = notions,
                  py::arg("unit") = std::string(name(method.unit)), py::arg("summary") = method.summary,
                  py::arg("assumes") = method.assumes, py::arg("options") = options);
}

}  // namespace

void bind_fit(py::module_& module) {
  module.def("schema_to_fit", [](const Schema& schema, const py::dict& settings, std::size_t records) {
    return service::schema_to_fit(schema, fit_options(settings), records);
  });
  module.def("finds_ranges", [](const py::dict& settings, std::size_t records, std::size_t columns) {
    return service::finds_ranges(fit_options(settings), records, columns);
  });
  module.def("fit", &fit);
  module.def("methods", [] {
    py::list all;
    for (const Method& method : methods()) all.append(described(method));
    return all;
  });
}

}  // namespace tacit::python
