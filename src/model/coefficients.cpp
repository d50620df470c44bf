#include "tacit/model.hpp"

#include "loss/softmax.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

// Column k: the parameters of output k, the intercept's last.
Matrix by_output(const FittedModel& model, Eigen::Index outputs) {
  return Eigen::Map<const Matrix>(model.parameters.data(), model.parameters.size() / outputs, outputs);
}

}  // namespace

Coefficients coefficients(const FittedModel& model) {
  if (std::holds_alternative<Network>(model.loss) || std::holds_alternative<RobustFit>(model.loss))
    throw_error<UsageError>("the loss {} has no coefficients: what a feature adds depends on the others",
                            name(model.loss));
  validate(model);
  Coefficients found;
  for (std::size_t k = 0; k < model.features; ++k)
    found.features.push_back(model.names.empty() ? fmt::format("feature {}", k + 1) : model.names[k]);

  Matrix w;
  if (std::holds_alternative<Softmax>(model.loss)) {
    const SoftmaxLoss softmax(model.classes.size());
    w = by_output(model, static_cast<Eigen::Index>(softmax.outputs())) * softmax.basis().transpose();
    found.outputs = model.classes;
  } else {
    w = by_output(model, 1);
    found.outputs = {model.target};
  }
  const auto features = static_cast<Eigen::Index>(model.features);
  found.values = model.scale * w.topRows(features);
  found.intercepts = Vector::Constant(w.cols(), model.offset);
  if (model.intercept != 0) found.intercepts += model.scale * model.intercept * w.row(features).transpose();
  return found;
}

}  // namespace tacit::inline v1
