#include <pybind11/pybind11.h>

#include <algorithm>
#include <regex>

#include "bindings.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"
#include "tacit/version.hpp"

namespace tacit::python {

namespace py = pybind11;

namespace {

// The tool's words, with a parameter or an option's name where they have a flag: "slope_limit", not
// "--slope-limit".
std::string with_parameters(const std::string& message) {
  static const std::regex flag("(^|[ (])--([a-z]+(-[a-z]+)*)");
  std::string result;
  std::string::const_iterator copied = message.begin();
  for (std::sregex_iterator it(message.begin(), message.end(), flag), end; it != end; ++it) {
    const std::string name = service::fact_name((*it)[2].str());
    result.append(copied, (*it)[1].second).append(name == "row_bound" ? "bounds" : name);
    copied = (*it)[0].second;
  }
  return result.append(copied, message.end());
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

}  // namespace tacit::python

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled half of tacit; use the package.";
  module.attr("version") = tacit::version;
  tacit::python::bind_errors(module);
  tacit::python::bind_records(module);
  tacit::python::bind_model(module);
  tacit::python::bind_fit(module);
  tacit::python::bind_accounting(module);
  tacit::python::bind_audit(module);
  tacit::python::bind_ledger(module);
}
