#include "tacit/fit.hpp"

#include <gtest/gtest.h>

#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/model.hpp"

namespace tacit {
namespace {

using service::Choice;
using service::choose_method;
using service::FitOptions;

const LossSpec logistic = Link{LinkKind::logistic, 0};

Shape shape_of_linear(std::size_t records, std::size_t features = 15) {
  return {.records = records, .features = features, .outputs = 1, .loss = logistic, .intercept = 1};
}

// The choice for a problem whose rows are known to have norm <= 2, or not known to.
Choice choose(const Guarantee& guarantee, const Shape& shape, bool bounded = true, FitOptions options = {}) {
  options.guarantee = guarantee;
  Facts facts = options.method_options;
  if (const auto* approx = std::get_if<Approx>(&guarantee)) facts.set("delta", approx->delta);
  if (const auto* approx = std::get_if<Approx>(&guarantee)) facts.set("epsilon", approx->epsilon);
  if (const auto* pure = std::get_if<Pure>(&guarantee)) facts.set("epsilon", pure->epsilon);
  if (const auto* gaussian = std::get_if<Gaussian>(&guarantee)) facts.set("mu", gaussian->mu);
  if (bounded) facts.set("row_norm_bound", 2.0);
  return choose_method(options, service::candidates(options), shape, facts);
}

TEST(ChooseMethod, PureIsObjectivePerturbation) {
  EXPECT_EQ(choose(Pure{1}, shape_of_linear(1000)).method->name, "limited-objective");
  EXPECT_EQ(choose(Pure{1}, shape_of_linear(1000), false).method->name, "limited-objective");
}

TEST(ChooseMethod, ApproxIsObjectivePerturbationForManyRecordsAndDescentForFew) {
  const Choice many = choose(Approx{1, 1e-6}, shape_of_linear(100000)),
               few = choose(Approx{1, 1e-6}, shape_of_linear(1000));
  EXPECT_EQ(many.method->name, "limited-objective");
  EXPECT_NE(many.reason.find("at least 12 x curvature"), std::string::npos) << many.reason;
  EXPECT_EQ(few.method->name, "dp-sgd");
  EXPECT_NE(few.reason.find("below 12 x curvature"), std::string::npos) << few.reason;
}

TEST(ChooseMethod, AGivenRegularisationCounts) {
  FitOptions options;
  options.method_options.set("regularisation", 1.0);
  EXPECT_EQ(choose(Approx{1, 1e-6}, shape_of_linear(1000), true, options).method->name, "limited-objective");
}

TEST(ChooseMethod, WithoutBoundsApproxIsDescent) {
  EXPECT_EQ(choose(Approx{1, 1e-6}, shape_of_linear(1000000), false).method->name, "dp-sgd");
}

TEST(ChooseMethod, NetworksAreTrainedByDescent) {
  Shape shape = shape_of_linear(100000);
  shape.loss = Network{8, Activation::tanh, 0};
  shape.hidden = 8;
  for (const Guarantee& guarantee : {Guarantee(Approx{1, 1e-6}), Guarantee(Gaussian{1})})
    EXPECT_EQ(choose(guarantee, shape).method->name, "dp-sgd");
  EXPECT_THROW(choose(Pure{1}, shape), UsageError);
}

TEST(ChooseMethod, MuIsAPosteriorSampleWhereThatCanBeDrawn) {
  EXPECT_EQ(choose(Gaussian{1}, shape_of_linear(20000)).method->name, "posterior-exact");
  EXPECT_EQ(choose(Gaussian{1}, shape_of_linear(100000), false).method->name, "dp-gd");
}

// The reason is written into the certificate, with numbers that follow from the number of records.
TEST(ChooseMethod, SaysNothingOfAPrivateNumberOfRecords) {
  FitOptions options;
  options.neighbours = Neighbours::add_remove;
  options.method_options.set("records", std::int64_t{20000});
  Shape encoded = shape_of_linear(0);
  encoded.blocks = FeatureBlocks({{.size = 14, .bound = 1}, {.size = 1, .bound = 1}});
  for (const Guarantee& guarantee : {Guarantee(Pure{1}), Guarantee(Approx{1, 1e-6}), Guarantee(Gaussian{1})})
    for (Shape shape : {shape_of_linear(0), encoded}) {
      shape.records = 300;
      const Choice here = choose(guarantee, shape, true, options);
      for (const std::size_t records : {1, 299, 20000}) {
        shape.records = records;
        const Choice there = choose(guarantee, shape, true, options);
        EXPECT_EQ(there.method->name, here.method->name) << records;
        EXPECT_EQ(there.reason, here.reason) << records;
      }
    }
}

TEST(ChooseMethod, OptionsAndTheRelationNarrowTheChoice) {
  FitOptions samples;
  samples.method_options.set("samples", std::int64_t{3});
  EXPECT_EQ(choose(Pure{1}, shape_of_linear(1000), true, samples).method->name, "posterior-exact");
  FitOptions epochs;
  epochs.method_options.set("epochs", 3.0);
  EXPECT_EQ(choose(Approx{1, 1e-6}, shape_of_linear(1000000), true, epochs).method->name, "dp-sgd");
  FitOptions absent;
  absent.neighbours = Neighbours::add_remove;
  EXPECT_EQ(choose(Approx{1, 1e-6}, shape_of_linear(1000000), true, absent).method->name, "dp-sgd");
  FitOptions replaced;
  replaced.neighbours = Neighbours::replace_one;
  EXPECT_EQ(choose(Approx{1, 1e-6}, shape_of_linear(100), true, replaced).method->name, "dp-gd");
}

// One column and a delta. Sampled batches beat objective perturbation up to 800 records x epsilon / columns;
// for replace_one, where all records are in every batch, up to 20.
TEST(ChooseMethod, WithADeltaEncodedRecordsGoByWhichDescentIsOnOffer) {
  const auto chosen = [](std::size_t records, Neighbours relation) {
    Shape shape = shape_of_linear(records);
    shape.blocks = FeatureBlocks({{.size = shape.features - 1, .bound = 1}, {.size = 1, .bound = 1}});
    FitOptions options;
    options.neighbours = relation;
    return choose(Approx{1, 1e-6}, shape, true, options).method->name;
  };
  EXPECT_EQ(chosen(700, Neighbours::zero_out), "dp-sgd");
  EXPECT_EQ(chosen(900, Neighbours::zero_out), "limited-objective");
  EXPECT_EQ(chosen(15, Neighbours::replace_one), "dp-gd");
  EXPECT_EQ(chosen(25, Neighbours::replace_one), "limited-objective");
}

TEST(ChooseMethod, NeverTakesAMethodThatAssumesSomething) {
  for (const Guarantee& guarantee :
       {Guarantee(Pure{1}), Guarantee(Gaussian{1}), Guarantee(Approx{1, 1e-6})}) {
    FitOptions options;
    options.guarantee = guarantee;
    for (const Method* method : service::candidates(options)) EXPECT_EQ(method->assumes, "nothing");
  }
}

TEST(ChooseMethod, ANamedMethodIsTakenWithoutAReasonOrRefused) {
  FitOptions options;
  options.method = "limited-output";
  EXPECT_EQ(choose(Pure{1}, shape_of_linear(1000), true, options).method->name, "limited-output");
  EXPECT_EQ(choose(Pure{1}, shape_of_linear(1000), true, options).reason, "");
  options.method = "net-exponential";
  EXPECT_THROW(choose(Gaussian{1}, shape_of_linear(1000), true, options), UsageError);
}

TEST(ChooseMethod, AnOptionOfANetAloneMeansTheNet) {
  FitOptions options;
  options.method_options.set("net_points", std::int64_t{100});
  EXPECT_EQ(choose(Pure{1}, shape_of_linear(1000), true, options).method->name, "net-exponential");
  options.method_options.set("solver", std::string("net-exponential"));
  EXPECT_EQ(choose(Pure{1}, shape_of_linear(1000), true, options).method->name, "localized");
}

TEST(ChooseMethod, TheCertificateNamesTheMethodAndSaysWhy) {
  Dataset data;
  DenseRows rows{2000, 1, {}};
  for (int i = 0; i < 2000; ++i) {
    rows.values.push_back(i / 2000.0);
    data.labels.push_back(i > 900 ? 1.0 : 0.0);
  }
  data.features = Features(std::move(rows));
  data.target_kind = TargetKind::classes;
  data.classes = {"no", "yes"};
  for (const char* name : {"", "auto"}) {
    FitOptions options;
    options.method = name;
    options.row_bound = 1;
    options.guarantee = Approx{1, 1e-6};
    const auto bits = testing::seeded_bits(1);
    const FittedModel model = service::fit(data, options, *bits);
    EXPECT_EQ(model.certificate.method, "dp-sgd");
    const std::string reason = model.certificate.assumed_public.text("method_choice");
    EXPECT_NE(reason.find("below 12"), std::string::npos) << reason;
    EXPECT_NE(summary_json(model.certificate).find("method_choice"), std::string::npos);
  }
}

}  // namespace
}  // namespace tacit
