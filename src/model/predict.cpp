#include "tacit/model/predict.hpp"

#include <algorithm>
#include <cmath>

#include "tacit/core/error.hpp"
#include "tacit/loss/softmax.hpp"

namespace tacit::inline v1 {

namespace {

// ⟨a, w⟩ for the parameters of one output, intercept included.
double margin(const FittedModel& model, const RowView& row, std::size_t output) {
  const std::size_t per_output = model.features + (model.intercept != 0 ? 1 : 0);
  const double* w = model.parameters.data() + output * per_output;
  double sum = model.intercept != 0 ? model.intercept * w[model.features] : 0;
  for (std::size_t k = 0; k < row.size; ++k)
    sum += row.values[k] * w[row.columns == nullptr ? k : row.columns[k]];
  return sum;
}

double regression_value(const FittedModel& model, double s) {
  const bool poisson = std::get<Link>(model.loss).kind == LinkKind::poisson;
  return poisson ? std::exp(s) : model.offset + model.scale * s;
}

void check_features(const FittedModel& model, const Features& features) {
  if (features.columns() != model.features)
    throw_error<DataError>("the data has {} features, the model was fitted with {}", features.columns(),
                           model.features);
}

void predict_softmax(const FittedModel& model, const Features& features, Predictions& result) {
  const SoftmaxLoss softmax(model.classes.size());
  const std::size_t classes = softmax.classes();
  std::vector<double> z(softmax.outputs());
  result.probabilities.resize(features.rows() * classes);
  for (std::size_t i = 0; i < features.rows(); ++i) {
    for (std::size_t j = 0; j < z.size(); ++j) z[j] = margin(model, features.row(i), j);
    const std::span<double> p(result.probabilities.data() + i * classes, classes);
    softmax.probabilities(z, p);
    result.value.push_back(static_cast<double>(std::ranges::max_element(p) - p.begin()));
  }
}

void predict_link(const FittedModel& model, const Features& features, Predictions& result) {
  const Link& link = std::get<Link>(model.loss);
  for (std::size_t i = 0; i < features.rows(); ++i) {
    const double s = margin(model, features.row(i), 0);
    result.value.push_back(classifies(model.loss) ? (s > 0 ? 1 : 0) : regression_value(model, s));
    if (link.kind == LinkKind::logistic)
      result.probabilities.insert(result.probabilities.end(),
                                  {1 / (1 + std::exp(s)), 1 / (1 + std::exp(-s))});
    else if (classifies(model.loss))
      result.decision.push_back(s);
  }
}

// A cell of a CSV file: quoted only where it must be.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted(1, '"');
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted.append(1, '"');
}

}  // namespace

Predictions predict(const FittedModel& model, const Features& features) {
  check_features(model, features);
  Predictions result;
  result.value.reserve(features.rows());
  if (std::holds_alternative<Softmax>(model.loss))
    predict_softmax(model, features, result);
  else
    predict_link(model, features, result);
  return result;
}

std::string predictions_to_csv(const FittedModel& model, const Predictions& predictions) {
  const std::size_t records = predictions.value.size(), classes = model.classes.size();
  const bool probabilities = !predictions.probabilities.empty(), decision = !predictions.decision.empty();
  std::string text = "prediction";
  if (probabilities)
    for (const std::string& name : model.classes) text.append(1, ',').append(cell(fmt::format("p_{}", name)));
  if (decision) text += ",decision";
  text += "\n";
  for (std::size_t i = 0; i < records; ++i) {
    const double value = predictions.value[i];
    if (classes > 0)
      text += cell(model.classes[static_cast<std::size_t>(value)]);
    else
      fmt::format_to(std::back_inserter(text), "{}", value);
    for (std::size_t k = 0; probabilities && k < classes; ++k)
      fmt::format_to(std::back_inserter(text), ",{}", predictions.probabilities[i * classes + k]);
    if (decision) fmt::format_to(std::back_inserter(text), ",{}", predictions.decision[i]);
    text += "\n";
  }
  return text;
}

}  // namespace tacit::inline v1
