// The methods of heavy_tails over a ball or box: minimisers inside of it, and what their releases promise.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "algorithm/heavy_tails/double_output.hpp"
#include "algorithm/heavy_tails/limited_output.hpp"
#include "algorithm/heavy_tails/localized.hpp"
#include "domain/text.hpp"
#include "support/adversarial.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/method.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::heavy_tails {
namespace {

struct MethodRun {
  std::vector<Vector> opened;
  std::vector<Step> steps;
  Certificate certificate;
  Vector parameters;
};

MethodRun run_method(const std::string& method, const Dataset& data, const LossSpec& loss, const Facts& facts,
                     unsigned seed = 3, const Domain& domain = WholeSpace{}) {
  MethodRun run;
  const Problem problem{.data = &data, .loss = loss, .domain = domain};
  const auto bits = testing::seeded_bits(seed);
  RootMeter meter({.limit = Pure{facts.number("epsilon")}}, *bits);
  meter.watch([&](const Step& step, std::span<const double> value) {
    run.opened.push_back(Eigen::Map<const Vector>(value.data(), static_cast<Eigen::Index>(value.size())));
    run.steps.push_back(step);
  });
  const Release release = find_method(method).fit(problem, facts, meter);
  run.certificate = release.certificate;
  run.parameters = release.parameters.value();
  return run;
}

Facts facts_with(const std::string& domain, double epsilon = 4) {
  Facts facts;
  facts.set("epsilon", epsilon);
  facts.set("slope_limit", 1.0);
  facts.set("curvature_limit", 1.0);
  facts.set("regularisation", 1.0);
  facts.set("label_bound", 10.0);
  if (!domain.empty()) facts.set("domain", domain);
  return facts;
}

// Labels that pull hard towards (5, 5) and an intercept of 5.
Dataset far_records(std::size_t records) {
  std::mt19937_64 random(1);
  std::normal_distribution<> normal;
  Dataset data;
  DenseRows rows{records, 2, {}};
  for (std::size_t i = 0; i < records; ++i) {
    const double a = normal(random), b = normal(random);
    rows.values.insert(rows.values.end(), {a, b});
    data.labels.push_back(5 * a + 5 * b + 5);
  }
  data.features = Features(std::move(rows));
  return data;
}

// Columns that lean on each other: a bound on one moves the best value of the other.
Dataset leaning_records(std::size_t records) {
  std::mt19937_64 random(2);
  std::normal_distribution<> normal;
  Dataset data;
  DenseRows rows{records, 2, {}};
  for (std::size_t i = 0; i < records; ++i) {
    const double a = normal(random), b = 0.9 * a + 0.4 * normal(random);
    rows.values.insert(rows.values.end(), {a, b});
    data.labels.push_back(0.5 * a + 0.5 * b);
  }
  data.features = Features(std::move(rows));
  return data;
}

const Link absolute{LinkKind::absolute, 0};
const std::string polytope_text =
    "polytope:1,0,0,0.5;-1,0,0,0.5;0,1,0,0.5;0,-1,0,0.5;0,0,1,1;0,0,-1,1;1,1,0,0.4";
const std::string ellipsoid_text = "ellipsoid:0.1,0,0;4,1,0;1,9,0;0,0,1";

// argmin over W, by projected gradients of the limited loss with a small step.
Vector by_small_steps(const Dataset& data, const Domain& domain, double slope, double curvature,
                      double lambda) {
  const Problem problem{.data = &data, .loss = absolute};
  const auto n = static_cast<double>(data.size());
  LimitedObjective objective(problem, {slope, curvature}, {.strength = n * lambda, .center = Vector::Zero(3)},
                             Vector::Zero(3), 0, 1);
  Vector w = project(domain, Vector::Zero(3)).point, g;
  for (int k = 0; k < 3000; ++k) {
    objective.gradient(w, g, nullptr);
    w = project(domain, w - g / n / (curvature + lambda)).point;
  }
  return w;
}

TEST(DomainOfMethods, TheMinimiserIsSoughtWithinAndIsNoProjection) {
  const Dataset data = leaning_records(40);
  const std::string text = "box:-1,1;-1,0.02;-1,1";
  Facts facts = facts_with(text);
  facts.set("regularisation", 0.02);
  const MethodRun run = run_method("limited-output", data, absolute, facts);
  const Vector within = by_small_steps(data, parse_domain(text, 3), 1, 1, 0.02);
  EXPECT_LE((run.opened[0] - within).norm(), 1e-3 * run.steps[0].sensitivity.value + 1e-9);
  facts = facts_with("");
  facts.set("regularisation", 0.02);
  const MethodRun free = run_method("limited-output", data, absolute, facts);
  const Vector projected = project(parse_domain(text, 3), free.opened[0]).point;
  EXPECT_GT((projected - within).norm(), 0.1) << "the two would be told apart by nothing here";
}

struct Row {
  std::string method, oracle, solver;
};
void PrintTo(const Row& row, std::ostream* out) {
  *out << row.method << " " << row.oracle << " " << row.solver;
}
class EveryMethodWithADomain : public ::testing::TestWithParam<Row> {
 protected:
  Facts facts(const std::string& domain) const {
    Facts all = facts_with(domain);
    if (!GetParam().oracle.empty()) {
      all.set("oracle", GetParam().oracle);
      all.set("gradient_bound", 4.0);
    }
    if (!GetParam().solver.empty()) all.set("solver", GetParam().solver);
    return all;
  }
};

TEST_P(EveryMethodWithADomain, ReleasesAPointOfItOnTheGridAndSaysSo) {
  const Dataset data = far_records(32);
  const std::string texts[] = {"ball:0.3", "ball:0.5@0.5,0,-0.2", "box:-0.1,0.2;-1,0.3;0,1", polytope_text,
                               ellipsoid_text};
  for (const std::string& text : texts)
    for (const unsigned seed : {1u, 2u, 3u}) {
      const MethodRun run = run_method(GetParam().method, data, absolute, facts(text), seed);
      const double grid = run.certificate.steps.back().grid;
      // Balls and boxes are kept to the last digit, the others to half of a cell of the grid.
      const bool kept = text.starts_with("b");
      const Vector inside = project(parse_domain(text, 3), run.parameters).point;
      EXPECT_LE((inside - run.parameters).norm(), kept ? 1e-15 : grid) << run.parameters.transpose();
      EXPECT_EQ(run.certificate.options.text("domain"), text);
      for (const double w : run.parameters) EXPECT_EQ(w, std::round(w / grid) * grid);
      const Method& method = find_method(GetParam().method);
      const auto steps = method.rebuild_steps(run.certificate.options, run.certificate.assumed_public);
      ASSERT_EQ(steps.size(), run.certificate.steps.size());
      EXPECT_EQ(steps.back().scale, run.certificate.steps.back().scale);
    }
}

TEST_P(EveryMethodWithADomain, TakesTheProblemsOwnDomain) {
  const Dataset data = far_records(32);
  const Domain domain = Ball{Vector{{0.5, 0, -0.2}}, 0.5};
  const MethodRun own = run_method(GetParam().method, data, absolute, facts(""), 1, domain);
  const MethodRun stated = run_method(GetParam().method, data, absolute, facts("ball:0.5@0.5,0,-0.2"), 1);
  EXPECT_EQ(own.parameters, stated.parameters);
  EXPECT_EQ(own.certificate.options.text("domain"), "ball:0.5@0.5,0,-0.2");
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethodWithADomain,
                         ::testing::Values(Row{"limited-output", "", ""}, Row{"double-output", "limited", ""},
                                           Row{"double-output", "extension", ""}, Row{"localized", "", ""},
                                           Row{"localized", "limited", "double-output"},
                                           Row{"localized", "extension", "double-output"}),
                         [](const auto& row) {
                           std::string name = row.param.method + "_" + row.param.oracle + row.param.solver;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(DomainOfMethods, KeepsTheSensitivityOnAdversarialNeighbours) {
  double tightest = 0;
  for (const std::string text : {"ball:0.5", "box:-0.2,0.5"})
    for (const LossSpec& loss :
         {LossSpec(Link{LinkKind::logistic, 0}), LossSpec(absolute), LossSpec(Softmax{3})})
      for (const auto& pair : testing::adversarial_pairs(loss, 2, 1, 2)) {
        Facts facts = facts_with(text);
        facts.set("regularisation", 4.0);
        const MethodRun a = run_method("limited-output", pair.first, loss, facts);
        const MethodRun b = run_method("limited-output", pair.second, loss, facts);
        const double moved = (a.opened[0] - b.opened[0]).norm(), claimed = a.steps[0].sensitivity.total();
        EXPECT_LE(moved, claimed) << pair.what;
        tightest = std::max(tightest, moved / claimed);
      }
  EXPECT_GT(tightest, 0.4) << "no pair comes near the bound: halving it would go unnoticed";
}

// The penalty makes the minimiser nearly that over W, which a projection of the one over all of space is not.
TEST(DomainOfMethods, MinimisersOverPolytopesAreSoughtWithinThem) {
  const Dataset data = leaning_records(40);
  const std::string text = "polytope:1,0,0,1;-1,0,0,1;0,1,0,0.02;0,-1,0,1;0,0,1,1;0,0,-1,1";  // a box
  Facts facts = facts_with(text);
  facts.set("regularisation", 0.02);
  facts.set("radius", 2.0);
  const MethodRun run = run_method("limited-output", data, absolute, facts);
  const Vector within = by_small_steps(data, parse_domain("box:-1,1;-1,0.02;-1,1", 3), 1, 1, 0.02);
  EXPECT_LE((run.opened[0] - within).norm(), 0.03);
}

// A penalty is public: it moves no neighbours apart.
TEST(DomainOfMethods, KeepsTheSensitivityOverPolytopesAndEllipsoids) {
  double tightest = 0;
  for (const std::string text :
       {"polytope:1,0,0.5;-1,0,0.5;0,1,0.5;0,-1,0.5;1,1,0.4", "ellipsoid:0.1,0;4,1;1,9"})
    for (const std::string method : {"limited-output", "double-output"})
      for (const auto& pair : testing::adversarial_pairs(absolute, 2, 1, 2)) {
        Facts facts = facts_with(text);
        facts.set("regularisation", 4.0);
        facts.set("radius", 1.0);
        if (method == "double-output") facts.set("oracle", std::string("extension"));
        const MethodRun a = run_method(method, pair.first, absolute, facts);
        const MethodRun b = run_method(method, pair.second, absolute, facts);
        const double moved = (a.opened[0] - b.opened[0]).norm(), claimed = a.steps[0].sensitivity.total();
        EXPECT_LE(moved, claimed) << pair.what;
        tightest = std::max(tightest, moved / claimed);
      }
  EXPECT_GT(tightest, 0.4);
}

TEST(DomainOfMethods, PlansWithTheTheoremsSchedule) {
  heavy_tails::LocalizedOptions options;
  options.common.slope_limit = 8;
  options.common.curvature_limit = 1;
  options.common.domain = "ball:1";
  options.schedule = "theorem";
  options.tails = 3;
  const auto planned = [&](std::size_t records) {
    return heavy_tails::plan_localized({.records = records, .features = 3, .outputs = 1, .loss = absolute},
                                       options);
  };
  const auto plan = planned(4096), larger = planned(8 * 4096);
  EXPECT_NEAR(*plan.phases[3].options.slope_limit, 8 * std::pow(8.0, -1.0 / 3), 1e-12);
  EXPECT_NEAR(larger.first_regularisation, plan.first_regularisation / 8, 1e-12)
      << "at the same C the pull falls as 1/n, not as its root";
  EXPECT_NEAR(plan.first_regularisation, 16 * 8.0 * 3 / 2048 / 2, 1e-12);
}

TEST(DomainOfMethods, RefusesWhatItCannotDo) {
  const Dataset data = far_records(16);
  Facts facts = facts_with("ball:1@1,2");
  EXPECT_THROW(run_method("limited-output", data, absolute, facts), UsageError) << "three coordinates";
  facts = facts_with("ball:1");
  facts.set("solver", std::string("limited-objective"));
  EXPECT_THROW(run_method("localized", data, absolute, facts), UsageError);
  EXPECT_EQ(find_option(find_method("limited-objective"), "domain"), nullptr);
}

// The minimiser over a polytope is sought in the ball of the radius, 2 here.
TEST(DomainOfMethods, RefusesAPolytopeThatTheBallDoesNotReach) {
  const Dataset data = far_records(16);
  for (const auto& [method, text] : {std::pair("limited-output", "polytope:1,0,0,100;-1,0,0,-50"),
                                     std::pair("double-output", "polytope:1,0,0,100;-1,0,0,-50"),
                                     std::pair("localized", "polytope:1,0,0,100;-1,0,0,-50")}) {
    Facts facts = facts_with(text);
    facts.set("radius", 2.0);
    try {
      run_method(method, data, absolute, facts);
      FAIL() << method;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("nearest to 0 has norm 50"), std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace tacit::heavy_tails
