// What a model tells of categories that no record has: their noise, against simulated fits, and the warning.

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "encoder_fit.hpp"
#include "tacit/verify.hpp"

namespace tacit {
namespace {

class AbsentNoise : public testing::EncoderFit {
 protected:
  // 300 records, of 12 categories two in use, and a number.
  void write_table(const std::string& more, const std::vector<std::string>& classes) {
    std::string text = "c,x,y\n", listed, named;
    for (std::size_t k = 0; k < 300; ++k)
      text += fmt::format("{},{},{}\n", k % 2 ? "v0" : "v1", k % 7, classes[k % classes.size()]);
    for (int k = 0; k < categories; ++k) listed += fmt::format("{}\"v{}\"", k == 0 ? "" : ", ", k);
    for (const std::string& one : classes) named += fmt::format("{}\"{}\"", named.empty() ? "" : ", ", one);
    reading_.path = write("t.csv", text);
    reading_.schema =
        parse_schema(fmt::format(R"({{"columns": {{"c": {{"type": "categorical", "categories": [{}]{}}},
                        "x": {{"type": "numeric", "min": 0, "max": 6, "knots": 5}}}},
                        "target": {{"column": "y", "classes": [{}]}}}})",
                                 listed, more, named),
                     "s");
  }
  static constexpr int categories = 12, in_use = 2;
};

// The mean square of the coefficients of ten categories that no record has, over 400 fits with fixed seeds,
// against what the first model tells. Fits are independent, so their means have a standard error; it is below
// 4 % of what is told, and the two agree within five of them (false alarm: 6e-7 a comparison). Told 25 % too
// much or too little in the mean square, they would not.
TEST_F(AbsentNoise, IsThatOfSimulatedFits) {
  struct Case {
    std::string more;
    std::vector<std::string> classes;
    Guarantee guarantee;
    bool in_plane;
  };
  const std::vector<std::string> two{"in", "out"}, three{"r", "g", "b"};
  for (const Case& each : {Case{R"(, "other": 1)", two, Pure{2}, true}, Case{"", two, Pure{2}, true},
                           Case{R"(, "other": 1)", three, Pure{2}, false},
                           Case{R"(, "other": 1)", two, Approx{0.3, 1e-3}, true}}) {
    write_table(each.more, each.classes);
    service::FitOptions options;
    options.guarantee = each.guarantee;
    options.method = "limited-objective";
    constexpr int fits = 400;
    double sum = 0, squares = 0;
    Matrix told;
    for (int seed = 0; seed < fits; ++seed) {
      const auto bits = testing::seeded_bits(static_cast<std::uint64_t>(1000 + seed));
      const FittedModel model = service::fit_file(reading_, options, *bits);
      if (seed == 0) {
        told = curves(model).curves.at(0).noise;
        const Facts& stated = model.certificate.options;
        if (stated.has("feature_blocks")) {
          EXPECT_EQ(FeatureBlocks::parse(stated.text("feature_blocks")).in_plane(), each.in_plane);
        }
      }
      const Matrix absent = coefficients(model).values.middleRows(in_use, categories - in_use);
      const double mean = absent.squaredNorm() / static_cast<double>(absent.size());
      sum += mean / fits;
      squares += mean * mean / fits;
    }
    ASSERT_EQ(told.cols(), categories + 1);
    const double expected = told.col(in_use).squaredNorm() / static_cast<double>(told.rows());
    const double error = std::sqrt((squares - sum * sum) / fits);
    EXPECT_LT(error, 0.04 * expected);
    EXPECT_LT(std::fabs(sum - expected), 5 * error) << each.more << " " << each.classes.size();
    EXPECT_GT(std::fabs(sum - 1.25 * expected), 5 * error);
    EXPECT_GT(std::fabs(sum - 0.8 * expected), 5 * error * 0.8);
  }
}

TEST_F(AbsentNoise, OfAValueThatIsNotListedIsAsMuchShorterAsTheSchemaSays) {
  write_table(R"(, "other": 0.25)", {"in", "out"});
  const Curve found = curves(fit(service::FitOptions{})).curves.at(0);
  EXPECT_NEAR(found.noise(0, categories), 0.25 * found.noise(0, 0), 1e-12);
}

// In the JSON, behind the bars of the figure, and nowhere where it is not known.
TEST_F(AbsentNoise, IsShown) {
  write_table("", {"in", "out"});
  const FittedModel model = fit(service::FitOptions{});
  const auto json = nlohmann::json::parse(service::curves_json(model));
  EXPECT_EQ(json["curves"]["c"]["noise"].size(), categories + 1U);
  EXPECT_TRUE(json["no_noise"].is_null());
  EXPECT_NE(service::curves_svg(model, "").find("class='noise'"), std::string::npos);

  FittedModel forged = model;
  forged.certificate.options.set("feature_blocks", std::string("3=1,1=1"));
  EXPECT_EQ(curves(forged).curves.at(0).noise.size(), 0);
  EXPECT_FALSE(curves(forged).no_noise.empty());

  service::FitOptions descent;
  descent.guarantee = Approx{1, 1e-6};
  descent.method = "dp-sgd";
  const auto other = nlohmann::json::parse(service::curves_json(fit(descent)));
  EXPECT_TRUE(other["curves"]["c"]["noise"].is_null());
  EXPECT_EQ(other["no_noise"], "of dp-sgd it is not worked out from public values");
}

TEST_F(AbsentNoise, IsShownBehindCurvesAndLines) {
  std::string text = "x,z,y\n";
  for (int k = 0; k < 2000; ++k) text += fmt::format("{},{},{}\n", k % 50, k % 7, k % 50 < 25 ? "in" : "out");
  reading_.path = write("numbers.csv", text);
  reading_.schema = parse_schema(R"({"columns": {"x": {"type": "numeric", "min": 0, "max": 100, "knots": 5},
                                     "z": {"type": "numeric", "min": 0, "max": 7, "knots": 1}},
                       "target": {"column": "y", "classes": ["in", "out"]}})",
                                 "s");
  const FittedModel model = fit(service::FitOptions{});
  for (const char* column : {"x", "z"}) {
    const std::string svg = service::curves_svg(model, column);
    EXPECT_NE(svg.find("<path class='noise'"), std::string::npos) << column;
    EXPECT_NE(svg.find("a point of a curve, that no record has"), std::string::npos);
  }
}

// One output with 4096 hashed buckets, of which 40 texts use at most 40: the minimiser is found by conjugate
// gradients. The buckets in use tell the classes apart, the file verifies, and the root mean square of the
// 4056 coefficients or more that are noise alone is what is told, within 10 % (their standard error is 2 %).
TEST_F(AbsentNoise, OfFourThousandBucketsIsTold) {
  std::string text = "word,y\n";
  for (int k = 0; k < 2000; ++k) text += fmt::format("word{},{}\n", k % 40, k % 40 < 20 ? "in" : "out");
  reading_.path = write("words.csv", text);
  reading_.schema = parse_schema(R"({"columns": {"word": {"type": "hashed", "buckets": 4096}},
                                     "target": {"column": "y", "classes": ["in", "out"]}})",
                                 "s");
  service::FitOptions options;
  options.guarantee = Pure{2};
  const FittedModel model = fit(options);
  ASSERT_EQ(model.features, 4096U);
  EXPECT_GT(score(model).accuracy.value(), 0.9);
  EXPECT_NO_THROW(verify_model(model_to_json(service::fit_file(reading_, options)), "m"));
  const Vector words = coefficients(model).values.col(0);
  const Dataset rows = service::read_for_prediction(model, file());
  std::vector<bool> used(4096, false);
  for (std::size_t i = 0; i < 40; ++i) {
    RowRoom room;
    const RowView row = rows.features.row(i, room);
    for (std::size_t k = 0; k < row.size; ++k) used[row.columns[k]] = true;
  }
  double squares = 0, absent = 0;
  for (std::size_t l = 0; l < 4096; ++l)
    if (!used[l]) squares += std::pow(words[static_cast<Eigen::Index>(l)], 2), ++absent;
  EXPECT_GE(absent, 4056);
  EXPECT_NEAR(std::sqrt(squares / absent), curves(model).curves.at(0).noise(0, 0),
              0.1 * curves(model).curves.at(0).noise(0, 0));
}

// With R = 10 noise of a column with few categories passes 1, with a small R it does not.
TEST_F(AbsentNoise, IsWarnedOfInThePlanWhereItMovesAScore) {
  std::string text = "c,y\n";
  for (int k = 0; k < 400; ++k) text += fmt::format("{},{}\n", k % 2 ? "a" : "b", k % 3 ? "in" : "out");
  reading_.path = write("two.csv", text);
  reading_.schema = parse_schema(R"({"columns": {"c": {"type": "categorical", "categories": ["a", "b"]}},
                                     "target": {"column": "y", "classes": ["in", "out"]}})",
                                 "s");
  const auto said = [&](double radius) {
    service::FitOptions options;
    options.guarantee = Pure{10};
    options.method_options.set("radius", radius);
    return service::plan_fit(reading_, options, 400).warnings;
  };
  const std::vector<std::string> large = said(10);
  ASSERT_EQ(large.size(), 1U);
  EXPECT_EQ(
      large[0].rfind("a category that no record has would add noise to a score, in root mean square c ", 0),
      0U)
      << large[0];
  EXPECT_TRUE(said(1).empty());
}

}  // namespace
}  // namespace tacit
