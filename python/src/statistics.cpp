#include "tacit/statistics.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <atomic>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

#include "bindings.hpp"
#include "interruptible.hpp"
#include "records.hpp"
#include "service/fit/schema_cost.hpp"
#include "tacit/fit.hpp"
#include "tacit/service.hpp"

namespace tacit::python {

namespace py = pybind11;

namespace {

// What all statements are asked with.
struct Asked {
  std::optional<double> epsilon, delta;
  std::string neighbours, ledger, ledger_name, group;

  template <class Options>
  Options options() const {
    Options options;
    options.guarantee = service::requested_guarantee(epsilon, delta, std::nullopt);
    if (!neighbours.empty()) options.neighbours = parse_neighbours(neighbours);
    if (!ledger.empty()) options.ledger = service::LedgerUse{ledger, ledger_name};
    options.group = service::parse_group("group", group);
    return options;
  }
};

// What is said beforehand is a warning, for who called the package; one that is an error stops the work.
void warn_beforehand(const std::string& text) {
  std::string_view what = text;
  if (what.starts_with("Warning: ")) what.remove_prefix(std::string_view("Warning: ").size());
  if (what.ends_with('.')) what.remove_suffix(1);
  if (PyErr_WarnEx(PyExc_UserWarning, std::string(what).c_str(), 2) != 0) throw py::error_already_set();
}

// What `release` does with the options. An interrupt after the charge says that it stays.
template <class Options, class Release>
auto found_by(Options options, const Release& release) {
  std::atomic<bool> charged = false;
  if (options.ledger) options.ledger->before_charge = [&] { charged = true; };
  try {
    return interruptible([&] { return release(options); }, warn_beforehand);
  } catch (const py::error_already_set& error) {
    if (charged) tell_what_stays_charged(error);
    throw;
  }
}

template <class Options, class Release>
std::string released(const Options& options, const Release& release) {
  return found_by(options, release).json;
}

// A statement, and what to look at, which is told once the statement is safe.
using TextAndNotes = std::pair<std::string, std::vector<std::string>>;
TextAndNotes with_notes(service::PrivateSchema found) {
  return {std::move(found.json), std::move(found.notes)};
}
TextAndNotes with_notes(service::Evaluated found) {
  return {std::move(found.json), std::move(found.warnings)};
}

service::SchemaOptions schema_options(const Asked& asked, const std::vector<std::string>& classes) {
  auto options = asked.options<service::SchemaOptions>();
  options.classes = classes;
  return options;
}

TextAndNotes schema_of_file(const std::string& path, const std::string& target, const std::string& user,
                            const std::vector<std::string>& classes, const Asked& asked) {
  ReadOptions reading{.path = path};
  reading.target = target;
  reading.user = user;
  return with_notes(found_by(schema_options(asked, classes), [&](const auto& options) {
    return service::private_schema_file(reading, options);
  }));
}

TextAndNotes schema_of_table(const std::vector<std::pair<std::string, py::object>>& columns, std::size_t rows,
                             const std::string& target, const std::string& user,
                             const std::vector<std::string>& classes, const Asked& asked) {
  service::TableOfColumns table{.columns = table_columns(columns, rows), .rows = rows};
  table.target = target;
  table.user = user;
  return with_notes(found_by(schema_options(asked, classes), [&](const auto& options) {
    return service::private_schema_table(table, options);
  }));
}

// Which numbers a description has: statistics, quantiles, bins, confidence.
using Chosen = std::tuple<std::vector<std::string>, std::vector<double>, std::int64_t, double>;

// `schema` is the text of the one that is known, which says what it cost where it was found privately.
service::DescribeOptions describe_options(const Asked& asked, const Chosen& chosen,
                                          const std::optional<std::string>& schema,
                                          std::optional<double> range_share) {
  auto options = asked.options<service::DescribeOptions>();
  std::tie(options.statistics, options.quantiles, options.bins, options.confidence) = chosen;
  options.range_share = range_share;
  if (schema) options.schema_release = service::schema_release(*schema, "schema");
  return options;
}

std::string describe(const std::string& path, const std::optional<Schema>& known, const std::string& user,
                     const std::optional<std::string>& schema, std::optional<double> range_share,
                     const Chosen& chosen, const Asked& asked) {
  ReadOptions reading{.path = path};
  reading.schema = known;
  reading.user = user;
  return released(describe_options(asked, chosen, schema, range_share),
                  [&](const auto& options) { return service::describe_file(reading, options); });
}

std::string describe_records(const Records& records, const Schema& known,
                             const std::optional<std::string>& schema, std::optional<double> range_share,
                             const Chosen& chosen, const Asked& asked) {
  return released(describe_options(asked, chosen, schema, range_share), [&](const auto& options) {
    return service::describe_records(known, records.read.data, options);
  });
}

std::string describe_table(const std::vector<std::pair<std::string, py::object>>& columns, std::size_t rows,
                           const std::string& user, std::optional<double> range_share, const Chosen& chosen,
                           const Asked& asked) {
  service::TableOfColumns table{.columns = table_columns(columns, rows), .rows = rows};
  table.user = user;
  return released(describe_options(asked, chosen, std::nullopt, range_share),
                  [&](const auto& options) { return service::describe_table(table, options); });
}

TextAndNotes evaluate_records(const std::string& model, const Records& records, const Asked& asked) {
  return with_notes(found_by(asked.options<service::EvaluateOptions>(), [&](const auto& options) {
    return service::evaluate_records(model, records.read.data, options);
  }));
}

// Not private.
std::string open_evaluation(const std::string& model, const std::string& path, const std::string& target) {
  ReadOptions reading{.path = path};
  reading.target = target;
  const auto judged = [&] {
    const FittedModel loaded = service::load_model(model);
    return service::open_evaluation(loaded, service::read_for_evaluation(loaded, reading)).json;
  };
  return interruptible(judged, warn_beforehand);
}

std::string open_evaluation_of_records(const std::string& model, const Records& records) {
  return interruptible(
      [&] { return service::open_evaluation(service::load_model(model), records.read.data).json; });
}

TextAndNotes evaluate(const std::string& model, const std::string& path, const std::string& target,
                      const std::string& user, const Asked& asked) {
  ReadOptions reading{.path = path};
  reading.target = target;
  reading.user = user;
  return with_notes(found_by(asked.options<service::EvaluateOptions>(), [&](const auto& options) {
    return service::evaluate_file(model, reading, options);
  }));
}

// Before anything is spent on it. A file that exists may be one that a ledger was charged for.
void require_output(const std::string& path, const std::vector<std::string>& inputs, bool force) {
  service::require_writable(path);
  service::require_no_input("output", path, inputs);
  service::require_new("output", path, force, "force=True");
}

}  // namespace

void bind_statistics(py::module_& module) {
  py::class_<Asked>(module, "Asked")
      .def(py::init([](std::optional<double> epsilon, std::optional<double> delta, std::string neighbours,
                       std::string ledger, std::string ledger_name, std::string group) {
        return Asked{epsilon,         delta, std::move(neighbours), std::move(ledger), std::move(ledger_name),
                     std::move(group)};
      }));
  module.def("require_output", &require_output);
  module.def("write_output",
             [](const std::string& path, const std::string& text) { write_file_atomically(path, text); });
  module.def("require_signing_key", [](const std::string& key) { service::require_signing_key(key); });
  module.def("signed_statement", [](const std::string& statement, const std::string& key) {
    return service::signed_statement(statement, key);
  });
  module.def("schema_of_file", &schema_of_file);
  module.def("schema_of_table", &schema_of_table);
  module.def("describe", &describe);
  module.def("evaluate", &evaluate);
  module.def("schema_to_describe", &service::schema_to_describe);
  module.def("describe_records", &describe_records);
  module.def("describe_table", &describe_table);
  module.def("evaluate_records", &evaluate_records);
  module.def("open_evaluation", &open_evaluation);
  module.def("open_evaluation_of_records", &open_evaluation_of_records);
}

}  // namespace tacit::python
