// Records with weights, through the one door of all fits.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "model/digest.hpp"
#include "model/json.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"
#include "tacit/verify.hpp"

namespace tacit {
namespace {

// 400 records with the whole weights 0 to 3; as many times in the table as it says if `copied`.
Dataset people(bool copied) {
  std::mt19937_64 random(3);
  std::normal_distribution<> normal;
  DenseRows rows{.rows = 0, .columns = 2, .values = {}};
  Dataset data;
  for (int i = 0; i < 400; ++i) {
    const double a = normal(random), b = normal(random), weight = i % 4;
    const double label = a - b + normal(random) > 0 ? 1 : 0;
    for (int k = 0; k < (copied ? i % 4 : 1); ++k) {
      rows.values.insert(rows.values.end(), {a, b});
      ++rows.rows;
      data.labels.push_back(label);
      if (!copied) data.weights.push_back(weight);
    }
  }
  data.features = Features(std::move(rows));
  data.target_kind = TargetKind::classes;
  data.classes = {"no", "yes"};
  return data;
}

service::FitOptions options(const Guarantee& guarantee) {
  service::FitOptions options;
  options.guarantee = guarantee;
  options.row_bound = 3;
  options.weight_bound = 3;
  return options;
}

Vector parameters(Dataset data, const service::FitOptions& options) {
  const auto bits = testing::seeded_bits(5);
  return service::fit(std::move(data), options, *bits).parameters;
}

TEST(Weights, AreCopiesWhereNothingIsPromised) {
  service::FitOptions weighted = options(NoPrivacy{});
  weighted.row_bound.reset();
  weighted.method_options.set("regularisation", 0.01);
  service::FitOptions copied = weighted;
  copied.weight_bound.reset();
  // nλ of the sum over copies is W times that of the sum over parts of W.
  copied.method_options.set("regularisation", 0.01 * 400 * 3 / static_cast<double>(people(true).size()));
  const Vector one = parameters(people(false), weighted), other = parameters(people(true), copied);
  EXPECT_LT((one - other).norm(), 1e-6 * other.norm());
  EXPECT_GT(other.norm(), 0.5);
}

TEST(Weights, ThatAreTheBoundAreNone) {
  for (const std::string method : {"limited-objective", "limited-output", "dp-sgd", "dp-gd"}) {
    service::FitOptions weighted =
        options(method.starts_with("dp-") ? Guarantee(Approx{1, 1e-5}) : Guarantee(Pure{1}));
    weighted.method = method;
    service::FitOptions plain = weighted;
    plain.weight_bound.reset();
    Dataset all = people(false), none = people(false);
    std::ranges::fill(all.weights, 3.0);
    none.weights.clear();
    EXPECT_EQ(parameters(all, weighted), parameters(none, plain)) << method;
  }
}

TEST(Weights, AreInTheIntervalsAndTheModelIsVerified) {
  for (const Guarantee& guarantee : {Guarantee(Pure{20}), Guarantee(Approx{20, 1e-5})}) {
    service::FitOptions weighted = options(guarantee);
    weighted.method = "limited-objective";
    weighted.interval_level = 0.95;
    const auto fitted = [&](Dataset data, const service::FitOptions& how) {
      const auto bits = testing::seeded_bits(5);
      return service::fit(std::move(data), how, *bits);
    };
    const Vector some = fitted(people(false), weighted).intervals->released;
    EXPECT_NO_THROW(verify_model(model_to_json(service::fit(people(false), weighted)), "model"));
    service::FitOptions plain = weighted;
    plain.weight_bound.reset();
    Dataset all = people(false), none = people(false);
    std::ranges::fill(all.weights, 3.0);
    none.weights.clear();
    const Vector bound = fitted(all, weighted).intervals->released;
    EXPECT_EQ(bound, fitted(none, plain).intervals->released);
    // Weights of 0 to 3, 1.5 on average, show half of the curvature; the last number of H is of the constant.
    EXPECT_LT(some[5], 0.8 * bound[5]);
  }
}

TEST(Weights, BeyondTheBoundAreCutToItAndNegativeOnesToZero) {
  Dataset cut = people(false), wild = people(false);
  for (std::size_t i = 0; i < wild.size(); ++i) {
    if (wild.weights[i] == 3) wild.weights[i] = i % 8 == 3 ? 1e300 : std::numeric_limits<double>::infinity();
    if (wild.weights[i] == 0) wild.weights[i] = -7;
  }
  EXPECT_EQ(parameters(cut, options(Pure{1})), parameters(wild, options(Pure{1})));
}

TEST(Weights, MoveTheModel) {
  for (const std::string method : {"limited-objective", "limited-output", "dp-sgd", "dp-gd"}) {
    service::FitOptions asked =
        options(method.starts_with("dp-") ? Guarantee(Approx{1, 1e-5}) : Guarantee(Pure{1}));
    asked.method = method;
    Dataset even = people(false);
    std::ranges::fill(even.weights, 1.0);
    EXPECT_NE(parameters(people(false), asked), parameters(even, asked)) << method;
  }
}

TEST(Weights, AreInTheCertificateAndVerified) {
  for (const std::string method : {"limited-objective", "limited-output", "dp-sgd", "dp-gd"}) {
    service::FitOptions asked =
        options(method.starts_with("dp-") ? Guarantee(Approx{1, 1e-5}) : Guarantee(Pure{1}));
    asked.method = method;
    const FittedModel model = service::fit(people(false), asked);
    EXPECT_EQ(model.certificate.assumed_public.number("weight_bound"), 3) << method;
    EXPECT_NO_THROW(verify_model(model_to_json(model), "model")) << method;
    for (const nlohmann::ordered_json& forged :
         {nlohmann::ordered_json(-3.0), nlohmann::ordered_json("three")}) {
      auto json = nlohmann::ordered_json::parse(model_to_json(model));
      json["certificate"]["assumed_public"]["weight_bound"] = forged;
      json["digest"] = sha256(sealed_bytes(json));
      EXPECT_THROW(verify_model(layout(json), "model"), Error) << method << forged;
    }
  }
}

TEST(Weights, DoNotBelongToAModelOfAMethodThatTakesNone) {
  service::FitOptions asked = options(Pure{1});
  asked.weight_bound.reset();
  asked.method = "double-output";
  Dataset data = people(false);
  data.weights.clear();
  auto json = nlohmann::ordered_json::parse(model_to_json(service::fit(data, asked)));
  json["certificate"]["assumed_public"]["weight_bound"] = 3.0;
  json["digest"] = sha256(sealed_bytes(json));
  EXPECT_THROW(verify_model(layout(json), "model"), VerificationError);
}

std::string refusal(Dataset data, const service::FitOptions& asked) {
  try {
    service::fit(std::move(data), asked);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Weights, AreRefusedInOneLineWhereTheyCannotBe) {
  service::FitOptions asked = options(Pure{1});
  asked.method = "posterior-exact";
  EXPECT_EQ(refusal(people(false), asked),
            "the method posterior-exact takes no weights; these do: limited-objective, limited-output, "
            "dp-sgd, dp-gd, user-sgd");
  asked = options(Approx{1, 1e-5});
  asked.unit = Unit::user;
  asked.method = "user-phased";
  EXPECT_NE(refusal(people(false), asked).find("the method user-phased takes no weights"), std::string::npos);
  asked = options(Pure{1});
  asked.weight_bound.reset();
  EXPECT_EQ(refusal(people(false), asked),
            "the records have weights: give a weight bound, a public number that none is meant to exceed");
  Dataset data = people(false);
  data.weights[7] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal(data, options(Pure{1})), "record 7: the weight is not a number");
  data.weights.clear();
  EXPECT_EQ(refusal(data, options(Pure{1})), "there is a bound on weights, but no record has one");
  for (const double bound : {0.0, -1.0, 1e40, std::numeric_limits<double>::infinity()}) {
    asked = options(Pure{1});
    asked.weight_bound = bound;
    EXPECT_NE(refusal(people(false), asked).find("the weight bound is"), std::string::npos);
  }
}

}  // namespace
}  // namespace tacit
