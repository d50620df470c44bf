#include "tacit/service.hpp"

#include <pybind11/stl.h>

#include "bindings.hpp"
#include "interruptible.hpp"

namespace tacit::python {

namespace py = pybind11;

namespace {

py::dict as_dict(const audit::MethodAudit& found, const service::AuditOptions& options) {
  py::list checks;
  for (const audit::Check& check : found.checks)
    checks.append(py::dict(py::arg("what") = check.what, py::arg("pair") = check.pair,
                           py::arg("bound") = check.bound, py::arg("measured") = check.measured,
                           py::arg("ok") = check.ok()));
  return py::dict(py::arg("method") = options.method, py::arg("claimed_epsilon") = found.claim.epsilon,
                  py::arg("claimed_delta") = found.claim.delta,
                  py::arg("lower_bound") = found.black_box.lower_bound,
                  py::arg("violated") = found.violated(), py::arg("confidence") = options.confidence,
                  py::arg("runs") = found.black_box.runs, py::arg("replay_ok") = found.replay_ok(),
                  py::arg("checks") = checks);
}

py::dict audit_method(const std::string& method, double epsilon, std::optional<double> delta,
                      const std::string& loss, std::size_t runs, double confidence, const py::dict& given,
                      unsigned threads) {
  service::AuditOptions options;
  options.method = method;
  options.epsilon = epsilon;
  options.delta = delta;
  options.loss = loss;
  options.runs = runs;
  options.confidence = confidence;
  options.method_options = method_options({&find_method(method)}, given);
  options.threads = threads;
  return as_dict(interruptible([&] { return service::audit(options); }), options);
}

}  // namespace

void bind_audit(py::module_& module) { module.def("audit", &audit_method); }

}  // namespace tacit::python
