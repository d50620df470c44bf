#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "data/temp_folder.hpp"
#include "model/digest.hpp"
#include "model/json.hpp"
#include "support/resealed.hpp"
#include "tacit/fit.hpp"
#include "tacit/ledger.hpp"
#include "tacit/service.hpp"
#include "tacit/statistics.hpp"
#include "tacit/verify.hpp"

// Fits whose coefficients have intervals: what they hold, what they cost, and what `verify` finds.

namespace tacit {
namespace {

using testing_data::TempFolder;
using ForgedJson = nlohmann::ordered_json;

class FitIntervals : public ::testing::Test {
 protected:
  FitIntervals() {
    std::string rows = "x,z,region,class,number\n";
    for (int k = 0; k < 6000; ++k)
      rows += fmt::format("{},{},{},{},{}\n", k % 100, (k * 7) % 100, k % 3 == 0 ? "north" : "south",
                          (k % 100 + (k * 13) % 60) > 75 ? "yes" : "no", k % 100 + (k * 17) % 30);
    reading.path = folder.write("people.csv", rows);
    use_target({.column = "class", .classes = {"no", "yes"}});
    options.guarantee = Pure{4};
    options.encoder = EncoderRule::linear;
    options.interval_level = 0.95;
  }
  void use_target(const SchemaTarget& target) {
    Schema schema;
    schema.columns = {{"x", NumericColumn{.min = 0, .max = 100}},
                      {"z", NumericColumn{.min = 0, .max = 100}},
                      {"region", CategoricalColumn{.categories = {"north", "south"}}}};
    schema.ignore_others = true;
    schema.target = target;
    reading.schema = schema;
  }
  FittedModel fit() { return service::fit_file(reading, options); }
  std::string forged(const ForgedJson& json) {
    return folder.write("m.json", testing::resealed(json)).string();
  }

  TempFolder folder;
  ReadOptions reading;
  service::FitOptions options;
};

void expect_ends_around_parameters(const FittedModel& model) {
  ASSERT_TRUE(model.intervals);
  const Intervals& found = *model.intervals;
  ASSERT_EQ(found.lower.size(), model.parameters.size());
  for (Eigen::Index j = 0; j < model.parameters.size(); ++j) {
    EXPECT_LE(found.lower[j], found.minimiser_lower[j]);
    EXPECT_LT(found.minimiser_lower[j], model.parameters[j]);
    EXPECT_LT(model.parameters[j], found.minimiser_upper[j]);
    EXPECT_LE(found.minimiser_upper[j], found.upper[j]);
  }
}

TEST_F(FitIntervals, AreVerifiedForEachNotionMethodAndRelation) {
  for (const Guarantee& guarantee : {Guarantee(Pure{4}), Guarantee(Approx{4, 1e-6}), Guarantee(Gaussian{1})})
    for (const Neighbours relation : {Neighbours::zero_out, Neighbours::replace_one}) {
      options.guarantee = guarantee;
      options.neighbours = relation;
      options.method = std::holds_alternative<Gaussian>(guarantee) ? "limited-output" : "";
      const FittedModel model = fit();
      expect_ends_around_parameters(model);
      EXPECT_EQ(model.certificate.steps.size(), 2U);
      const Verification verified = verify_model(model_to_json(model), "model");
      EXPECT_EQ(verified.model.intervals->lower, model.intervals->lower);
      EXPECT_TRUE(fits(model.certificate.guarantee, guarantee));
    }
}

TEST_F(FitIntervals, GoWithNumbersAndWithRangesThatAreFound) {
  use_target({.column = "number", .min = 0, .max = 130});
  expect_ends_around_parameters(fit());
  reading.schema.reset();
  options.encoder = EncoderRule::automatic;
  options.range_share = 0.3;
  reading.target = "number";
  const FittedModel model = fit();
  EXPECT_TRUE(model.ranges);
  expect_ends_around_parameters(model);
  EXPECT_NO_THROW(verify_model(model_to_json(model), "model"));
}

// A line's points are its coefficient times public numbers, and so are their bands.
TEST_F(FitIntervals, AreTheBandsOfCurves) {
  for (const char* method : {"limited-objective", "limited-output"}) {
    options.method = method;
    const FittedModel model = fit();
    const Curves found = curves(model);
    EXPECT_EQ(found.no_half_width, "");
    EXPECT_EQ(found.level, 0.95);
    const Curve& line = found.curves.at(0);
    ASSERT_EQ(line.name, "x");
    ASSERT_EQ(line.half_width.cols(), line.y.cols());
    const double half = (model.intervals->minimiser_upper[0] - model.intervals->minimiser_lower[0]) / 2;
    const double relative = half / std::fabs(model.parameters[0]);
    for (Eigen::Index k = 0; k < line.y.cols(); ++k)
      EXPECT_NEAR(line.half_width(0, k), relative * std::fabs(line.y(0, k)), 1e-6 * relative) << method;
    const Curve& bars = found.curves.at(2);
    EXPECT_GT(bars.half_width.minCoeff(), 0) << method;
  }
}

TEST_F(FitIntervals, ForgeriesAreFound) {
  const auto honest = ForgedJson::parse(model_to_json(fit()));
  ASSERT_NO_THROW(service::verify_file(forged(honest), ""));
  const auto refused = [&](auto edit, const char* what) {
    ForgedJson json = honest;
    edit(json);
    EXPECT_THROW(service::verify_file(forged(json), ""), VerificationError) << what;
  };
  refused([](auto& j) { j["intervals"]["lower"][0] = j["parameters"][0].template get<double>() - 1e-3; },
          "a narrower interval");
  refused([](auto& j) { j["intervals"]["minimiser"]["upper"][1] = 1e6; }, "a wider one");
  refused([](auto& j) { j["intervals"]["level"] = 0.99; }, "another level");
  refused([](auto& j) { j["intervals"]["released"][0] = 0.123456789; }, "off its grid");
  refused([](auto& j) { j["intervals"]["released"].erase(0); }, "a number left out");
  refused([](auto& j) { j.erase("intervals"); }, "all of them left out");
  refused([](auto& j) { j["certificate"]["steps"].erase(1); }, "their step left out");
  refused([](auto& j) { j["certificate"]["steps"][1]["inner"][0]["scale"] = 1; }, "its noise");
  refused([](auto& j) { j["certificate"]["steps"][1]["event"]["epsilon"] = 0.1; }, "its cost");
  refused([](auto& j) { j["certificate"]["steps"][0]["inner"].erase(1); }, "a step of the fit left out");
  refused([](auto& j) { j["certificate"]["options"]["interval_epsilon"] = 0.1; }, "the option");
  refused([](auto& j) { j["certificate"]["options"]["epsilon"] = 0.1; }, "the fit's epsilon");
  refused([](auto& j) { j["certificate"]["guarantee"]["epsilon"] = 1; }, "the guarantee");
}

TEST_F(FitIntervals, ChargeTheWholeOnceAndNothingWhereThereAreNone) {
  const auto ledger = folder.path() / "people.ledger";
  const LedgerLimit limit{"people", Pure{5}};
  create_ledger(ledger, {}, {&limit, 1});
  options.ledger = service::LedgerUse{ledger, ""};
  const auto charged = [&] { return read_ledger(ledger).budgets[0].charges.size(); };
  const auto refused = [&](const char* what) {
    EXPECT_THROW(fit(), UsageError) << what;
    EXPECT_EQ(charged(), 0U) << what;
  };
  options.method = "double-output";
  refused("a method that does not tell its noise");
  options.method = "";
  options.loss = "hinge";
  refused("a loss with a kink");
  options.loss = "";
  options.interval_level = 1;
  refused("a level of 1");
  options.interval_level = 0.95;
  options.interval_share = 0;
  refused("no share");
  options.interval_share = 0.2;
  options.method = "limited-output";
  options.method_options.set("domain", std::string("ball:3"));
  refused("a domain");
  options.method_options = {};
  options.method = "";
  fit();
  const Ledger after = read_ledger(ledger);
  ASSERT_EQ(charged(), 1U);
  EXPECT_EQ(std::get<Pure>(after.budgets[0].charges[0].amount).epsilon, 4);
}

TEST_F(FitIntervals, APlanTellsTheirStep) {
  const service::PlannedFit plan = service::plan_fit(reading, options, 6000);
  ASSERT_EQ(plan.certificate.steps.size(), 2U);
  EXPECT_EQ(plan.certificate.steps, fit().certificate.steps);
}

TEST_F(FitIntervals, AreInTheReport) {
  const std::string path = folder.write("m.json", service::model_text(fit(), "")).string();
  const std::string page = service::report(path, "").page;
  EXPECT_NE(page.find("Of the population, 95 %"), std::string::npos);
  EXPECT_NE(page.find("Without noise, 95 %"), std::string::npos);
}

// ---- Groups of a public column.

TEST_F(FitIntervals, AGroupIsFittedAloneAndChargedAsOne) {
  const auto ledger = folder.path() / "people.ledger";
  const LedgerLimit limit{"people", Pure{5}};
  create_ledger(ledger, {}, {&limit, 1});
  options.ledger = service::LedgerUse{ledger, ""};
  options.interval_level.reset();
  for (const char* value : {"north", "south"}) {
    options.group = LedgerGroup{"region", value};
    const FittedModel model = fit();
    EXPECT_EQ(model.certificate.assumed_public.integer("records"),
              std::string(value) == "north" ? 2000 : 4000);
    EXPECT_EQ(model.certificate.assumed_public.text("group_of"), std::string("region=") + value);
    EXPECT_EQ(model.certificate.assumptions.size(), 1U);
    EXPECT_NO_THROW(verify_model(model_to_json(model), "model"));
  }
  EXPECT_EQ(std::get<Pure>(spent(read_ledger(ledger).budgets[0])).epsilon, 4);
  options.group = LedgerGroup{"region", "west"};
  EXPECT_THROW(fit(), UsageError);
  options.group = LedgerGroup{"x", "1"};
  EXPECT_THROW(fit(), UsageError);
}

TEST_F(FitIntervals, AreForRecordsAndRefusedForPeople) {
  reading.schema->columns.erase(reading.schema->columns.begin());
  reading.user = "x";
  options.guarantee = Approx{4, 1e-6};
  try {
    fit();
    ADD_FAILURE() << "people have no intervals";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("intervals"), std::string::npos) << error.what();
  }
  options.interval_level.reset();
  EXPECT_EQ(fit().certificate.unit, Unit::user);
}

}  // namespace
}  // namespace tacit
