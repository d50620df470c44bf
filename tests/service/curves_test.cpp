#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tacit/core.hpp"
#include "tacit/service.hpp"

namespace tacit {
namespace {

FittedModel model_with(const std::string& columns, LossSpec loss, std::vector<std::string> classes) {
  FittedModel model;
  model.loss = loss;
  model.classes = std::move(classes);
  model.schema = parse_schema(fmt::format(R"({{"columns": {}, "pairs": [["x", "job"]]}})", columns), "s");
  model.features = encoded_columns(*model.schema);
  model.names = feature_names(*model.schema);
  const std::size_t outputs = std::holds_alternative<Softmax>(loss) ? model.classes.size() - 1 : 1;
  model.parameters = Vector(static_cast<Eigen::Index>(outputs * (model.features + 1)));
  for (Eigen::Index k = 0; k < model.parameters.size(); ++k)
    model.parameters[k] = std::sin(3.0 * static_cast<double>(k + 1));
  model.certificate.guarantee = NoPrivacy{};
  return model;
}

const char* const columns = R"({"x": {"type": "numeric", "min": 0, "max": 8, "knots": 3},
                                "job": {"type": "categorical", "categories": ["<b>&\"'", "b"]}})";

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(CurvesJson, HasPointsAndValuesOfEveryShape) {
  const auto json = nlohmann::json::parse(
      service::curves_json(model_with(columns, Link{LinkKind::logistic}, {"no", "yes"})));
  EXPECT_EQ(json["adds_to"], "the score for yes (against no)");
  EXPECT_EQ(json["curves"]["x"]["kind"], "curve");
  EXPECT_EQ(json["curves"]["x"]["x"], (std::vector<double>{0, 4, 8}));
  EXPECT_EQ(json["curves"]["x"]["y"].size(), 3U);
  EXPECT_EQ(json["curves"]["job"]["kind"], "bars");
  EXPECT_EQ(json["curves"]["job"]["x"][2], "other");
  const auto& pair = json["curves"]["x*job"];
  EXPECT_EQ(pair["kind"], "surface");
  EXPECT_EQ(pair["x"].size(), 2U);
  ASSERT_EQ(pair["y"].size(), 3U);
  EXPECT_EQ(pair["y"][0].size(), 3U);
  EXPECT_TRUE(pair["interval"].is_null());
}

TEST(CurvesJson, HasARowForEveryClassOfASoftmax) {
  const auto json =
      nlohmann::json::parse(service::curves_json(model_with(columns, Softmax{3}, {"r", "g", "b"})));
  EXPECT_EQ(json["outputs"], (std::vector<std::string>{"r", "g", "b"}));
  EXPECT_EQ(json["constant"].size(), 3U);
  EXPECT_EQ(json["curves"]["x"]["y"].size(), 3U);
  EXPECT_EQ(json["curves"]["x"]["y"][0].size(), 3U);
  EXPECT_EQ(json["curves"]["x*job"]["y"][2][1].size(), 3U);
}

TEST(CurvesSvg, ShowsNamesAsTextAndHasAPanelForEachClassOfAPair) {
  const std::string two =
      service::curves_svg(model_with(columns, Link{LinkKind::logistic}, {"no", "yes"}), "");
  EXPECT_NE(two.find("&lt;b&gt;&amp;&quot;&#39;"), std::string::npos);
  EXPECT_EQ(two.find("<b>"), std::string::npos);
  EXPECT_EQ(count(two, "<g transform"), 3U);
  const std::string three = service::curves_svg(model_with(columns, Softmax{3}, {"r", "g", "b"}), "");
  EXPECT_EQ(count(three, "<g transform"), 5U);
  EXPECT_NE(three.find(">x*job: g<"), std::string::npos);
  for (const std::string& svg : {two, three}) EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(CurvesSvg, DrawsAModelOfZerosAndRangesOfAnySize) {
  FittedModel model = model_with(
      R"({"x": {"type": "numeric", "min": -1e300, "max": 1e300, "knots": 3},
          "tiny": {"type": "numeric", "min": 0, "max": 1e-9, "knots": 5, "transform": "log1p"},
          "job": {"type": "categorical", "categories": ["a"]}})",
      Link{LinkKind::squared}, {});
  EXPECT_EQ(service::curves_svg(model, "").find("nan"), std::string::npos);
  model.parameters.setZero();
  const std::string svg = service::curves_svg(model, "");
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(CurvesSvg, ListsTheColumnsWhenThereIsNoSuch) {
  const FittedModel model = model_with(columns, Link{LinkKind::squared}, {});
  try {
    service::curves_svg(model, "y");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "there is no column \"y\", expected one of x, job, x*job");
  }
  EXPECT_NE(service::curves_svg(model, "x*job").find("up: job"), std::string::npos);
}

}  // namespace
}  // namespace tacit
