#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/meter.hpp"
#include "tacit/method.hpp"

// The Python package's compiled half, `tacit._core`: the service layer, with arrays in place of files. What
// people call is in python/tacit; names here are for it alone.

namespace tacit::python {

// A method's options as people give them, {"slope_limit": 2}: the texts are read as the tool reads its flags.
Facts method_options(const std::vector<const Method*>& methods, const pybind11::dict& options);

// The JSON text as Python objects.
pybind11::object parsed(const std::string& json);

// Too few to choose limits privately; nothing was spent.
class TooFewRecords : public InfeasibleError {
 public:
  using InfeasibleError::InfeasibleError;
};

void bind_errors(pybind11::module_& module);
void bind_records(pybind11::module_& module);
void bind_model(pybind11::module_& module);
void bind_fit(pybind11::module_& module);
void bind_shards(pybind11::module_& module);
void bind_accounting(pybind11::module_& module);
void bind_audit(pybind11::module_& module);
void bind_ledger(pybind11::module_& module);
void bind_statistics(pybind11::module_& module);

}  // namespace tacit::python
