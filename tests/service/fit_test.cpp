#include "tacit/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/model.hpp"
#include "tacit/service.hpp"
#include "tacit/verify.hpp"

namespace tacit {
namespace {

// Two features in [0, 1]; labels by `label` of them.
template <class Label>
Dataset grid(TargetKind kind, std::vector<std::string> classes, Label label, int side = 30) {
  DenseRows rows{static_cast<std::size_t>(side * side), 2, {}};
  Dataset data;
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      const double a = i / (side - 1.0), b = j / (side - 1.0);
      rows.values.insert(rows.values.end(), {a, b});
      data.labels.push_back(label(a, b));
    }
  data.features = Features(std::move(rows));
  data.target_kind = kind;
  data.classes = std::move(classes);
  return data;
}

Dataset two_classes() {
  return grid(TargetKind::classes, {"no", "yes"}, [](double a, double b) { return a > b ? 1.0 : 0.0; });
}
Dataset numbers() {
  return grid(TargetKind::numeric, {}, [](double a, double b) { return 100 + 20 * a - 10 * b; });
}

service::FitOptions options_with(double epsilon) {
  service::FitOptions options;
  options.guarantee = service::requested_guarantee(epsilon, {}, {});
  options.row_bound = 1.5;
  return options;
}

FittedModel fit_seeded(const Dataset& data, const service::FitOptions& options) {
  const auto bits = testing::seeded_bits(1);
  return service::fit(data, options, *bits);
}

template <class E>
std::string message_of(const Dataset& data, const service::FitOptions& options) {
  try {
    fit_seeded(data, options);
  } catch (const E& error) {
    return error.what();
  }
  return "no error";
}

TEST(ServiceFit, TheLossFollowsTheTarget) {
  const auto options = options_with(std::numeric_limits<double>::infinity());
  EXPECT_EQ(name(fit_seeded(two_classes(), options).loss), "logistic");
  EXPECT_EQ(name(fit_seeded(numbers(), options).loss), "squared");
  const Dataset three = grid(TargetKind::classes, {"a", "b", "c"},
                             [](double a, double b) { return std::floor(1.4 * (a + b)); });
  EXPECT_EQ(name(fit_seeded(three, options).loss), "softmax");
}

TEST(ServiceFit, TheSecondClassIsThePositiveOne) {
  const FittedModel model = fit_seeded(two_classes(), options_with(10));
  EXPECT_GT(model.parameters[0], 0);  // a speaks for "yes", b against it
  EXPECT_LT(model.parameters[1], 0);
}

TEST(ServiceFit, ARealFitVerifiesAndASeededOneDoesNot) {
  const FittedModel real = service::fit(two_classes(), options_with(1));
  EXPECT_NO_THROW(verify_model(model_to_json(real), "m"));
  const FittedModel seeded = fit_seeded(two_classes(), options_with(1));
  EXPECT_TRUE(seeded.certificate.seeded);
  EXPECT_THROW(verify_model(model_to_json(seeded), "m"), VerificationError);
}

// A table without any record is refused: where its neighbour may be one, that is said.
TEST(ServiceFit, StatesThatThereAreRecordsWhereTheirNumberIsStatedOrPrivate) {
  const auto says = [](const FittedModel& model) {
    EXPECT_NO_THROW(verify_model(model_to_json(model), "m"));
    return std::ranges::any_of(model.certificate.assumptions, [](const std::string& assumption) {
      return assumption.starts_with("that there is at least one record");
    });
  };
  service::FitOptions options = options_with(1);
  EXPECT_FALSE(says(service::fit(two_classes(), options)));
  options.method_options.set("records", std::int64_t{100000});
  EXPECT_TRUE(says(service::fit(two_classes(), options)));
  options.neighbours = Neighbours::add_remove;
  EXPECT_TRUE(says(service::fit(two_classes(), options)));
}

TEST(ServiceFit, TheSameBitsGiveTheSameModelForAnyNumberOfThreads) {
  auto options = options_with(1);
  options.threads = 1;
  const std::string one = model_to_json(fit_seeded(two_classes(), options));
  options.threads = 3;
  EXPECT_EQ(model_to_json(fit_seeded(two_classes(), options)), one);
}

TEST(ServiceFit, BoundsOfTheTargetAreMappedOntoOneAndBack) {
  auto options = options_with(50);
  options.target_min = 90;
  options.target_max = 120;
  for (const char* loss : {"squared", "huber", "absolute", "pinball"}) {
    options.loss = loss;
    const FittedModel model = fit_seeded(numbers(), options);
    EXPECT_EQ(model.offset, 105);
    EXPECT_EQ(model.scale, 15);
    EXPECT_EQ(model.certificate.assumed_public.number("label_bound"), 1);
    EXPECT_LT(*evaluate(model, numbers()).rmse, 6) << loss;
  }
}

TEST(ServiceFit, LabelsBeyondTheBoundsCountAsTheBounds) {
  auto options = options_with(5);
  options.target_min = 90;
  options.target_max = 120;
  Dataset wild = numbers(), tame = numbers();
  wild.labels[0] = 1e300;
  tame.labels[0] = 120;
  EXPECT_EQ(fit_seeded(wild, options).parameters, fit_seeded(tame, options).parameters);
}

TEST(ServiceFit, CountsAreNotScaledButCut) {
  Dataset wild = grid(TargetKind::numeric, {}, [](double a, double) { return std::round(4 * a); });
  Dataset tame = wild;
  wild.labels[0] = -3;
  wild.labels[1] = 1000;
  tame.labels[0] = 0;
  tame.labels[1] = 8;
  auto options = options_with(5);
  options.loss = "poisson";
  options.target_max = 8;
  const FittedModel model = fit_seeded(wild, options);
  EXPECT_EQ(model.scale, 1);
  EXPECT_EQ(model.parameters, fit_seeded(tame, options).parameters);
}

// Raw columns and labels in the thousands: a kink is far narrower than the way to go.
TEST(ServiceFit, WithoutPrivacyRawUnitsDoNotStopAKinkedLoss) {
  const Dataset data =
      grid(TargetKind::numeric, {}, [](double a, double b) { return 5e5 + 2e5 * a - 1e5 * b; });
  service::FitOptions options;
  options.guarantee = NoPrivacy{};
  options.loss = "absolute";
  EXPECT_LT(*evaluate(service::fit(data, options), data).mae, 100);
  options.loss = "huber";
  options.loss_parameter = 1e-3;
  try {
    EXPECT_LT(*evaluate(service::fit(data, options), data).mae, 100);
  } catch (const InfeasibleError& error) {
    EXPECT_NE(std::string(error.what()).find("does not converge"), std::string::npos);
  }
}

TEST(ServiceFit, WithoutBoundsAndWithoutAPrivateChoiceTheMethodSaysWhatItNeeds) {
  service::FitOptions unbounded = options_with(1);
  unbounded.method_options.set("limit_share", 0.0);
  EXPECT_NE(message_of<UsageError>(numbers(), unbounded).find("a label-bound"), std::string::npos);
  unbounded.row_bound.reset();
  EXPECT_NE(message_of<UsageError>(two_classes(), unbounded), "no error");
}

TEST(ServiceFit, TheNumbersGivenSayWhichGuaranteeIsAskedFor) {
  using service::requested_guarantee;
  EXPECT_EQ(notion(requested_guarantee(1, {}, {})), "pure");
  EXPECT_EQ(notion(requested_guarantee(1, 1e-6, {})), "approx");
  EXPECT_EQ(notion(requested_guarantee({}, {}, 1)), "gaussian");
  EXPECT_EQ(notion(requested_guarantee(INFINITY, {}, {})), "none");
  EXPECT_THROW(requested_guarantee({}, {}, {}), UsageError);
  EXPECT_THROW(requested_guarantee({}, 1e-6, {}), UsageError);
  EXPECT_THROW(requested_guarantee(1, {}, 1), UsageError);
  EXPECT_THROW(requested_guarantee({}, 1e-6, 1), UsageError);
  EXPECT_THROW(requested_guarantee(INFINITY, 1e-6, {}), UsageError);
  for (const double bad : {0.0, -1.0, std::nan("")})
    EXPECT_THROW(requested_guarantee(bad, {}, {}), UsageError);
  for (const double bad : {0.0, 1.0, std::nan("")}) EXPECT_THROW(requested_guarantee(1, bad, {}), UsageError);
}

TEST(ServiceFit, RefusesWhatContradictsItself) {
  service::FitOptions negative;
  negative.guarantee = Pure{-1};
  EXPECT_NE(message_of<UsageError>(two_classes(), negative).find("epsilon is -1"), std::string::npos);
  auto options = options_with(1);
  options.loss = "squared";
  EXPECT_NE(message_of<UsageError>(two_classes(), options).find("needs numbers"), std::string::npos);
  options.loss = "hinge";
  EXPECT_NE(message_of<UsageError>(numbers(), options).find("needs classes"), std::string::npos);
  options.loss_parameter = 2;
  EXPECT_NE(message_of<UsageError>(two_classes(), options).find("no parameter"), std::string::npos);
  options = options_with(1);
  options.method = "plain";
  EXPECT_NE(message_of<UsageError>(two_classes(), options).find("gives no privacy"), std::string::npos);
  options.method = "";
  options.method_options.set("colour", std::string("blue"));
  EXPECT_NE(message_of<UsageError>(two_classes(), options).find("colour is not an option"),
            std::string::npos);
}

TEST(ServiceFit, LabelsThatAreNoClassesAndNamesOfOtherFeaturesAreRefused) {
  Dataset data = two_classes();
  data.labels[3] = 7;
  EXPECT_EQ(message_of<DataError>(data, options_with(1)),
            "record 3: the label is 7, expected the number of a class, 0 to 1");
  data.labels[3] = 0.5;
  EXPECT_NE(message_of<DataError>(data, options_with(1)).find("the label is 0.5"), std::string::npos);
  data.labels[3] = 0;
  data.classes.clear();
  EXPECT_EQ(message_of<DataError>(data, options_with(1)),
            "the target has classes, but their names are not given, expected at least 2");
  data.classes = {"no", "yes"};
  data.names = {"a", "b", "c"};
  EXPECT_EQ(message_of<DataError>(data, options_with(1)), "2 features have 3 names");
  data.names.pop_back();
  EXPECT_EQ(fit_seeded(data, options_with(1)).names, data.names);
}

TEST(ServiceFit, ANameThatNoFileCanHoldIsFoundBeforeTheBudgetIsSpent) {
  Dataset data = two_classes();
  data.classes[0] = "\xc3\x28";
  auto options = options_with(1);
  options.before_each_step = [](const Step&) { FAIL() << "a step was taken"; };
  EXPECT_NE(message_of<DataError>(data, options).find("UTF-8"), std::string::npos);
}

TEST(ServiceFit, NothingIsReleasedWhenTheLedgerRefuses) {
  auto options = options_with(1);
  options.before_each_step = [](const Step&) { throw BudgetError("the limit is reached"); };
  EXPECT_EQ(message_of<BudgetError>(two_classes(), options), "the limit is reached");
}

TEST(ServiceFit, NothingInTheModelButItsParametersDependsOnTheRecords) {
  // Neighbours with other bits: every other byte of the model agrees.
  Dataset neighbour = two_classes();
  neighbour.labels[0] = 1;
  FittedModel a = fit_seeded(two_classes(), options_with(1)), b = fit_seeded(neighbour, options_with(1));
  b.parameters = a.parameters;
  EXPECT_EQ(model_to_json(a), model_to_json(b));
}

TEST(ServiceOptions, AreReadByTheirKind) {
  const OptionSpec number{"slope-limit", OptionKind::number, "", "> 0", ""};
  EXPECT_EQ(std::get<double>(service::parse_option(number, "1e-3")), 1e-3);
  EXPECT_THROW(service::parse_option(number, "1e-3x"), UsageError);
  const OptionSpec integer{"rounds", OptionKind::integer, "", ">= 1", ""};
  EXPECT_EQ(std::get<std::int64_t>(service::parse_option(integer, "12")), 12);
  EXPECT_THROW(service::parse_option(integer, "1.5"), UsageError);
  EXPECT_EQ(service::fact_name("slope-limit"), "slope_limit");
}

// Rows in units of 1000, labels around 100; nothing about them is said.
TEST(ServiceFit, WithoutBoundsChoosesSizesPrivatelyAndVerifies) {
  Dataset data = grid(
      TargetKind::numeric, {}, [](double a, double b) { return 100 + 20 * a - 10 * b; }, 60);
  DenseRows rows = data.features.dense_rows();
  for (double& x : rows.values) x *= 1000;
  data.features = Features(std::move(rows));
  for (const char* method : {"limited-objective", "limited-output"}) {
    const FittedModel model = service::fit(data, {.method = method, .guarantee = Pure{4}});
    EXPECT_NO_THROW(verify_model(model_to_json(model), "m.json", std::nullopt, methods()));
    EXPECT_EQ(model.certificate.options.text("limits"), "chosen privately");
    EXPECT_FALSE(model.certificate.assumed_public.has("row_norm_bound"));

    FittedModel edited = model;
    edited.certificate.options.set("limit_share", 0.3);
    EXPECT_THROW(verify_model(model_to_json(edited), "m.json", std::nullopt, methods()), VerificationError);
    edited = model;
    edited.certificate.options.set("slope_limit", 2 * model.certificate.options.number("slope_limit"));
    EXPECT_THROW(verify_model(model_to_json(edited), "m.json", std::nullopt, methods()), VerificationError);
    edited = model;
    edited.certificate.steps.erase(edited.certificate.steps.begin());
    EXPECT_THROW(verify_model(model_to_json(edited), "m.json", std::nullopt, methods()), VerificationError);
  }
  // The labels' deviation is 6.5: a fit that learns something is below. n = 3600, ε = 4, fixed bits.
  EXPECT_LT(*evaluate(fit_seeded(data, {.guarantee = Pure{4}}), data).rmse, 3);
}

TEST(ServiceFit, AChoiceOnANetVerifiesAndAPointBesideTheNetDoesNot) {
  service::FitOptions options = options_with(1);
  options.method = "net-exponential";
  FittedModel model = service::fit(two_classes(), options);
  EXPECT_NO_THROW(verify_model(model_to_json(model), "m.json", std::nullopt, methods()));
  model.parameters[0] += 0.25 * model.certificate.options.number("net_spacing");
  EXPECT_THROW(verify_model(model_to_json(model), "m.json", std::nullopt, methods()), VerificationError);
}

TEST(ServiceFit, ChoicesOnNetsPhaseByPhaseVerifyAndAPointBesideTheLastGridDoesNot) {
  service::FitOptions options = options_with(1);
  options.method = "localized";
  options.method_options.set("solver", std::string("net-exponential"));
  options.method_options.set("net_points", std::int64_t{400});
  FittedModel model = service::fit(two_classes(), options);
  EXPECT_EQ(model.certificate.options.integer("net_points"), 400);
  EXPECT_NO_THROW(verify_model(model_to_json(model), "m.json", std::nullopt, methods()));
  FittedModel edited = model;
  edited.certificate.options.set("net_points", std::int64_t{4096});
  EXPECT_THROW(verify_model(model_to_json(edited), "m.json", std::nullopt, methods()), VerificationError);
  model.parameters[0] += 0.5 * model.certificate.steps.back().grid;
  EXPECT_THROW(verify_model(model_to_json(model), "m.json", std::nullopt, methods()), VerificationError);
}

TEST(ServiceFit, AChoiceInABallVerifiesAndAPointBesideItsGridDoesNot) {
  service::FitOptions options = options_with(0.1);
  options.method = "localized-exponential";
  FittedModel model = service::fit(two_classes(), options);
  EXPECT_NO_THROW(verify_model(model_to_json(model), "m.json", std::nullopt, methods()));
  model.parameters[0] += 0.25 * model.certificate.steps.back().grid;
  EXPECT_THROW(verify_model(model_to_json(model), "m.json", std::nullopt, methods()), VerificationError);
}

}  // namespace
}  // namespace tacit
