#include "encoder_fit.hpp"

#include <cmath>

#include "tacit/verify.hpp"

namespace tacit {
namespace {

using testing::EncoderFit;

service::FitOptions without_privacy() {
  service::FitOptions options;
  options.guarantee = NoPrivacy{};
  return options;
}

TEST_F(EncoderFit, HatsLearnWhatALineCannot) {
  write_bump();
  service::FitOptions options = without_privacy();
  options.encoder = EncoderRule::linear_v1;
  EXPECT_LT(score(fit(options)).accuracy.value(), 0.8);
  options.encoder = EncoderRule::hats;
  EXPECT_GT(score(fit(options)).accuracy.value(), 0.95);
}

TEST_F(EncoderFit, TheModelKeepsTheKnotsAndPredictsTheSameFromItsFile) {
  write_bump();
  const FittedModel model = fit(service::FitOptions{});  // by default
  EXPECT_EQ(model.features, 9u) << "400 records, one column, epsilon 1";
  EXPECT_EQ(model.names[1], "x@50");
  const FittedModel again = kept(model);
  EXPECT_EQ(std::get<NumericColumn>(again.schema->columns[0].kind).knots, Knots(std::size_t{9}));
  const auto value = [&](const FittedModel& m) {
    return predict(m, service::read_for_prediction(m, file()).features).probabilities;
  };
  EXPECT_EQ(value(again), value(model));
}

// Hats come with noise of their shape, and what the certificate says of it verifies.
TEST_F(EncoderFit, EncodedRowsGetShapedNoise) {
  write_bump();
  service::FitOptions options;
  options.method = "limited-objective";
  options.encoder = EncoderRule::linear_v1;
  EXPECT_FALSE(fit(options).certificate.options.has("feature_blocks")) << "as in models of format 1";
  for (const EncoderRule rule : {EncoderRule::hats, EncoderRule::linear}) {
    options.encoder = rule;
    const FittedModel model = service::fit_file(reading_, options);
    const bool hats = rule == EncoderRule::hats;
    EXPECT_EQ(FeatureBlocks::parse(model.certificate.options.text("feature_blocks")),
              hats ? FeatureBlocks({{9, 1, true}, {1, 1, true}}) : FeatureBlocks({{1, 0.5}, {1, 1}}));
    EXPECT_NO_THROW(verify_model(model_to_json(model), "m"));
  }
}

// Where the columns would only bring noise in, the intercept alone is fitted: as private a release as any
// other.
TEST_F(EncoderFit, FewRecordsGiveAConstantUnlessAMethodOrAnEncoderIsNamed) {
  std::string text = "x,y\n";
  for (int k = 0; k < 400; ++k) text += fmt::format("{},{}\n", k, k % 4 == 0 ? "in" : "out");
  reading_.path = write("rare.csv", text);
  reading_.schema = parse_schema(
      R"({"columns": {"x": {"type": "numeric", "min": 0, "max": 400}},
          "target": {"column": "y", "classes": ["in", "out"]}})",
      "s");
  service::FitOptions options;
  options.encoder = EncoderRule::automatic;
  for (const Guarantee& few : {Guarantee(Pure{0.005}), Guarantee(Approx{0.005, 1e-6})}) {
    options.guarantee = few;
    const FittedModel model = service::fit_file(reading_, options);
    EXPECT_EQ(model.features, 0u);
    EXPECT_EQ(model.parameters.size(), 1);
    EXPECT_NE(model.certificate.assumed_public.text("method_choice").find("the intercept alone"),
              std::string::npos);
    EXPECT_NO_THROW(verify_model(model_to_json(model), "m"));
    const FittedModel again = kept(model);
    const auto chances = predict(again, service::read_for_prediction(again, file()).features).probabilities;
    EXPECT_EQ(chances.front(), chances[chances.size() - 2]) << "one answer for all";
  }
  options.guarantee = Pure{0.005};
  options.encoder = EncoderRule::linear;
  EXPECT_EQ(fit(options).features, 1u);
  options.encoder = EncoderRule::automatic;
  options.method = "limited-objective";
  EXPECT_EQ(fit(options).features, 1u);
}

// Two categories, no other value: the coefficient of `other` is noise alone, with R = 10, and so is what the
// two share with the constant. A record with another value has the middle of the two and an eighth of
// `other`, unless the schema says that it counts as much as a category.
TEST_F(EncoderFit, AValueThatNobodyHasAddsLittleToAScore) {
  std::string text = "c,y\n";
  for (int k = 0; k < 400; ++k) text += fmt::format("{},{}\n", k % 2 ? "a" : "b", k % 3 ? "in" : "out");
  reading_.path = write("two.csv", text);
  const auto swing = [&](const std::string& more) {
    reading_.schema = parse_schema(R"({"columns": {"c": {"type": "categorical", "categories": ["a", "b"])" +
                                       more + R"(}}, "target": {"column": "y", "classes": ["in", "out"]}})",
                                   "s");
    double squares = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      service::FitOptions options;
      options.guarantee = Pure{10};
      const auto bits = testing::seeded_bits(seed);
      const FittedModel model = kept(service::fit_file(reading_, options, *bits));
      const Curves all = curves(model);
      const double added = all.curves.at(0).y(0, 2);  // against the mean of the two
      squares += added * added / 20;
      const ValueCells unlisted{std::string("x")};
      const Predictions found =
          predict(model, encode_table({{{"c", unlisted}}}, 1, *model.schema).data.features);
      EXPECT_NEAR(found.probabilities[1], 1 / (1 + std::exp(-all.constants[0] - added)), 1e-9);
    }
    return std::sqrt(squares);
  };
  const double whole = swing(R"(, "other": 1)");
  EXPECT_GT(whole, 3);
  EXPECT_NEAR(swing(""), whole / 8, 1e-5 * whole) << "the same noise, at an eighth of its size";
}

// With a delta the shorter noise is taken; pure noise keeps every delta, and verifies as what was asked for.
TEST_F(EncoderFit, ADeltaDoesNotMakeTheNoiseOfFewParametersLonger) {
  write_bump();
  service::FitOptions options;
  options.method = "limited-objective";
  options.encoder = EncoderRule::linear;
  options.guarantee = Approx{1, 1e-6};
  options.neighbours = Neighbours::replace_one;
  const FittedModel model = service::fit_file(reading_, options);
  EXPECT_TRUE(model.certificate.options.has("feature_blocks"));
  EXPECT_TRUE(std::holds_alternative<PureEvent>(model.certificate.steps.front().event));
  EXPECT_NO_THROW(verify_model(model_to_json(model), "m"));
}

// Under add_remove the number of records is private, and no plan may depend on it.
TEST_F(EncoderFit, KnotsDoNotFollowAPrivateNumberOfRecords) {
  write_bump();
  service::FitOptions options;
  options.guarantee = Approx{0.001, 1e-6};
  options.method = "dp-sgd";
  options.neighbours = Neighbours::zero_out;
  EXPECT_EQ(fit(options).features, 1u) << "400 records bear a line at this epsilon";
  options.neighbours = Neighbours::add_remove;
  options.method_options.set("records", std::int64_t{1'000'000});  // what is said in public counts
  EXPECT_EQ(fit(options).features, 9u);
  options.method_options.set("records", std::int64_t{100});
  EXPECT_EQ(fit(options).features, 1u);
}

// A network bends by itself.
TEST_F(EncoderFit, NetworksGetALineForEachNumber) {
  write_bump();
  service::FitOptions options;
  options.loss = "tanh-network";
  options.hidden = 2;
  options.guarantee = Approx{1, 1e-6};
  EXPECT_EQ(fit(options).features, 1u);
  options.encoder = EncoderRule::hats;
  EXPECT_EQ(fit(options).features, 9u);
}

TEST_F(EncoderFit, ALogarithmicTargetIsPredictedInItsOwnUnits) {
  std::string text = "x,y\n";
  for (int k = 0; k <= 100; ++k) text += fmt::format("{},{}\n", k, 5 + std::expm1(k * 0.06));
  reading_.path = write("log.csv", text);
  reading_.schema = parse_schema(
      R"({"columns": {"x": {"type": "numeric", "min": 0, "max": 100}},
          "target": {"column": "y", "min": 5, "max": 500, "transform": "log1p"}})",
      "s");
  service::FitOptions line = without_privacy();
  line.encoder = EncoderRule::linear_v1;
  const FittedModel model = kept(fit(line));
  EXPECT_LT(score(model).rmse.value(), 0.5) << "a line in log(1 + y - 5)";
  reading_.schema->target->log1p = false;
  EXPECT_GT(score(fit(line)).rmse.value(), 20);

  // Far outside, a prediction stays within the target's range.
  FittedModel wild = model;
  for (const double size : {1e6, -1e6}) {
    wild.parameters.setConstant(size);
    for (const double y : predict(wild, service::read_for_prediction(wild, file()).features).value)
      EXPECT_TRUE(y >= 5 && y <= 500) << y;
  }
  reading_.schema->target->log1p = true;
  service::FitOptions counts = without_privacy();
  counts.loss = "poisson";
  EXPECT_THROW(fit(counts), UsageError);
}

TEST_F(EncoderFit, AModelOfWaveletsReadsImagesAsItsFitDid) {
  write_stripes(40);
  const FittedModel model = kept(fit(without_privacy()));
  EXPECT_EQ(model.classes.size(), 2u) << "labels of images are classes";
  EXPECT_EQ(model.features, 81u * 4);
  EXPECT_EQ(model.image_features, ImageFeatures::wavelets);
  ReadOptions plain = file();
  plain.format = Format::idx;
  EXPECT_EQ(evaluate(model, service::read_for_evaluation(model, plain)).accuracy.value(), 1);
  service::FitOptions numbers = without_privacy();
  numbers.loss = "squared";
  EXPECT_TRUE(fit(numbers).classes.empty()) << "unless a loss for numbers is named";
}

TEST_F(EncoderFit, WaveletsWithADeltaGoToDescent) {
  write_stripes(500);
  service::FitOptions options;
  options.guarantee = Approx{10, 1e-5};
  EXPECT_EQ(service::fit_file(reading_, options).certificate.method, "dp-sgd");
  reading_.image_features = ImageFeatures::none;
  options.guarantee = Pure{10};
  EXPECT_EQ(service::fit_file(reading_, options).certificate.method, "limited-objective");
}

TEST_F(EncoderFit, AnEncoderWithoutEffectIsRefused) {
  write_bump();
  service::FitOptions options;
  options.encoder = EncoderRule::hats;
  reading_.schema.reset();
  reading_.target = "y";
  EXPECT_THROW(fit(options), UsageError) << "nothing says the range of x";
  EXPECT_THROW(service::fit(Dataset{}, options), UsageError) << "features already";
  options.encoder = EncoderRule::automatic;
  options.row_bound = 100;
  EXPECT_EQ(fit(options).features, 1u) << "numbers without a range stay as they are";
}

}  // namespace
}  // namespace tacit
