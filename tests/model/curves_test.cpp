#include <gtest/gtest.h>

#include <cmath>

#include "data/encoder.hpp"
#include "model/noise_law.hpp"
#include "tacit/core.hpp"
#include "tacit/model.hpp"

namespace tacit {
namespace {

// A model with this schema whose parameters are all different.
FittedModel model_with(const std::string& schema, LossSpec loss = Link{LinkKind::squared}) {
  FittedModel model;
  model.loss = loss;
  model.schema = parse_schema(schema, "s");
  model.features = encoded_columns(*model.schema);
  model.names = feature_names(*model.schema);
  std::size_t outputs = 1;
  if (const auto* softmax = std::get_if<Softmax>(&loss)) {
    outputs = softmax->classes - 1;
    for (std::size_t k = 0; k < softmax->classes; ++k) model.classes.push_back(fmt::format("c{}", k));
  }
  model.parameters = Vector(static_cast<Eigen::Index>(outputs * (model.features + 1)));
  for (Eigen::Index k = 0; k < model.parameters.size(); ++k)
    model.parameters[k] = std::sin(3.0 * static_cast<double>(k + 1));
  model.certificate.guarantee = NoPrivacy{};
  return model;
}

const char* const every_kind = R"({"columns": {
  "line": {"type": "numeric", "min": -1, "max": 3, "knots": 1},
  "raw": {"type": "numeric", "min": 0, "max": 2},
  "hats": {"type": "numeric", "min": 0, "max": 100, "knots": 5, "missing": "indicator"},
  "list": {"type": "numeric", "min": 0, "max": 1000, "knots": [10, 50, 900], "transform": "log1p"},
  "job": {"type": "categorical", "categories": ["a", "b"], "missing": "indicator"},
  "word": {"type": "hashed", "buckets": 4},
  "skip": {"type": "ignore"},
  "when": {"type": "date", "min": "2020-01-01", "max": "2024-01-01", "knots": 3, "parts": ["weekday"]}},
  "pairs": [["line", "job"], ["hats", "list"]], "target": {"column": "y"}})";

const Curve& named(const Curves& all, const std::string& name) {
  for (const Curve& curve : all.curves)
    if (curve.name == name) return curve;
  throw_error<UsageError>("no curve {}", name);
}

// What the curve says at a number, by straight lines on the axis' scale.
double read_off(const Curve& curve, double x) {
  const ColumnAxis& axis = curve.axes.front();
  std::size_t k = 0;
  while (k + 2 < axis.at.size() && axis.at[k + 1] < x) ++k;
  const double a = axis.place(axis.at[k]), b = axis.place(axis.at[k + 1]);
  const double share = (axis.place(x) - a) / (b - a);
  const auto y = [&](std::size_t point) { return curve.y(0, static_cast<Eigen::Index>(point)); };
  return (1 - share) * y(k) + share * y(k + 1);
}

std::vector<std::string> names_of(const Curves& all) {
  std::vector<std::string> names;
  for (const Curve& curve : all.curves) names.push_back(curve.name);
  return names;
}

TEST(Curves, HaveOneForEveryColumnPartAndPairAndNoneForWhatIsIgnored) {
  EXPECT_EQ(names_of(curves(model_with(every_kind))),
            (std::vector<std::string>{"line", "raw", "hats", "list", "job", "word", "when", "when.weekday",
                                      "line*job", "hats*list"}));
}

TEST(Curves, AddUpToThePredictionOfARecord) {
  FittedModel model = model_with(R"({"columns": {
      "line": {"type": "numeric", "min": -1, "max": 3, "knots": 1},
      "raw": {"type": "numeric", "min": 0, "max": 2},
      "hats": {"type": "numeric", "min": 0, "max": 100, "knots": 5},
      "list": {"type": "numeric", "min": 0, "max": 1000, "knots": [10, 50, 900], "transform": "log1p"},
      "job": {"type": "categorical", "categories": ["a", "b"]}}, "target": {"column": "y"}})");
  model.offset = 7;
  model.scale = 3;
  const Curves all = curves(model);
  for (const auto& [line, raw, hats, list] :
       {std::array{-1.0, 0.3, 33.0, 700.0}, std::array{2.2, 2.0, 100.0, 5.0},
        std::array{0.0, 1.0, 50.0, 999.0}}) {
    const std::vector<double> cells{line, raw, hats, list};
    const ValueCells job{std::string("b")};
    std::vector<TableColumn> table;
    for (std::size_t k = 0; k < 4; ++k) table.push_back({all.curves[k].name, NumberCells{&cells[k]}});
    table.push_back({"job", job});
    const double predicted = predict(model, encode_table(table, 1, *model.schema).data.features).value[0];
    double sum = all.constants[0] + named(all, "job").y(0, 1);
    for (std::size_t k = 0; k < 4; ++k) sum += read_off(all.curves[k], cells[k]);
    EXPECT_NEAR(sum, predicted, 1e-12);
  }
}

// A value that is not listed has several features of its block, alone and in a pair.
TEST(Curves, AddUpToThePredictionForValuesThatAreNotListed) {
  const FittedModel model = model_with(R"({"columns": {
    "job": {"type": "categorical", "categories": ["a", "b"], "other": 0.25},
    "line": {"type": "numeric", "min": -1, "max": 3, "knots": 1}},
    "pairs": [["job", "line"]], "target": {"column": "y"}})");
  const Curves all = curves(model);
  const ValueCells job{std::string("neither")};
  const double line = 3;
  const std::vector<TableColumn> table{{"job", job}, {"line", NumberCells{&line}}};
  const double predicted = predict(model, encode_table(table, 1, *model.schema).data.features).value[0];
  const double sum = all.constants[0] + named(all, "job").y(0, 2) + named(all, "line").y(0, 1) +
                     named(all, "job*line").y(0, 5);
  EXPECT_NEAR(sum, predicted, 1e-12);
}

TEST(Curves, AreCenteredByPublicWeights) {
  const Curves all = curves(model_with(every_kind));
  const Curve& job = named(all, "job");
  ASSERT_EQ(job.axes.front().labels, (std::vector<std::string>{"a", "b", "other", "missing"}));
  EXPECT_NEAR(job.y(0, 0) + job.y(0, 1), 0, 1e-15) << "over the listed categories alone";
  for (const char* name : {"line", "raw", "hats", "list", "when"}) {
    const Curve& curve = named(all, name);
    const ColumnAxis& axis = curve.axes.front();
    constexpr int steps = 4000;
    double sum = 0;
    const double start = axis.place(axis.at.front()), range = axis.place(axis.at.back()) - start;
    for (int k = 0; k < steps; ++k) {
      const double place = start + range * (k + 0.5) / steps;
      sum += read_off(curve, axis.log1p_from ? *axis.log1p_from + std::expm1(place) : place) / steps;
    }
    EXPECT_NEAR(sum, 0, 2e-4) << name;
  }
}

TEST(Curves, ReachTheEndsOfTheRangeAndKeepUnitsAndNames) {
  const Curves all = curves(model_with(every_kind));
  EXPECT_EQ(named(all, "list").axes.front().at, (std::vector<double>{0, 10, 50, 900, 1000}));
  EXPECT_EQ(named(all, "list").axes.front().log1p_from, 0);
  EXPECT_EQ(named(all, "list").y(0, 0), named(all, "list").y(0, 1)) << "level before the first knot";
  EXPECT_EQ(named(all, "when").axes.front().labels.front(), "2020-01-01");
  EXPECT_EQ(named(all, "when.weekday").axes.front().kind, AxisKind::ordered);
  EXPECT_EQ(named(all, "hats").missing.size(), 1);
  EXPECT_EQ(named(all, "raw").missing.size(), 0);
}

TEST(Curves, OfAPairAreTheProductsOfItsColumns) {
  const FittedModel model = model_with(every_kind);
  const Curves all = curves(model);
  const Curve& pair = named(all, "line*job");
  ASSERT_EQ(pair.y.cols(), 2 * 4);
  const auto first = static_cast<Eigen::Index>(std::ranges::find(model.names, std::string("line*job=a")) -
                                               model.names.begin());
  const double coefficient = model.parameters[first];  // of (u − 1/2)·[job = a], from −1/2 to 1/2
  EXPECT_NEAR(pair.y(0, 4) - pair.y(0, 0), coefficient, 1e-15);
}

TEST(Curves, OfSoftmaxHaveARowForEveryClass) {
  const FittedModel model = model_with(every_kind, Softmax{3});
  const Curves all = curves(model);
  EXPECT_EQ(all.outputs, model.classes);
  for (const Curve& curve : all.curves) EXPECT_EQ(curve.y.rows(), 3);
  EXPECT_NEAR(all.curves.front().y.colwise().sum().norm(), 0, 1e-14)
      << "logits are centered over the classes";
}

TEST(Curves, AreRefusedWithoutASchemaAndForNetworks) {
  FittedModel model = model_with(every_kind);
  model.schema.reset();
  EXPECT_THROW(curves(model), UsageError);
  model = model_with(every_kind);
  model.schema->columns.pop_back();
  EXPECT_THROW(curves(model), DataError) << "a schema of other features";
}

// The law of limited-output's noise is in the certificate.
FittedModel with_output_noise(const std::string& mechanism, double scale) {
  FittedModel model = model_with(every_kind);
  model.certificate.guarantee = Pure{1};
  model.certificate.method = "limited-output";
  model.certificate.steps = {{.mechanism = mechanism,
                              .event = PureEvent{1},
                              .sensitivity = {},
                              .scale = scale,
                              .dimension = static_cast<std::size_t>(model.parameters.size())}};
  return model;
}

TEST(Curves, HaveIntervalsWhereTheCertificateTellsTheNoisesLaw) {
  const Curves gaussian = curves(with_output_noise("gaussian", 0.1));
  EXPECT_EQ(gaussian.no_half_width, "");
  // A line is ±w/2 at its ends: noise of half its sigma.
  EXPECT_NEAR(named(gaussian, "line").half_width(0, 0), 0.05 * 1.959964, 1e-6);
  // One category minus the average of two: (1/2, −1/2).
  EXPECT_NEAR(named(gaussian, "job").half_width(0, 0), 0.1 * std::sqrt(0.5) * 1.959964, 1e-6);
  // A value that is not listed, 0.25 of its own and (0.375, 0.375) of the two: minus (1/2, 1/2).
  FittedModel less = with_output_noise("gaussian", 0.1);
  for (SchemaColumn& column : less.schema->columns)
    if (auto* job = std::get_if<CategoricalColumn>(&column.kind)) job->other = 0.25;
  EXPECT_NEAR(named(curves(less), "job").half_width(0, 2), 0.1 * std::sqrt(0.09375) * 1.959964, 1e-6);
  FittedModel objective = with_output_noise("objective-perturbation", 0.1);
  objective.certificate.method = "limited-objective";
  const Curves none = curves(objective);
  EXPECT_EQ(none.curves.front().half_width.size(), 0);
  EXPECT_NE(none.no_half_width, "");
}

TEST(NoiseLaw, HasTheQuantilesOfItsLaw) {
  EXPECT_NEAR((NoiseLaw{false, 2, 1}.half_width(0.95)), 2 * std::log(20.0), 1e-3)
      << "Laplace in one dimension";
  // Many dimensions: nearly Gaussian, with variance p + 1.
  EXPECT_NEAR((NoiseLaw{false, 1, 100'000}.half_width(0.95)), std::sqrt(100'001.0) * 1.959964, 0.02);
  // p = 2: z₁ has the density |t|·K₁(|t|)/π; P(|z₁| > t) by direct integration of it.
  const double t = NoiseLaw{false, 1, 2}.half_width(0.95);
  double tail = 0;
  constexpr int steps = 200'000;
  for (int k = 0; k < steps; ++k) {
    const double x = t + 40.0 * (k + 0.5) / steps;
    tail += 2 * 40.0 / steps * x * std::cyl_bessel_k(1.0, x) / 3.14159265358979;
  }
  EXPECT_NEAR(tail, 0.05, 1e-5);
}

}  // namespace
}  // namespace tacit
