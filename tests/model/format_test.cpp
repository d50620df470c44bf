#include "tacit/model.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "sample_model.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

using testing::sample_model;

std::string refusal_of(std::string_view text) {
  try {
    parse_model(text, "m.json");
  } catch (const DataError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ModelFormat, BeginsWithItsNameAndVersion) {
  EXPECT_TRUE(model_to_json(sample_model()).starts_with("{\"format\": \"tacit-model\", \"version\": 2"));
}

TEST(ModelFormat, KeepsEveryFloatExactly) {
  std::mt19937_64 random(1);
  FittedModel model = sample_model();
  for (int round = 0; round < 2000; ++round) {
    for (double& parameter : model.parameters) do
        parameter = std::bit_cast<double>(random());
      while (!std::isfinite(parameter));
    const FittedModel read = parse_model(model_to_json(model), "m.json");
    for (Eigen::Index k = 0; k < 3; ++k)
      ASSERT_EQ(std::bit_cast<std::uint64_t>(read.parameters[k]),
                std::bit_cast<std::uint64_t>(model.parameters[k]));
  }
}

TEST(ModelFormat, RoundTripGivesTheSameBytes) {
  FittedModel model = sample_model();
  model.schema = Schema{.columns = {{"age", NumericColumn{0, 100, false, 40}},
                                    {"job", CategoricalColumn{{"a", "b"}, std::nullopt}}},
                        .target = SchemaTarget{"income", {"<=50K", ">50K"}, {}, {}},
                        .user = "",
                        .ignore_others = false,
                        .drafted_from_data = true};
  const std::string text = model_to_json(model);
  EXPECT_EQ(model_to_json(parse_model(text, "m.json")), text);
}

TEST(ModelFormat, RoundTripsEveryLossAndEvent) {
  for (const char* loss : {"squared", "huber", "absolute", "pinball", "poisson", "hinge", "smoothed-hinge"}) {
    FittedModel model = sample_model();
    model.loss = parse_link(loss);
    if (!classifies(model.loss)) model.classes.clear();
    model.certificate.steps = {
        {.mechanism = "a", .event = LaplaceEvent{0.1}, .sensitivity = {}},
        {.mechanism = "b", .event = GaussianEvent{0.3}, .sensitivity = {}},
        {.mechanism = "c", .event = PoissonGaussianEvent{1.1, 0.01, 1000}, .sensitivity = {}},
        {.mechanism = "d", .event = BoundedRangeEvent{0.5}, .sensitivity = {}},
        {.mechanism = "e", .event = ApproxEvent{0.5, 1e-6}, .sensitivity = {}},
        {.mechanism = "f", .event = DeltaEvent{1e-18}, .sensitivity = {}},
        {.mechanism = "g", .event = OpenEvent{}, .sensitivity = {}}};
    for (const Guarantee& guarantee : {Guarantee(NoPrivacy{}), Guarantee(Gaussian{0.5}), Guarantee(Zcdp{0.1}),
                                       Guarantee(Renyi{{2, 4}, {0.1, 0.3}}), Guarantee(Approx{1, 1e-6})}) {
      model.certificate.guarantee = guarantee;
      const std::string text = model_to_json(model);
      EXPECT_EQ(model_to_json(parse_model(text, "m.json")), text) << loss;
    }
  }
  FittedModel model = sample_model();
  model.loss = Softmax{3};
  model.classes = {"a", "b", "c"};
  model.parameters = Vector::LinSpaced(6, 0, 1);
  const std::string text = model_to_json(model);
  EXPECT_EQ(model_to_json(parse_model(text, "m.json")), text);
}

TEST(ModelFormat, InfiniteOptionsSurviveTheRoundTrip) {
  const FittedModel read = parse_model(model_to_json(sample_model()), "m.json");
  EXPECT_EQ(read.certificate.options.number("tolerance"), std::numeric_limits<double>::infinity());
}

TEST(ModelFormat, EveryTruncationIsRefused) {
  const std::string text = model_to_json(sample_model());
  EXPECT_NE(refusal_of("").find("the file is empty"), std::string::npos);
  for (std::size_t size = 1; size + 2 < text.size(); size += 7)
    ASSERT_NE(refusal_of(text.substr(0, size)).find("the file ends in the middle"), std::string::npos)
        << size;
}

TEST(ModelFormat, ANewerVersionIsRefusedByItsNumber) {
  auto json = nlohmann::ordered_json::parse(model_to_json(sample_model()));
  json["version"] = 3;
  EXPECT_EQ(refusal_of(json.dump()), "m.json: format version 3 is newer than the 2 that this tacit reads");
}

TEST(ModelFormat, RefusesWhatIsNotAModel) {
  EXPECT_NE(refusal_of("[]").find("not a tacit model"), std::string::npos);
  EXPECT_NE(refusal_of("{\"format\": \"other\"}").find("not a tacit model"), std::string::npos);
  EXPECT_EQ(refusal_of("hello"), "m.json: not valid JSON at byte 1, expected a JSON file, such as a model");
  EXPECT_EQ(refusal_of("{\"format\" 1}"), "m.json: not valid JSON at byte 11");
  EXPECT_NE(refusal_of("{\"columns\": {}}").find("a schema without a certificate"), std::string::npos);
  EXPECT_NE(refusal_of(std::string(100000, '[')).find("nested"), std::string::npos);
}

TEST(ModelFormat, RefusesAKeyThatAppearsTwice) {
  std::string text = model_to_json(sample_model());
  text.insert(1, "\"digest\": \"sha256:00\", ");
  EXPECT_EQ(refusal_of(text), "m.json: the key \"digest\" appears twice");
}

TEST(ModelFormat, RefusesPartsThatDoNotFitEachOther) {
  const auto changed = [](const char* key, const nlohmann::ordered_json& value) {
    auto json = nlohmann::ordered_json::parse(model_to_json(sample_model()));
    json[nlohmann::ordered_json::json_pointer(key)] = value;
    return refusal_of(json.dump());
  };
  EXPECT_NE(changed("/parameters", {1.0, 2.0}).find("2 parameters"), std::string::npos);
  EXPECT_NE(changed("/parameters", {1.0, 2.0, "inf"}).find("not a finite number"), std::string::npos);
  EXPECT_NE(changed("/target/classes", {"a", "b", "c"}).find("3 classes"), std::string::npos);
  EXPECT_NE(changed("/loss/name", "magic").find("magic"), std::string::npos);
  EXPECT_NE(changed("/certificate/unit", "village").find("village"), std::string::npos);
}

TEST(ModelFormat, ANameThatIsNotUtf8IsADataError) {
  FittedModel model = sample_model();
  model.classes[0] = "\xff\xfe";
  EXPECT_THROW(model_to_json(model), DataError);
}

TEST(ModelFormat, TheSummaryHasWhatMachinesRead) {
  const auto json = nlohmann::json::parse(summary_json(sample_model().certificate));
  EXPECT_EQ(json["guarantee"]["notion"], "pure");
  EXPECT_EQ(json["guarantee"]["epsilon"], 1.0);
  EXPECT_EQ(json["unit"], "item");
  EXPECT_EQ(json["neighbours"], "replace_one");
  EXPECT_EQ(json["method"], "two-step");
  EXPECT_EQ(json["private"], true);
}

}  // namespace
}  // namespace tacit
