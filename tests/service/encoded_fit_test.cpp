#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "data/encoded/origin.hpp"
#include "data/temp_folder.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"
#include "tacit/method.hpp"
#include "tacit/model.hpp"
#include "tacit/service.hpp"
#include "tacit/statistics.hpp"
#include "tacit/verify.hpp"

namespace tacit {
namespace {

using testing_data::TempFolder;

// A fit from encoded cells is the fit from the table, whatever the number of threads: the same model, to the
// last bit.

struct EncodedCase {
  std::string method;
  Guarantee guarantee;
  std::vector<std::pair<std::string, FactValue>> options = {};
  std::string loss = "logistic";
  EncoderRule encoder = EncoderRule::automatic;
  bool few = false;  // parameters, which is all that the method bears
};

void PrintTo(const EncodedCase& c, std::ostream* out) { *out << c.method << " " << c.loss; }

std::vector<EncodedCase> encoded_cases() {
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

class EncodedFit : public ::testing::TestWithParam<EncodedCase> {
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

  static std::string fitted(const ReadOptions& reading, const EncodedCase& given, unsigned threads = 2) {
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

INSTANTIATE_TEST_SUITE_P(Methods, EncodedFit, ::testing::ValuesIn(encoded_cases()));

TEST(EncodedFits, CoverEveryMethod) {
  for (const Method& method : methods())
    EXPECT_TRUE(std::ranges::any_of(encoded_cases(), [&](const EncodedCase& c) {
      return c.method == method.name;
    })) << method.name;
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
  const EncodedCase usual{"limited-objective", Pure{4}};
  EXPECT_EQ(fitted({.path = encoded}, usual), fitted(table, usual));
}

TEST_F(EncodedFit, TheNameOfTheFileSaysWhatItIs) {
  const ReadOptions table = this->table(false, "logistic");
  EXPECT_THROW(service::encode(table, folder_.path() / "t.bin"), UsageError);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "t.bin"));
}

// What a table's certificate must state, that of its encoded cells states, too: what the schema cost and
// takes for granted, and that the records are the rows of a query.
class EncodedOrigins : public ::testing::Test {
 protected:
  EncodedOrigins() {
    std::string rows = "region,age,y\n";
    for (int k = 0; k < 600; ++k)
      rows +=
          fmt::format("{},{},{}\n", k % 3 == 0 ? "north" : "south", 20 + k % 50, k % 50 < 25 ? "no" : "yes");
    table_ = folder_.write("t.csv", rows);
  }

  // With secret bits: one of seeded bits is not verified, and so counts as edited.
  std::string found(const std::optional<LedgerGroup>& group = {}) const {
    ReadOptions raw{.path = table_};
    raw.target = "y";
    return service::private_schema_file(raw,
                                        {.guarantee = Pure{20}, .group = group, .classes = {"no", "yes"}})
        .json;
  }
  ReadOptions csv(const std::string& schema) const {
    return {.path = table_, .schema = parse_schema(schema, "schema")};
  }
  ReadOptions encoded(const std::string& schema, const char* name = "t.tacit") const {
    service::encode(csv(schema), folder_.path() / name, schema);
    return {.path = folder_.path() / name};
  }
  static std::string fitted(const ReadOptions& reading, service::FitOptions options) {
    options.guarantee = Pure{1};
    const auto bits = testing::seeded_bits(7);
    return model_to_json(service::fit_file(reading, options, *bits));
  }
  // Of the table, as the command line gives both.
  std::string fitted_table(const std::string& schema, service::FitOptions options = {}) const {
    options.schema_release = service::schema_release(folder_.write("s.json", schema));
    return fitted(csv(schema), options);
  }
  static service::FitOptions in_shards(const std::vector<std::filesystem::path>& files) {
    service::FitOptions options{.method = "limited-objective"};
    options.shards.count = 2;
    options.shards.files = files;
    options.shards.bits = [](std::size_t shard) { return testing::seeded_bits(100 + shard); };
    return options;
  }

  TempFolder folder_;
  std::filesystem::path table_;
};

TEST_F(EncodedOrigins, ASchemaThatWasFoundPrivatelyIsStated) {
  const std::string schema = found();
  const std::string model = fitted(encoded(schema), {});
  EXPECT_EQ(model, fitted_table(schema));
  const std::string secret = model_to_json(service::fit_file(encoded(schema), {.guarantee = Pure{1}}));
  const Facts facts = verify_model(secret, "model").model.certificate.assumed_public;
  EXPECT_TRUE(facts.has("schema_epsilon"));
  EXPECT_TRUE(facts.has("schema_column_names"));
  EXPECT_THROW(fitted(csv(schema), {}), UsageError) << "which lacks what the schema cost";
}

TEST_F(EncodedOrigins, SoAreItsGroupAndThatItWasEdited) {
  const std::string of_north = found(LedgerGroup{"region", "north"});
  const std::string model = fitted(encoded(of_north), {});
  EXPECT_EQ(model, fitted_table(of_north));
  EXPECT_EQ(parse_model(model, "m").certificate.assumed_public.text("schema_group_of"), "region=north");

  const std::string whole = found();
  auto json = nlohmann::ordered_json::parse(whole);
  json["columns"]["region"] = {{"type", "ignore"}};
  const std::string edited = json.dump();
  EXPECT_EQ(fitted(encoded(edited), {}), fitted_table(edited));
  EXPECT_FALSE(service::schema_release(folder_.write("s.json", whole))->edited);
  EXPECT_TRUE(service::schema_release(folder_.write("s.json", edited))->edited);
}

// The cells have the ranges of the schema that encoded them: who repeats them has found nothing anew.
TEST_F(EncodedOrigins, AFitThatStatesNoReleaseStatesTheFiles) {
  const std::string schema = found();
  ReadOptions reading = encoded(schema);
  reading.schema = parse_schema(schema, "schema");
  EXPECT_EQ(fitted(reading, {}), fitted_table(schema));
  service::FitOptions stated;
  stated.schema_release = service::SchemaRelease{.guarantee = Pure{3}};
  EXPECT_EQ(fitted(reading, stated), fitted(csv(schema), stated))
      << "the caller's word counts, as for a table";
  const service::PlannedFit plan = service::plan_fit(reading, {.guarantee = Pure{1}}, 600);
  EXPECT_NEAR(plan.certificate.assumed_public.number("schema_epsilon"), 20, 1e-9);
}

TEST_F(EncodedOrigins, NothingIsStatedOfASchemaThatSomebodyWrote) {
  const std::string schema = schema_to_json(parse_schema(found(), "schema"));
  const ReadOptions reading = encoded(schema);
  EXPECT_EQ(origin_of_encoded(reading.path), EncodedOrigin{});
  EXPECT_EQ(fitted(reading, {}), fitted(csv(schema), {}));
}

TEST_F(EncodedOrigins, ShardsStateItTogetherOrRefuse) {
  const std::string schema = found();
  const auto one = encoded(schema, "one.tacit").path, two = encoded(schema, "two.tacit").path;
  ReadOptions reading = csv(schema);
  reading.path = one;
  const FittedModel model = parse_model(fitted(reading, in_shards({one, two})), "m");
  EXPECT_TRUE(model.certificate.assumed_public.has("schema_epsilon"));
  EXPECT_FALSE(model.certificate.assumed_public.has("query"));

  const auto old = encoded(schema_to_json(*reading.schema), "old.tacit").path;  // which knows of no release
  EXPECT_THROW(fitted(reading, in_shards({one, old})), UsageError);
  EXPECT_THROW(fitted(reading, in_shards({old, two})), UsageError);
  service::FitOptions stated = in_shards({old, two});
  stated.schema_release = service::schema_release(folder_.write("s.json", schema));
  EXPECT_TRUE(parse_model(fitted(reading, stated), "m").certificate.assumed_public.has("schema_epsilon"));
}

}  // namespace
}  // namespace tacit
