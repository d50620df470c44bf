#include "tacit/model/fitted_model.hpp"

#include <cmath>

#include "tacit/core/error.hpp"

namespace tacit::inline v1 {

bool classifies(const LinearLoss& loss) {
  const auto* link = std::get_if<Link>(&loss);
  return link == nullptr || facts(*link).classification;
}

std::string_view name(const LinearLoss& loss) {
  const auto* link = std::get_if<Link>(&loss);
  return link == nullptr ? "softmax" : name(link->kind);
}

void validate(const FittedModel& model) {
  const std::size_t classes = model.classes.size();
  const bool softmax = std::holds_alternative<Softmax>(model.loss);
  if (softmax && (classes < 2 || std::get<Softmax>(model.loss).classes != classes))
    throw_error<DataError>("softmax needs at least 2 classes, the model has {}", classes);
  if (!softmax && classes != (classifies(model.loss) ? 2 : 0))
    throw_error<DataError>("the loss {} does not go with {} classes", name(model.loss), classes);

  if (!(std::isfinite(model.intercept) && std::isfinite(model.offset) && std::isfinite(model.scale)))
    throw_error<DataError>("intercept, offset and scale must be finite numbers");
  const std::size_t per_output = model.features + (model.intercept != 0 ? 1 : 0);
  const std::size_t expected = per_output * (softmax ? classes - 1 : 1);
  if (static_cast<std::size_t>(model.parameters.size()) != expected)
    throw_error<DataError>("the model has {} parameters, {} features need {}", model.parameters.size(),
                           model.features, expected);
  if (!model.parameters.allFinite()) throw_error<DataError>("a parameter is not a finite number");
  if (!model.names.empty() && model.names.size() != model.features)
    throw_error<DataError>("the model has {} features, but {} names for them", model.features,
                           model.names.size());
}

}  // namespace tacit::inline v1
