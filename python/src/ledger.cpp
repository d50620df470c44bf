#include <pybind11/stl.h>

#include "bindings.hpp"
#include "tacit/fit.hpp"
#include "tacit/ledger.hpp"
#include "tacit/service.hpp"

namespace tacit::python {

namespace py = pybind11;

namespace {

py::object show(const std::string& path) { return parsed(service::shown_ledger_json(path)); }

py::object create(const std::string& path, const std::vector<std::string>& named_limits,
                  const std::string& accountant, const std::string& unit, const std::string& neighbours) {
  const LedgerTerms terms{accountant, parse_unit(unit), parse_neighbours(neighbours)};
  std::vector<LedgerLimit> limits;
  for (const std::string& text : named_limits) limits.push_back(service::parse_named_limit(accountant, text));
  create_ledger(path, terms, limits);
  return show(path);
}

}  // namespace

void bind_ledger(py::module_& module) {
  module.def("create_ledger", &create);
  module.def("show_ledger", &show);
  module.def("record_failed_read",
             [](const std::string& path, const std::string& name) { record_failed_read(path, name); });
}

}  // namespace tacit::python
