#include "tacit/model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "loss/softmax.hpp"
#include "sample_model.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

using testing::sample_model;

Features rows(std::vector<double> values, std::size_t columns = 2) {
  const std::size_t count = values.size() / columns;
  return Features(DenseRows{count, columns, std::move(values)});
}

Dataset labelled(TargetKind kind, std::vector<double> values, std::vector<double> labels) {
  Dataset data;
  data.features = rows(std::move(values));
  data.target_kind = kind;
  data.labels = std::move(labels);
  return data;
}

FittedModel model_with(const LossSpec& loss, std::vector<std::string> classes, const Vector& parameters) {
  FittedModel model = sample_model();
  model.loss = loss;
  model.classes = std::move(classes);
  model.parameters = parameters;
  return model;
}

TEST(Predict, LogisticGivesClassAndProbabilities) {
  const FittedModel model = model_with(parse_link("logistic"), {"no", "yes"}, Vector{{1, -2, 0.5}});
  const Predictions p = predict(model, rows({1, 0, 0, 1}));
  EXPECT_EQ(p.value, (std::vector<double>{1, 0}));
  EXPECT_DOUBLE_EQ(p.probabilities[1], 1 / (1 + std::exp(-1.5)));
  EXPECT_DOUBLE_EQ(p.probabilities[2], 1 / (1 + std::exp(-1.5)));
  EXPECT_DOUBLE_EQ(p.probabilities[0] + p.probabilities[1], 1);
}

TEST(Predict, SparseAndDenseRowsGiveTheSame) {
  const FittedModel model = model_with(parse_link("squared"), {}, Vector{{1, -2, 0.5}});
  const Features sparse(SparseRows{2, 2, {0, 1, 2}, {1, 0}, {3, 4}});
  EXPECT_EQ(predict(model, sparse).value, predict(model, rows({0, 3, 4, 0})).value);
}

TEST(Predict, SoftmaxWithTwoClassesIsLogistic) {
  // The logits are V z with V = (1, −1)/√2, so p_1 = 1/(1 + e^{√2 z}).
  const FittedModel model = model_with(Softmax{2}, {"a", "b"}, Vector{{1, -2, 0.5}});
  const Predictions p = predict(model, rows({1, 0}));
  EXPECT_NEAR(p.probabilities[0], 1 / (1 + std::exp(-std::sqrt(2.0) * 1.5)), 1e-15);
  EXPECT_EQ(p.value[0], 0);
}

TEST(Predict, SoftmaxReadsItsParametersOutputByOutput) {
  const Vector w{{1, 2, 3, -1, 0.5, 0.25}};
  const FittedModel model = model_with(Softmax{3}, {"a", "b", "c"}, w);
  const Vector z{{1 * 4 + 2 * 5 + 3, -1 * 4 + 0.5 * 5 + 0.25}};
  const Vector logits = SoftmaxLoss(3).basis() * z;
  const Vector expected = logits.array().exp() / logits.array().exp().sum();
  const Predictions p = predict(model, rows({4, 5}));
  for (Eigen::Index k = 0; k < 3; ++k)
    EXPECT_NEAR(p.probabilities[static_cast<std::size_t>(k)], expected[k], 1e-14);
}

TEST(Predict, RegressionUndoesThePublicTransformOfTheTarget) {
  FittedModel model = model_with(parse_link("absolute"), {}, Vector{{1, 0, 0}});
  model.offset = 50;
  model.scale = 10;
  EXPECT_EQ(predict(model, rows({0.5, 0})).value[0], 55);
  model.loss = parse_link("poisson");
  EXPECT_EQ(predict(model, rows({0.5, 0})).value[0], std::exp(0.5));
}

TEST(Predict, RefusesFeaturesOfAnotherNumber) {
  EXPECT_THROW(predict(sample_model(), rows({1, 2, 3}, 3)), DataError);
}

TEST(Predict, CsvQuotesWhatNeedsIt) {
  const FittedModel model = model_with(parse_link("logistic"), {"a,b", "c\"d"}, Vector{{0, 0, 0}});
  EXPECT_EQ(predictions_to_csv(model, predict(model, rows({0, 0}))),
            "prediction,\"p_a,b\",\"p_c\"\"d\"\n\"a,b\",0.5,0.5\n");
}

TEST(Predict, CsvOfHingeHasTheDecisionAndOfRegressionTheNumber) {
  const FittedModel hinge = model_with(parse_link("hinge"), {"a", "b"}, Vector{{1, 0, 0.25}});
  EXPECT_EQ(predictions_to_csv(hinge, predict(hinge, rows({1, 0}))), "prediction,decision\nb,1.25\n");
  const FittedModel squared = model_with(parse_link("squared"), {}, Vector{{1, 0, 0.25}});
  EXPECT_EQ(predictions_to_csv(squared, predict(squared, rows({1, 0}))), "prediction\n1.25\n");
}

TEST(Metrics, OfAClassifier) {
  const FittedModel model = model_with(parse_link("logistic"), {"a", "b"}, Vector{{1, 0, 0}});
  Dataset data = labelled(TargetKind::classes, {1, 0, -1, 0, 2, 0}, {1, 0, 0});
  const Metrics metrics = evaluate(model, data);
  EXPECT_DOUBLE_EQ(*metrics.accuracy, 2.0 / 3);
  EXPECT_NEAR(*metrics.log_loss, (2 * std::log1p(std::exp(-1.0)) + std::log1p(std::exp(2.0))) / 3, 1e-15);
  EXPECT_FALSE(metrics.rmse.has_value());
}

TEST(Metrics, OfARegression) {
  const FittedModel model = model_with(parse_link("squared"), {}, Vector{{1, 0, 0}});
  Dataset data = labelled(TargetKind::numeric, {1, 0, 2, 0}, {4, 6});
  const Metrics metrics = evaluate(model, data);
  EXPECT_DOUBLE_EQ(*metrics.mae, 3.5);
  EXPECT_DOUBLE_EQ(*metrics.rmse, std::sqrt(12.5));
}

TEST(Metrics, StayFiniteWhenAProbabilityRoundsToZero) {
  const FittedModel model = model_with(parse_link("logistic"), {"a", "b"}, Vector{{2000, 0, 0}});
  Dataset data = labelled(TargetKind::classes, {1, 0}, {0});
  EXPECT_TRUE(std::isfinite(*evaluate(model, data).log_loss));
}

TEST(Metrics, RefuseLabelsThatDoNotFit) {
  Dataset data = labelled(TargetKind::classes, {1, 0}, {5});
  EXPECT_THROW(evaluate(sample_model(), data), DataError);
  data.target_kind = TargetKind::numeric;
  EXPECT_THROW(evaluate(sample_model(), data), DataError);
}

// A crash, or numbers from memory of someone else's, before.
TEST(Predict, RefusesAModelThatIsNone) {
  FittedModel moved = model_with(parse_link("logistic"), {"no", "yes"}, Vector{{1, -2, 0.5}});
  const FittedModel model = std::move(moved);
  const Features features = rows({1, 0, 0, 1});
  const Predictions found = predict(model, features);
  for (const FittedModel& none : {FittedModel(), moved}) {
    EXPECT_THROW(predict(none, features), DataError);
    EXPECT_THROW(coefficients(none), DataError);
    EXPECT_THROW(predictions_to_csv(none, found), DataError);
  }
  EXPECT_THROW(shape_of(Problem{}), UsageError);
}

TEST(Predict, CsvRefusesPredictionsOfAnotherModel) {
  const FittedModel model = model_with(parse_link("logistic"), {"no", "yes"}, Vector{{1, -2, 0.5}});
  EXPECT_THROW(predictions_to_csv(model, {.value = {2}}), DataError);
  EXPECT_THROW(predictions_to_csv(model, {.value = {-1}}), DataError);
  EXPECT_THROW(predictions_to_csv(model, {.value = {1}, .probabilities = {0.5}}), DataError);
  EXPECT_THROW(predictions_to_csv(model, {.value = {1, 0}, .decision = {0.5}}), DataError);
}

}  // namespace
}  // namespace tacit
