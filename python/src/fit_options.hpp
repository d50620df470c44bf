#pragma once

#include <pybind11/pybind11.h>

#include "tacit/fit.hpp"

namespace tacit::python {

// What the settings of an estimator come to. `elsewhere`: others hold the records.
service::FitOptions fit_options(const pybind11::dict& settings, bool elsewhere = false);

}  // namespace tacit::python
