#include "tacit/service.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "privacy/accounting/conversions.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

class Compare : public ::testing::Test {
 protected:
  Compare() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tacit_compare_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    folder_ = pattern;
  }
  ~Compare() override { std::filesystem::remove_all(folder_); }

  // 400 records of 40 users, in two classes that a line separates.
  ReadOptions data() const {
    ReadOptions reading;
    reading.path = folder_ / "data.csv";
    reading.header = true;
    reading.target = "y";
    std::ofstream file(reading.path);
    file << "x1,x2,who,y\n";
    for (int i = 0; i < 400; ++i) {
      const double a = (i * 37 % 100) / 100.0, b = (i * 61 % 101) / 100.0;
      file << a << ',' << b << ',' << i % 40 << ',' << (a + b > 1 ? "yes" : "no") << '\n';
    }
    return reading;
  }

  static service::CompareOptions options() {
    service::CompareOptions options;
    options.epsilons = {1, 20};
    options.methods = {"limited-objective", "limited-output", "dp-sgd", "posterior-exact"};
    options.repeats = 2;
    options.workers = 2;
    options.fit.row_bound = 50;  // who is a number below 40
    return options;
  }

  static std::string reason(const service::Comparison& found, const std::string& method) {
    for (const auto& other : found.others)
      if (other.method == method) return other.reason;
    return "";
  }

 private:
  std::filesystem::path folder_;
};

TEST(GuaranteeToCompare, IsTheColumnsOwnWhereARecordIsThereOrNull) {
  for (const auto relation : {Neighbours::replace_one, Neighbours::zero_out, Neighbours::add_remove}) {
    EXPECT_EQ(std::get<Pure>(service::guarantee_to_compare("pure", relation, 1, {})).epsilon, 1);
    EXPECT_EQ(std::get<Approx>(service::guarantee_to_compare("approx", relation, 1, 1e-6)).delta, 1e-6);
  }
}

TEST(GuaranteeToCompare, ImpliesTheColumnsForReplaceOneAndHardlyMore) {
  constexpr Neighbours replaced = Neighbours::replace_one;
  for (const double epsilon : {0.01, 0.3, 1.0, 5.0})
    for (const double delta : {1e-3, 1e-6, 1e-12})
      for (const auto relation : {Neighbours::replace_one, Neighbours::zero_out, Neighbours::add_remove}) {
        const auto pure = std::get<Pure>(to_replace_one(
            service::guarantee_to_compare("pure", relation, epsilon, delta, replaced), relation));
        EXPECT_DOUBLE_EQ(pure.epsilon, epsilon);
        const auto approx = std::get<Approx>(to_replace_one(
            service::guarantee_to_compare("approx", relation, epsilon, delta, replaced), relation));
        EXPECT_LE(approx.epsilon, epsilon * (1 + 1e-15));
        EXPECT_LE(approx.delta, delta * (1 + 1e-14));
        EXPECT_GE(approx.delta, delta * (1 - 1e-12));
        const auto gaussian = std::get<Gaussian>(to_replace_one(
            service::guarantee_to_compare("gaussian", relation, epsilon, delta, replaced), relation));
        EXPECT_LE(gaussian_delta(gaussian.mu * (1 - 1e-12), epsilon), delta);
        EXPECT_GE(gaussian_delta(gaussian.mu, epsilon), delta * (1 - 1e-4));
      }
  EXPECT_THROW(service::guarantee_to_compare("approx", Neighbours::zero_out, 1, {}, replaced), UsageError);
}

TEST_F(Compare, FitsEveryMethodAtEveryEpsilonAndSaysWhyNot) {
  std::size_t looks = 0;
  const auto found = service::compare(data(), options(), [&](const service::CompareProgress& progress) {
    ++looks;
    EXPECT_LE(progress.done, progress.total);
    EXPECT_GE(progress.seconds_left, 0);
  });
  EXPECT_GT(looks, 0u);
  EXPECT_EQ(found.metric, "accuracy");
  EXPECT_EQ(found.records, 400u);
  EXPECT_EQ(found.held_out, 100u);
  EXPECT_NE(reason(found, "dp-sgd").find("delta"), std::string::npos);
  ASSERT_EQ(found.no_privacy.size(), 2u);
  EXPECT_GT(found.no_privacy[0], 0.9);
  EXPECT_LT(found.constant[0], 0.7);
  ASSERT_GE(found.methods.size(), 2u);
  for (const auto& method : found.methods)
    for (const auto& cell : method.cells) {
      EXPECT_EQ(cell.metric.size(), 2u) << method.method << cell.reason;
      for (const double accuracy : cell.metric) EXPECT_TRUE(accuracy >= 0 && accuracy <= 1);
    }
}

TEST_F(Compare, WithADeltaTakesMethodsThatNeedOneAndConvertsTheirRelation) {
  service::CompareOptions asked = options();
  asked.delta = 1e-5;
  asked.methods = {"dp-sgd"};
  asked.epsilons = {2};
  asked.fit.neighbours = Neighbours::replace_one;
  const auto found = service::compare(data(), asked, {});
  ASSERT_EQ(found.methods.size(), 1u);
  EXPECT_EQ(found.neighbours, Neighbours::replace_one);
  EXPECT_EQ(found.methods[0].notion, "approx");
  EXPECT_EQ(found.methods[0].neighbours, Neighbours::zero_out);
  EXPECT_EQ(std::get<Approx>(found.methods[0].cells[0].guarantee).epsilon, 1);
  EXPECT_EQ(found.methods[0].cells[0].metric.size(), 2u);
}

TEST_F(Compare, StopsAMethodThatHasSpentItsShareOfTheTime) {
  service::CompareOptions asked = options();
  asked.minutes = 1e-6;
  asked.repeats = 20;
  const auto found = service::compare(data(), asked, {});
  for (const auto& method : found.methods)  // a fit that ends at once may still count
    for (const auto& cell : method.cells) {
      EXPECT_LE(cell.metric.size(), 2u);
      EXPECT_NE(cell.reason.find("share of the time"), std::string::npos);
    }
  for (const auto& other : found.others)
    EXPECT_TRUE(other.method == "dp-sgd" || other.reason.find("share of the time") != std::string::npos);
  EXPECT_NE(service::comparison_text(found).find("share of the time"), std::string::npos);
  EXPECT_NE(service::comparison_plot(found).find("</svg>"), std::string::npos);
}

TEST_F(Compare, ListsMethodsThatDoNotTakeTheLoss) {
  service::CompareOptions asked = options();
  asked.fit.loss = "tanh-network";
  asked.fit.hidden = 2;
  const auto found = service::compare(data(), asked, {});
  EXPECT_TRUE(found.methods.empty());
  EXPECT_NE(reason(found, "limited-objective").find("linear models"), std::string::npos)
      << reason(found, "limited-objective");
}

TEST_F(Compare, OfUsersLeavesOutWhatProtectsRecords) {
  ReadOptions reading = data();
  reading.user = "who";
  service::CompareOptions asked = options();
  asked.repeats = 1;
  const auto found = service::compare(reading, asked, {});
  EXPECT_EQ(found.unit, Unit::user);
  EXPECT_EQ(found.held_out, 100u) << "a quarter of 40 users with 10 records each";
  EXPECT_EQ(reason(found, "limited-objective"), "it protects single records, not users");
}

TEST_F(Compare, IsLoudAboutNotBeingPrivate) {
  service::CompareOptions asked = options();
  asked.methods = {"limited-objective"};
  asked.repeats = 1;
  const auto found = service::compare(data(), asked, {});
  EXPECT_TRUE(service::comparison_text(found).starts_with("NOT PRIVATE"));
  const auto json = nlohmann::json::parse(service::comparison_json(found));
  EXPECT_EQ(json["private"], false);
  EXPECT_EQ(json["results"].size(), 2u);
  EXPECT_EQ(json["results"][0]["deviation"], nullptr) << "one fit has none";
  EXPECT_NE(service::comparison_plot(found).find("not private"), std::string::npos);
  EXPECT_NE(service::comparison_plot(found).find("without privacy"), std::string::npos);
}

TEST(ComparisonText, NamesAMethodOnceForAReasonAndSpeaksOfOneRecord) {
  service::Comparison found{.metric = "accuracy", .records = 4, .held_out = 1, .repeats = 1};
  found.seconds_per_method = 0.25;
  found.others = {{"limited-objective", "pure", "no time"}, {"limited-objective", "approx", "no time"}};
  const std::string text = service::comparison_text(found);
  EXPECT_NE(text.find("  limited-objective (pure, approx): no time\n"), std::string::npos) << text;
  EXPECT_NE(text.find("on 1 held-out record of 4, of one fit."), std::string::npos) << text;
  EXPECT_NE(text.find("had 0.25 s"), std::string::npos) << text;
}

TEST_F(Compare, RefusesWhatMakesNoSense) {
  const auto refused = [&](auto change) {
    service::CompareOptions asked = options();
    change(asked);
    EXPECT_THROW(service::compare(data(), asked, {}), Error);
  };
  refused([](auto& o) { o.epsilons = {}; });
  refused([](auto& o) { o.epsilons = {0}; });
  refused([](auto& o) { o.epsilons = {1, -1}; });
  refused([](auto& o) { o.delta = 1; });
  refused([](auto& o) { o.methods = {"magic"}; });
  refused([](auto& o) { o.repeats = 0; });
  refused([](auto& o) { o.held_out = 1; });
  refused([](auto& o) { o.held_out = 1e-9; });
  refused([](auto& o) { o.minutes = 0; });
  refused([](auto& o) { o.fit.loss = "magic"; });
}

}  // namespace
}  // namespace tacit
