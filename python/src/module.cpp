#include <pybind11/pybind11.h>

#include <algorithm>

#include "bindings.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"
#include "tacit/version.hpp"

namespace tacit::python {

namespace py = pybind11;

namespace {

// The library's words, which name options; the one that is a parameter here goes by its name.
std::string with_parameters(std::string message) {
  constexpr std::string_view option = "a row-bound", parameter = "bounds";
  for (std::size_t at = 0; (at = message.find(option, at)) != std::string::npos; at += parameter.size())
    message.replace(at, option.size(), parameter);
  return message;
}

void raise(const char* type, const std::exception& error) {
  PyErr_SetString(py::module_::import("tacit.errors").attr(type).ptr(),
                  with_parameters(error.what()).c_str());
}

void translate(std::exception_ptr failure) {
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const UsageError& error) {
    raise("UsageError", error);
  } catch (const DataError& error) {
    raise("DataError", error);
  } catch (const NotFoundError& error) {
    raise("NotFoundError", error);
  } catch (const WriteError& error) {
    raise("WriteError", error);
  } catch (const BudgetError& error) {
    raise("BudgetError", error);
  } catch (const TooFewRecords& error) {
    raise("TooFewRecordsError", error);
  } catch (const InfeasibleError& error) {
    raise("InfeasibleError", error);
  } catch (const VerificationError& error) {
    raise("VerificationError", error);
  } catch (const Error& error) {
    raise("Error", error);
  }
}

}  // namespace

void bind_errors(py::module_&) { py::register_exception_translator(translate); }

py::object parsed(const std::string& json) { return py::module_::import("json").attr("loads")(json); }

Facts method_options(const std::vector<const Method*>& methods, const py::dict& options) {
  Facts facts;
  for (const auto& [key, value] : options) {
    const std::string name = service::fact_name(std::string(py::str(key))), text = py::str(value);
    if (facts.has(name)) throw_error<UsageError>("the option {} is given twice", name);
    facts.set(name, text);  // of an option that does not exist, which the service refuses
    for (const Method* method : methods)
      if (const OptionSpec* spec = find_option(*method, name))
        facts.set(name, service::parse_option(*spec, text));
  }
  return facts;
}

namespace {

// NumPy 2 lays out what describes an array in another way than pybind11 knew before 2.12, which would read
// it at the wrong places.
void require_known_numpy() {
  constexpr bool knows_2 =
      PYBIND11_VERSION_MAJOR > 2 || (PYBIND11_VERSION_MAJOR == 2 && PYBIND11_VERSION_MINOR >= 12);
  const auto version = py::module_::import("numpy").attr("__version__").cast<std::string>();
  if (!knows_2 && std::stoi(version) >= 2)
    throw py::import_error("this tacit was built for NumPy 1, and NumPy " + version +
                           " is installed: install numpy<2, or build tacit anew with pip install .");
}

}  // namespace

}  // namespace tacit::python

PYBIND11_MODULE(_core, module) {
  tacit::python::require_known_numpy();
  module.doc() = "The compiled half of tacit; use the package.";
  module.attr("version") = tacit::version;
  tacit::python::bind_errors(module);
  tacit::python::bind_records(module);
  tacit::python::bind_model(module);
  tacit::python::bind_fit(module);
  tacit::python::bind_shards(module);
  tacit::python::bind_accounting(module);
  tacit::python::bind_audit(module);
  tacit::python::bind_ledger(module);
  tacit::python::bind_statistics(module);
}
