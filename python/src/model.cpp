#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <utility>

#include "bindings.hpp"
#include "loss/softmax.hpp"
#include "model/certificate_json.hpp"
#include "records.hpp"
#include "service/fit/advice.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"
#include "tacit/model.hpp"
#include "tacit/service.hpp"
#include "tacit/statistics.hpp"

namespace tacit::python {

namespace py = pybind11;

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Weights, one row per output, and constants.
struct Layer {
  RowMajor weights;
  Vector constant;
};

// `outputs` rows of w, each with its constant last unless the constant feature's value is 0.
Layer layer(const double* w, std::size_t outputs, std::size_t inputs, double constant_feature) {
  const auto rows = static_cast<Eigen::Index>(outputs), columns = static_cast<Eigen::Index>(inputs);
  const Eigen::Index constants = constant_feature != 0 ? 1 : 0;
  const Eigen::Map<const RowMajor> all(w, rows, columns + constants);
  Vector constant = Vector::Zero(rows);
  if (constants == 1) constant = constant_feature * all.col(columns);
  return {all.leftCols(columns), constant};
}

// The linear maps that the model applies, first to last: one for a linear model, two for a network. The last
// one has a row per class where the loss is a softmax, and is in the target's own units for a regression.
std::vector<Layer> layers(const FittedModel& model) {
  const auto* network = std::get_if<Network>(&model.loss);
  if (network == nullptr) {
    const Coefficients linear = coefficients(model);
    return {{linear.values.transpose(), linear.intercepts}};
  }
  const std::size_t classes = model.classes.size(), outputs = classes > 0 ? classes - 1 : 1;
  const double* w = model.parameters.data();
  const Layer first = layer(w, network->hidden, model.features, model.intercept);
  w += network->hidden * (model.features + (model.intercept != 0 ? 1 : 0));
  const Layer last = layer(w, outputs, network->hidden, 1);
  if (classes == 0)
    return {first, {model.scale * last.weights, (model.scale * last.constant).array() + model.offset}};
  const Matrix basis = SoftmaxLoss(classes).basis();
  return {first, {basis * last.weights, basis * last.constant}};
}

// The same for each of several samples of the parameters; empty where the method released one vector.
std::vector<std::vector<Layer>> sample_layers(FittedModel model) {
  std::vector<std::vector<Layer>> all;
  for (const Vector& sample : std::exchange(model.samples, {})) {
    model.parameters = sample;
    all.push_back(layers(model));
  }
  return all;
}

// The same with the ends of intervals for parameters: of the population's, lower and upper, then of the
// minimiser's without privacy. Empty where there are none.
std::vector<std::vector<Layer>> interval_layers(FittedModel model) {
  if (!model.intervals) return {};
  const Intervals found = *model.intervals;
  std::vector<std::vector<Layer>> all;
  for (const Vector& end : {found.lower, found.upper, found.minimiser_lower, found.minimiser_upper}) {
    model.parameters = end;
    all.push_back(layers(model));
  }
  return all;
}

py::dict prediction(const FittedModel& model, const Records& records) {
  Predictions found;
  {
    const py::gil_scoped_release release;
    found = predict(model, records.read.data.features);
  }
  const auto array = [](const std::vector<double>& values) {
    return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
  };
  return py::dict(py::arg("value") = array(found.value),
                  py::arg("probabilities") = array(found.probabilities));
}

// An accessor would outlive what it looks into.
py::object certificate(const FittedModel& model) {
  const py::dict file = parsed(model_to_json(model));
  return file["certificate"];
}

void save(const FittedModel& model, const std::string& path, const std::string& key,
          std::vector<std::string> inputs) {
  service::require_writable(path);
  inputs.push_back(key);
  service::require_no_input("path", path, inputs);
  service::require_same_kind("path", path, service::model_begins, "model");
  write_file_atomically(path, service::model_text(model, key));
}

void save_curves(const FittedModel& model, const std::string& column, const std::string& path,
                 const std::vector<std::string>& inputs) {
  service::require_writable(path);
  service::require_no_input("output", path, inputs);
  service::require_same_kind("output", path, service::figure_begins, "figure");
  write_file_atomically(path, service::curves_svg(model, column));
}

// One file by itself, or one page about several and what a ledger was charged for them.
std::vector<std::string> report(const std::vector<std::string>& paths, const std::string& output,
                                const std::string& key, const std::string& ledger) {
  service::require_writable(output);
  std::vector<std::string> inputs = paths;
  inputs.insert(inputs.end(), {key, ledger});
  service::require_no_input("output", output, inputs);
  service::require_same_kind("output", output, service::page_begins, "page");
  if (paths.empty() && ledger.empty())
    throw_error<UsageError>("no file is given to report on, expected at least one");
  const bool alone = paths.size() == 1 && ledger.empty();
  const service::Report found = alone ? service::report(paths[0], key)
                                      : service::project_report({{paths.begin(), paths.end()}, ledger, key});
  write_file_atomically(output, found.page);
  if (!found.failure.empty())
    throw_error<VerificationError>("{}{}", alone ? paths[0] + ": " : "", found.failure);
  return found.assumptions;
}

}  // namespace

void bind_model(py::module_& module) {
  py::class_<Layer>(module, "Layer")
      .def_readonly("weights", &Layer::weights)
      .def_readonly("constant", &Layer::constant);
  py::class_<FittedModel>(module, "Model")
      .def_property_readonly("json", &model_to_json)
      .def_property_readonly("names", [](const FittedModel& model) { return model.names; })
      .def_property_readonly("parameters", [](const FittedModel& model) { return model.parameters; })
      .def_property_readonly("layers", &layers)
      .def_property_readonly("sample_layers", &sample_layers)
      .def_property_readonly("interval_layers", &interval_layers)
      .def_property_readonly("interval_level",
                             [](const FittedModel& model) {
                               return model.intervals ? std::optional(model.intervals->level) : std::nullopt;
                             })
      .def_property_readonly("certificate", &certificate)
      .def_property_readonly("schema", [](const FittedModel& model) { return model.schema; })
      .def_property_readonly("method", [](const FittedModel& model) { return model.certificate.method; })
      .def_property_readonly("description",
                             [](const FittedModel& model) {
                               const Certificate& c = model.certificate;
                               return describe(c);
                             })
      .def_property_readonly("curves",
                             [](const FittedModel& model) { return parsed(service::curves_json(model)); })
      .def("curves_svg", &service::curves_svg)
      .def("save_curves", &save_curves)
      .def_property_readonly("halt_warning", &service::halt_warning)
      .def_property_readonly("hidden_curvature_warning", &service::hidden_curvature_warning)
      .def_property_readonly("few_records_warning", &service::few_records_warning)
      .def("predict", &prediction)
      .def("save", &save)
      .def(py::pickle(
          [](const FittedModel& model) { return py::str(model_to_json(model)); },
          [](const py::str& text) { return parse_model(std::string(text), "the pickled model"); }));
  module.def("load_model", [](const std::string& path) { return service::load_model(path); });
  module.def("report", &report);
  module.def("verify", [](const std::string& path, const std::string& key) {
    const service::VerifiedFile found = service::verify_file(path, key);
    return py::dict(py::arg("description") = describe(found.certificate),
                    py::arg("certificate") = parsed(to_json(found.certificate).dump()),
                    py::arg("signed") = found.signature == SignatureState::valid);
  });
}

}  // namespace tacit::python
