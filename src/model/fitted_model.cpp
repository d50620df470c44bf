#include "tacit/model.hpp"

#include <cmath>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

std::string_view name(const LossSpec& loss) {
  if (const auto* network = std::get_if<Network>(&loss)) return name(*network);
  if (const auto* robust = std::get_if<RobustFit>(&loss)) return name(robust->kind);
  const auto* link = std::get_if<Link>(&loss);
  return link == nullptr ? "softmax" : name(link->kind);
}

namespace {

// Classes that the loss itself counts; a link has two or none.
std::size_t counted_classes(const LossSpec& loss) {
  if (const auto* network = std::get_if<Network>(&loss)) return network->classes;
  if (const auto* softmax = std::get_if<Softmax>(&loss)) return softmax->classes;
  return classifies(loss) ? 2 : 0;
}

std::size_t expected_parameters(const FittedModel& model) {
  const std::size_t features = model.features + (model.intercept != 0 ? 1 : 0);
  if (const auto* network = std::get_if<Network>(&model.loss))
    return network->hidden * features + network->outputs() * (network->hidden + 1);
  if (const auto* robust = std::get_if<RobustFit>(&model.loss)) return features * robust->outputs();
  return features * (std::holds_alternative<Softmax>(model.loss) ? model.classes.size() - 1 : 1);
}

}  // namespace

void validate(const FittedModel& model) {
  const std::size_t classes = model.classes.size();
  if (std::holds_alternative<Softmax>(model.loss) && classes < 2)
    throw_error<DataError>("softmax needs at least 2 classes, the model has {}", classes);
  if (classes != counted_classes(model.loss) || classes == 1)
    throw_error<DataError>("the loss {} does not go with {} classes", name(model.loss), classes);
  if (const auto* network = std::get_if<Network>(&model.loss); network && network->hidden == 0)
    throw_error<DataError>("a network needs at least 1 hidden unit");
  if (const auto* robust = std::get_if<RobustFit>(&model.loss)) validate(*robust);

  if (!(std::isfinite(model.intercept) && std::isfinite(model.offset) && std::isfinite(model.scale)))
    throw_error<DataError>("intercept, offset and scale must be finite numbers");
  if (classes > 0 ? model.offset != 0 || model.scale != 1 : !(model.scale > 0))
    throw_error<DataError>("the target has offset {} and scale {}, expected {}", model.offset, model.scale,
                           classes > 0 ? "0 and 1 for classes" : "a scale > 0");
  const std::size_t expected = expected_parameters(model);
  if (static_cast<std::size_t>(model.parameters.size()) != expected)
    throw_error<DataError>("the model has {} parameters, {} features need {}", model.parameters.size(),
                           model.features, expected);
  for (const Vector& sample : model.samples)
    if (sample.size() != model.parameters.size() || !sample.allFinite())
      throw_error<DataError>("a sample does not have {} finite numbers", model.parameters.size());
  if (!model.samples.empty() && model.samples.back() != model.parameters)
    throw_error<DataError>("the parameters are not the last sample");
  if (!model.parameters.allFinite()) throw_error<DataError>("a parameter is not a finite number");
  if (model.intervals)
    for (const Vector* ends : {&model.intervals->lower, &model.intervals->upper,
                               &model.intervals->minimiser_lower, &model.intervals->minimiser_upper})
      if (ends->size() != model.parameters.size() || !ends->allFinite())
        throw_error<DataError>("the intervals do not have {} finite ends", model.parameters.size());
  if (!model.names.empty() && model.names.size() != model.features)
    throw_error<DataError>("the model has {} features, but {} names for them", model.features,
                           model.names.size());
}

}  // namespace tacit::inline v1
