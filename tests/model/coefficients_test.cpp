#include "tacit/model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tacit/core.hpp"

namespace tacit {
namespace {

Features one_row(std::vector<double> values) {
  const std::size_t columns = values.size();
  return Features(DenseRows{1, columns, std::move(values)});
}

FittedModel model_of(LossSpec loss, Vector parameters) {
  FittedModel model;
  model.loss = loss;
  model.features = 2;
  model.parameters = std::move(parameters);
  return model;
}

TEST(Coefficients, AddUpToWhatARegressionPredicts) {
  FittedModel model =
      model_of(Link{LinkKind::squared}, Vector::Map(std::vector{0.5, -0.25, 0.125}.data(), 3));
  model.intercept = 2;
  model.offset = 10;
  model.scale = 4;
  model.names = {"a", "b"};
  const Coefficients found = coefficients(model);
  EXPECT_EQ(found.features, model.names);
  const double sum = found.intercepts[0] + 3 * found.values(0, 0) + 5 * found.values(1, 0);
  EXPECT_EQ(sum, predict(model, one_row({3, 5})).value[0]);
}

TEST(Coefficients, OfSoftmaxAreLogitsOfItsClasses) {
  FittedModel model =
      model_of(Softmax{3}, Vector::Map(std::vector{0.5, -0.25, 0.125, 1.0, 2.0, -3.0}.data(), 6));
  model.classes = {"x", "y", "z"};
  const Coefficients found = coefficients(model);
  EXPECT_EQ(found.outputs, model.classes);
  EXPECT_EQ(found.features[1], "feature 2");
  const Vector logits =
      found.intercepts + found.values.transpose() * Vector::Map(std::vector{1.0, 2.0}.data(), 2);
  const Vector p = logits.array().exp() / logits.array().exp().sum();
  const Predictions predictions = predict(model, one_row({1, 2}));
  for (Eigen::Index k = 0; k < 3; ++k)
    EXPECT_NEAR(p[k], predictions.probabilities[static_cast<std::size_t>(k)], 1e-14);
}

TEST(Coefficients, OfANetworkDoNotExist) {
  EXPECT_THROW(coefficients(model_of(Network{.hidden = 1}, Vector::Zero(5))), UsageError);
}

}  // namespace
}  // namespace tacit
