#include <gtest/gtest.h>

#include <algorithm>

#include "data/temp_folder.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/fit.hpp"
#include "tacit/method.hpp"
#include "tacit/model.hpp"
#include "tacit/service.hpp"

namespace tacit {
namespace {

using testing_data::TempFolder;

// A fit from encoded cells is the fit from the table, whatever the number of threads: the same model, to the
// last bit.

struct Case {
  std::string method;
  Guarantee guarantee;
  std::vector<std::pair<std::string, FactValue>> options = {};
  std::string loss = "logistic";
  EncoderRule encoder = EncoderRule::automatic;
  bool few = false;  // parameters, which is all that the method bears
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.method << " " << c.loss; }

std::vector<Case> cases() {
  const auto whole = [](std::int64_t value) { return FactValue(value); };
  constexpr EncoderRule hats = EncoderRule::hats, linear = EncoderRule::linear;
  return {{"limited-objective", Pure{4}, {}, "logistic", hats},
          {"limited-objective", Approx{4, 1e-5}, {}, "hinge"},
          {"limited-objective", Pure{4}, {}, "softmax", hats},
          {"limited-output", Gaussian{1}, {}, "huber"},
          {"double-output", Pure{4}},
          {"double-output", Pure{4}, {}, "absolute", linear},
          {"localized", Pure{4}},
          {"localized",
           Pure{4},
           {{"solver", std::string("net-exponential")}, {"net_points", whole(4096)}},
           "logistic",
           linear,
           true},
          {"net-exponential", Pure{4}, {}, "logistic", linear, true},
          {"localized-exponential", Pure{0.5}, {}, "logistic", linear, true},
          {"tuned", Pure{8}, {{"settings", std::string("limited-output:radius=3; limited-output:radius=5")}}},
          {"dp-sgd", Approx{4, 1e-5}, {{"epochs", 2.0}}, "logistic", hats},
          {"dp-sgd", Approx{4, 1e-5}, {{"epochs", 2.0}}, "softmax", linear},
          {"dp-sgd", Approx{4, 1e-5}, {{"epochs", 2.0}}, "tanh-network"},
          {"dp-sgd", Approx{4, 1e-5}, {{"epochs", 2.0}, {"clip_norm", std::string("private-min")}}},
          {"o2nc-single", Approx{4, 1e-5}},
          {"o2nc-multi", Gaussian{2}, {{"steps", whole(8)}}},
          {"o2nc-sampled", Approx{4, 1e-5}, {{"steps", whole(8)}}},
          {"o2nc-first", Approx{4, 1e-5}},
          {"dp-gd", Gaussian{2}, {{"steps", whole(5)}}},
          {"posterior-exact", Gaussian{1}, {}, "logistic", linear},
          {"asap-mala", Pure{8}, {{"mala_steps", whole(20)}}, "logistic", linear},
          {"plain", NoPrivacy{}, {}, "logistic", hats},
          {"user-sgd", Approx{4, 1e-5}, {{"epochs", 2.0}}},
          {"user-phased", Approx{8, 1e-3}, {{"records_per_user", whole(1)}}},
          {"user-erm", Approx{8, 1e-3}, {{"records_per_user", whole(1)}, {"iterations", whole(2)}}},
          {"user-group", Approx{4, 1e-5}, {{"records_per_user", whole(1)}, {"epochs", 2.0}}}};
}

class EncodedFit : public ::testing::TestWithParam<Case> {
 protected:
  // Two numbers, a category and a target of the kind that the loss needs.
  ReadOptions table(bool users, const std::string& loss, bool few = false) const {
    const bool numbers = loss == "huber" || loss == "absolute";
    std::string text = "who,a,b,c,y\n";
    const std::size_t records = users ? 3000 : few ? 150 : 5000;
    for (std::size_t i = 0; i < records; ++i) {
      const double a = static_cast<double>(i % 31) / 30, b = static_cast<double>(i % 17) / 16;
      const std::string label = numbers             ? fmt::format("{}", a - b)
                                : loss != "softmax" ? (a > b ? "yes" : "no")
                                                    : (a > b       ? "yes"
                                                       : a + b > 1 ? "no"
                                                                   : "so");
      text += fmt::format("u{},{},{},{},{}\n", i, a, i % 50 == 0 ? "" : fmt::format("{}", b), i % 3, label);
    }
    const std::string target = numbers             ? R"("min": -1, "max": 1)"
                               : loss == "softmax" ? R"("classes": ["no", "so", "yes"])"
                                                   : R"("classes": ["no", "yes"])";
    const std::string schema = fmt::format(
        R"({{"columns": {{"a": {{"type": "numeric", "min": 0, "max": 1}},
                         "b": {{"type": "numeric", "min": 0, "max": 1, "missing": 0.5}},
                         "c": {{"type": "categorical", "categories": ["0", "1", "2"]}}}},
             "target": {{"column": "y", {}}}, {}"others": "ignore"}})",
        target, users ? R"("user": {"column": "who"}, )" : "");
    ReadOptions options{.path = folder_.write("t.csv", text), .schema = parse_schema(schema, "s")};
    if (few) options.schema->columns.pop_back();
    return options;
  }

  static std::string fitted(const ReadOptions& reading, const Case& given, unsigned threads = 2) {
    service::FitOptions options{.loss = given.loss, .method = given.method, .guarantee = given.guarantee};
    options.encoder = given.encoder;
    options.threads = threads;
    if (find_method(given.method).unit == Unit::user) options.unit = Unit::user;
    for (const auto& [key, value] : given.options) options.method_options.set(key, value);
    const auto bits = testing::seeded_bits(7);
    return model_to_json(service::fit_file(reading, options, *bits));
  }

  TempFolder folder_;
};

TEST_P(EncodedFit, IsTheFitOfTheTable) {
  const ReadOptions table =
      this->table(find_method(GetParam().method).unit == Unit::user, GetParam().loss, GetParam().few);
  const auto encoded = folder_.path() / "t.tacit";
  service::encode(table, encoded);
  EXPECT_EQ(fitted({.path = encoded, .schema = table.schema}, GetParam(), 3), fitted(table, GetParam(), 1));
}

INSTANTIATE_TEST_SUITE_P(Methods, EncodedFit, ::testing::ValuesIn(cases()));

TEST(EncodedFits, CoverEveryMethod) {
  for (const Method& method : methods())
    EXPECT_TRUE(std::ranges::any_of(cases(), [&](const Case& c) { return c.method == method.name; }))
        << method.name;
}

TEST_F(EncodedFit, PredictionsAndMetricsAreThoseOfTheTable) {
  const ReadOptions table = this->table(false, "huber");
  const auto encoded = folder_.path() / "t.tacit";
  service::encode(table, encoded);
  const FittedModel model = parse_model(fitted(table, {"limited-output", Gaussian{1}, {}, "huber"}), "m");
  ReadOptions mapped{.path = encoded}, read{.path = table.path};
  EXPECT_EQ(predict(model, service::read_for_prediction(model, mapped).features).value,
            predict(model, service::read_for_prediction(model, read).features).value);
  EXPECT_EQ(evaluate(model, service::read_for_evaluation(model, mapped)).rmse,
            evaluate(model, service::read_for_evaluation(model, read)).rmse);
}

TEST_F(EncodedFit, TheFileBringsItsSchemaAlong) {
  const ReadOptions table = this->table(false, "logistic");
  const auto encoded = folder_.path() / "t.tacit";
  service::encode(table, encoded);
  const Case usual{"limited-objective", Pure{4}};
  EXPECT_EQ(fitted({.path = encoded}, usual), fitted(table, usual));
}

TEST_F(EncodedFit, TheNameOfTheFileSaysWhatItIs) {
  const ReadOptions table = this->table(false, "logistic");
  EXPECT_THROW(service::encode(table, folder_.path() / "t.bin"), UsageError);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "t.bin"));
}

}  // namespace
}  // namespace tacit
