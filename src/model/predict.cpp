#include "tacit/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "loss/softmax.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

// ⟨row, w⟩ with the constant feature's weight after those of the row.
double margin(const RowView& row, const double* w, std::size_t columns, double intercept) {
  double sum = intercept != 0 ? intercept * w[columns] : 0;
  for (std::size_t k = 0; k < row.size; ++k)
    sum += row.values[k] * w[row.columns == nullptr ? k : row.columns[k]];
  return sum;
}

// The model's outputs for one record; `hidden` is room for a network's hidden layer.
void outputs(const FittedModel& model, const RowView& row, std::vector<double>& hidden, std::span<double> z) {
  const std::size_t features = model.features + (model.intercept != 0 ? 1 : 0);
  const double* w = model.parameters.data();
  const auto* network = std::get_if<Network>(&model.loss);
  if (network == nullptr) {
    for (std::size_t k = 0; k < z.size(); ++k)
      z[k] = margin(row, w + k * features, model.features, model.intercept);
    return;
  }
  hidden.resize(network->hidden);
  for (std::size_t u = 0; u < hidden.size(); ++u)
    hidden[u] = margin(row, w + u * features, model.features, model.intercept);
  activate(network->activation, hidden.data(), hidden.size());
  const RowView units{hidden.data(), nullptr, hidden.size()};
  w += hidden.size() * features;
  for (std::size_t k = 0; k < z.size(); ++k)
    z[k] = margin(units, w + k * (hidden.size() + 1), hidden.size(), 1);
}

// y of z = log(1 + y − min), within the target's range.
double original(const SchemaTarget& target, double z) {
  const double most = target.max.value_or(std::numeric_limits<double>::max());
  return std::clamp(*target.min + std::expm1(z), *target.min, most);
}

double regression_value(const FittedModel& model, std::span<const double> z) {
  const double s =
      std::holds_alternative<RobustFit>(model.loss) ? prediction(std::get<RobustFit>(model.loss), z) : z[0];
  const auto* link = std::get_if<Link>(&model.loss);
  if (link && link->kind == LinkKind::poisson) return std::exp(s);
  const double value = model.offset + model.scale * s;
  const SchemaTarget* target = model.schema && model.schema->target ? &*model.schema->target : nullptr;
  return target && target->log1p ? original(*target, value) : value;
}

void check_features(const FittedModel& model, const Features& features) {
  if (features.columns() != model.features)
    throw_error<DataError>("the data has {} features, the model was fitted with {}", features.columns(),
                           model.features);
}

void predict_softmax(const FittedModel& model, const Features& features, Predictions& result) {
  const SoftmaxLoss softmax(model.classes.size());
  const std::size_t classes = softmax.classes();
  std::vector<double> z(softmax.outputs()), hidden;
  result.probabilities.resize(features.rows() * classes);
  RowRoom room;
  for (std::size_t i = 0; i < features.rows(); ++i) {
    outputs(model, features.row(i, room), hidden, z);
    const std::span<double> p(result.probabilities.data() + i * classes, classes);
    softmax.probabilities(z, p);
    result.value.push_back(static_cast<double>(std::ranges::max_element(p) - p.begin()));
  }
}

void predict_by_scores(const FittedModel& model, const Features& features, Predictions& result) {
  const auto* link = std::get_if<Link>(&model.loss);
  const auto* robust = std::get_if<RobustFit>(&model.loss);
  std::vector<double> hidden, z(robust ? robust->outputs() : 1);
  RowRoom room;
  for (std::size_t i = 0; i < features.rows(); ++i) {
    outputs(model, features.row(i, room), hidden, z);
    const double s = z[0];
    result.value.push_back(classifies(model.loss) ? (s > 0 ? 1 : 0) : regression_value(model, z));
    if (link && link->kind == LinkKind::logistic)
      result.probabilities.insert(result.probabilities.end(),
                                  {1 / (1 + std::exp(s)), 1 / (1 + std::exp(-s))});
    else if (classifies(model.loss))
      result.decision.push_back(s);
  }
}

// Someone may have made them up, or have those of another model.
void check_predictions(const FittedModel& model, const Predictions& predictions) {
  const std::size_t records = predictions.value.size(), classes = model.classes.size();
  if ((!predictions.probabilities.empty() && predictions.probabilities.size() != records * classes) ||
      (!predictions.decision.empty() && predictions.decision.size() != records))
    throw_error<DataError>("{} predictions have {} probabilities of {} classes, and {} decisions", records,
                           predictions.probabilities.size(), classes, predictions.decision.size());
  for (const double value : predictions.value)
    if (classes > 0 && !(value >= 0 && value < static_cast<double>(classes)))
      throw_error<DataError>("a prediction is {}, expected the number of a class, 0 to {}", value,
                             classes - 1);
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
  validate(model);
  check_features(model, features);
  Predictions result;
  result.value.reserve(features.rows());
  const bool by_softmax = classifies(model.loss) && !std::holds_alternative<Link>(model.loss);
  by_softmax ? predict_softmax(model, features, result) : predict_by_scores(model, features, result);
  return result;
}

std::string predictions_to_csv(const FittedModel& model, const Predictions& predictions) {
  const std::size_t records = predictions.value.size(), classes = model.classes.size();
  const bool probabilities = !predictions.probabilities.empty(), decision = !predictions.decision.empty();
  validate(model);
  check_predictions(model, predictions);
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
