#include "algorithm/heavy_tails/net_exponential.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <random>

#include "opened_values.hpp"
#include "support/adversarial.hpp"
#include "support/seeded_bits.hpp"
#include "support/shapes.hpp"
#include "tacit/core.hpp"
#include "tacit/method.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::heavy_tails {
namespace {

Dataset planar_records() {
  Dataset data;
  data.features = Features(DenseRows{4, 2, {1, 0.5, -0.5, 1, 0.25, -1, 2, 2}});
  data.labels = {1, -1, 1, 1};
  return data;
}

TEST(NetExponential, TheNetIsEveryMultipleInTheBallOnce) {
  const auto net = heavy_tails::net_points(2, 0.5, 1);
  EXPECT_EQ(net.size(), 13u) << "of 5·5 points those with i² + j² ≤ 4";
  for (const Vector& w : net) EXPECT_LE(w.norm(), 1);
  const auto plan = heavy_tails::plan_net_exponential(testing::linear_shape(100, 3),
                                                      {.row_norm_bound = 2.0, .net = {.points = 4096}});
  EXPECT_EQ(plan.spacing, 2) << "11³ points with spacing 2; 21³ would be too many";
}

TEST(NetExponential, RefusesTooManyParametersWithTheNumberOfPointsNeeded) {
  // Spacings are powers of two: a radius of 14 has three of 4 on each side, or one of 8.
  const auto plan = [](std::size_t points) {
    return heavy_tails::plan_net_exponential(
        testing::linear_shape(100, 2), {.radius = 14, .row_norm_bound = 2.0, .net = {.points = points}});
  };
  EXPECT_NO_THROW(plan(49));
  try {
    plan(48);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const InfeasibleError& error) {
    EXPECT_NE(std::string(error.what()).find("49 would be needed for 3"), std::string::npos) << error.what();
  }
  try {
    heavy_tails::plan_net_exponential(testing::linear_shape(100, 8), {.row_norm_bound = 2.0});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const InfeasibleError& error) {
    EXPECT_NE(std::string(error.what()).find("390625"), std::string::npos) << error.what();
  }
  EXPECT_THROW(heavy_tails::plan_net_exponential(testing::linear_shape(100, 2), {.net = {.points = 2}}),
               UsageError);
}

// The score of Alg. 5 from the formulas, at center + v for every v of the net.
std::vector<double> written_out_scores(const Dataset& data, const heavy_tails::NetPlan& plan,
                                       const std::vector<Vector>& net, const Vector& center) {
  std::vector<double> scores;
  for (const Vector& v : net) {
    const Vector w = center + v;
    Vector g = plan.regularisation * v;
    for (std::size_t i = 0; i < 4; ++i) {
      const Eigen::Map<const Vector> a(data.features.row(i).values, 2);
      const double y = data.labels[i], weight = std::min(1.0, 4 * plan.limits.curvature / a.squaredNorm());
      Vector pull = -y * weight / (1 + std::exp(y * a.dot(w))) * a;
      if (pull.norm() > plan.limits.slope) pull *= plan.limits.slope / pull.norm();
      g += pull / 4;
    }
    Vector moved = v - plan.step * g;
    if (moved.norm() > plan.radius) moved *= plan.radius / moved.norm();
    scores.push_back((v - moved).norm() / plan.step);
  }
  return scores;
}

// Chi-square of what was seen against exp(−ε s/(2Δ)) over the points with at least 20 expected, relative to
// its 1e-6 quantile.
double misfit(const std::vector<int>& seen, const std::vector<double>& scores,
              const heavy_tails::NetPlan& plan, int runs, double epsilon) {
  const double factor = epsilon / (2 * 2 * plan.limits.slope / 4);
  double total = 0, sum = 0;
  int cells = 0;
  for (const double s : scores) total += std::exp(-factor * s);
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const double expected = runs * std::exp(-factor * scores[k]) / total;
    if (expected < 20) continue;
    ++cells;
    sum += (seen[k] - expected) * (seen[k] - expected) / expected;
  }
  return sum / boost::math::quantile(boost::math::complement(boost::math::chi_squared(cells), 1e-6));
}

// n = 40000, false alarm 1e-6, fixed seed. With twice the ε it must fail.
TEST(NetExponential, ChoosesByTheScoreOfTheAlgorithm) {
  const Dataset data = planar_records();
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}, .intercept = 0};
  const Options options{
      .epsilon = 6, .radius = 2, .row_norm_bound = 2.0, .threads = 1, .net = {.points = 81}};
  const auto plan = heavy_tails::plan_net_exponential(shape_of(problem), options);
  const auto net = heavy_tails::net_points(2, plan.spacing, 2);
  ASSERT_EQ(net.size(), 49u);
  const auto scores = written_out_scores(data, plan, net, Vector::Zero(2));

  constexpr int runs = 40000;
  std::vector<int> seen(net.size());
  const auto bits = testing::seeded_bits(8);
  for (int k = 0; k < runs; ++k) {
    RootMeter meter({.limit = Pure{6}}, *bits);
    const Vector w = heavy_tails::net_exponential(problem, options, meter).parameters.value();
    for (std::size_t j = 0; j < net.size(); ++j) seen[j] += net[j] == w;
  }
  EXPECT_LT(misfit(seen, scores, plan, runs, 6), 1);
  EXPECT_GT(misfit(seen, scores, plan, runs, 12), 1);
}

// The same around a center: a ball of radius C/λ, and its center rounded to the grid.
TEST(NetExponential, ChoosesByTheScoreAroundACenterToo) {
  const Dataset data = planar_records();
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}, .intercept = 0};
  const Options options{.epsilon = 6,
                        .slope_limit = 1.0,
                        .curvature_limit = 1.0,
                        .regularisation = 0.7,
                        .radius = 2,
                        .threads = 1,
                        .net = {.points = 81}};
  const auto plan = heavy_tails::plan_net_around(shape_of(problem), options, 20);
  EXPECT_DOUBLE_EQ(plan.radius, 1 / 0.7);
  EXPECT_EQ(plan.grid, plan.spacing / 1024);
  const auto net = heavy_tails::net_points(2, plan.spacing, plan.radius);
  const Vector given{{0.3, -0.7}};
  const Vector center = (given / plan.grid).array().round() * plan.grid;
  const auto scores = written_out_scores(data, plan, net, center);

  constexpr int runs = 40000;
  std::vector<int> seen(net.size());
  int counted = 0;
  const auto bits = testing::seeded_bits(8);
  for (int k = 0; k < runs; ++k) {
    RootMeter meter({.limit = Pure{6}}, *bits);
    const Vector w = heavy_tails::net_exponential_around(given, 20, problem, options, meter).value();
    for (std::size_t j = 0; j < net.size(); ++j)
      seen[j] += center + net[j] == w, counted += center + net[j] == w;
  }
  EXPECT_EQ(counted, runs) << "every point is of the net";
  EXPECT_LT(misfit(seen, scores, plan, runs, 6), 1);
  EXPECT_GT(misfit(seen, scores, plan, runs, 12), 1);
}

TEST(NetExponential, ScoresKeepTheirSensitivityOnAdversarialNeighboursAndHalfOfItDoesNotDo) {
  double tightest = 0;
  for (const LossSpec& loss : {LossSpec(Link{LinkKind::logistic, 0}), LossSpec(Link{LinkKind::absolute, 0}),
                               LossSpec(Link{LinkKind::squared, 0}), LossSpec(Softmax{3})})
    for (const auto& pair : testing::adversarial_pairs(loss, 12, 1, 2)) {
      const auto opened = testing::opened_values(pair, loss, [](const Problem& problem, Meter& meter) {
        heavy_tails::net_exponential(problem,
                                     {.epsilon = 1,
                                      .radius = 2,
                                      .row_norm_bound = 2.0,
                                      .label_bound = 10.0,
                                      .threads = 1,
                                      .net = {.points = 700}},
                                     meter);
      });
      ASSERT_EQ(opened.of[0].size(), opened.of[1].size());
      for (std::size_t k = 0; k < opened.of[0].size(); ++k) {
        const double moved = std::fabs(opened.of[0][k] - opened.of[1][k]);
        EXPECT_LE(moved, opened.claimed) << pair.what;
        tightest = std::max(tightest, moved / opened.claimed);
      }
    }
  EXPECT_GT(tightest, 0.5);
}

// The scores that the mechanism opens.
std::vector<double> scores_of(const Dataset& data, const Problem& like, const Options& options,
                              double* claimed) {
  std::vector<double> opened;
  const auto bits = testing::seeded_bits(3);
  RootMeter meter({.limit = Pure{options.epsilon}}, *bits);
  meter.watch([&](const Step& step, std::span<const double> value) {
    opened.assign(value.begin(), value.end());
    *claimed = step.sensitivity.total();
  });
  Problem problem = like;
  problem.data = &data;
  heavy_tails::net_exponential(problem, options, meter);
  return opened;
}

const LossSpec kinked[] = {Link{LinkKind::absolute, 0}, Link{LinkKind::pinball, 0.2},
                           Link{LinkKind::hinge, 0}};

TEST(NetExponential, ScoresSmoothedOverABallKeepTheirSensitivityToo) {
  const Options options{.epsilon = 1,
                        .radius = 2,
                        .row_norm_bound = 2.0,
                        .label_bound = 10.0,
                        .threads = 1,
                        .net = {.points = 700, .smoothing = heavy_tails::Smoothing::ball}};
  double tightest = 0;
  for (const LossSpec& loss : kinked)
    for (const auto& pair : testing::adversarial_pairs(loss, 12, 1, 2)) {
      double claimed = 0;
      const auto a = scores_of(pair.first, {.loss = loss}, options, &claimed),
                 b = scores_of(pair.second, {.loss = loss}, options, &claimed);
      for (std::size_t k = 0; k < a.size(); ++k) {
        EXPECT_LE(std::fabs(a[k] - b[k]), claimed) << pair.what;
        tightest = std::max(tightest, std::fabs(a[k] - b[k]) / claimed);
      }
    }
  EXPECT_GT(tightest, 0.5);
}

// E.2: the score is that of w ↦ E f(w + ρu). The expectation of the gradient over 400 000 points of the ball,
// the same for all w: its mean is within 6 deviations of slope·norm/√400000 < 0.02 of the closed form.
TEST(NetExponential, BallSmoothingIsTheConvolutionWithABall) {
  Dataset data;
  data.features = Features(DenseRows{2, 2, {1, 0.5, -0.5, 1}});
  data.labels = {1, -1};
  const double rho = 0.7;
  std::mt19937_64 random(5);
  std::normal_distribution<> normal;
  std::uniform_real_distribution<> uniform;
  std::vector<Vector> ball;
  for (int k = 0; k < 400000; ++k) {
    Vector u{{normal(random), normal(random)}};
    ball.push_back(u * (std::sqrt(uniform(random)) / u.norm()));
  }
  for (const LossSpec& loss : kinked) {
    const Link& link = std::get<Link>(loss);
    const Problem problem{.data = &data, .loss = loss, .intercept = 0};
    const Options options{
        .epsilon = 1,
        .slope_limit = 10.0,
        .curvature_limit = 10.0,
        .regularisation = 1e-3,
        .radius = 2,
        .threads = 1,
        .net = {.points = 25, .smoothing = heavy_tails::Smoothing::ball, .smoothing_radius = rho}};
    const auto plan = heavy_tails::plan_net_exponential(shape_of(problem), options);
    const auto net = heavy_tails::net_points(2, plan.spacing, 2);
    double claimed = 0;
    const auto scores = scores_of(data, problem, options, &claimed);
    for (std::size_t k = 0; k < net.size(); ++k) {
      Vector g = plan.regularisation * net[k];
      for (std::size_t i = 0; i < 2; ++i) {
        const Eigen::Map<const Vector> a(data.features.row(i).values, 2);
        double slope = 0;
        for (const Vector& u : ball) slope += evaluate(link, a.dot(net[k] + rho * u), data.labels[i]).first;
        g += slope / static_cast<double>(ball.size()) / 2 * a;
      }
      Vector moved = net[k] - plan.step * g;
      if (moved.norm() > 2) moved *= 2 / moved.norm();
      EXPECT_NEAR(-scores[k], (net[k] - moved).norm() / plan.step, 0.02);
    }
  }
}

// The method's row hands every option on.
TEST(NetExponential, TheCertificateSaysHowKinksWereSmoothed) {
  const Dataset data = planar_records();
  const Problem problem{.data = &data, .loss = Link{LinkKind::hinge, 0}};
  const Method& method = find_method("net-exponential");
  Facts facts;
  facts.set("epsilon", 1.0);
  facts.set("row_norm_bound", 2.0);
  facts.set("smoothing", std::string("ball"));
  facts.set("smoothing_radius", 0.25);
  const auto bits = testing::seeded_bits(1);
  RootMeter meter({.limit = Pure{1}}, *bits);
  const Release release = method.fit(problem, facts, meter);
  EXPECT_EQ(release.certificate.options.text("smoothing"), "ball");
  EXPECT_EQ(release.certificate.options.number("smoothing_radius"), 0.25);
  const auto rebuilt = method.rebuild_steps(release.certificate.options, release.certificate.assumed_public);
  ASSERT_EQ(rebuilt.size(), 1u);
  EXPECT_EQ(rebuilt[0].sensitivity.total(), meter.steps()[0].sensitivity.total());
}

TEST(NetExponential, BallSmoothingIsForLossesWithAKink) {
  EXPECT_THROW(heavy_tails::plan_net_exponential(
                   testing::linear_shape(100, 2),
                   {.row_norm_bound = 2.0, .net = {.smoothing = heavy_tails::Smoothing::ball}}),
               UsageError);
  EXPECT_THROW(heavy_tails::plan_net_exponential(testing::linear_shape(100, 2),
                                                 {.row_norm_bound = 2.0, .net = {.smoothing_radius = 1.0}}),
               UsageError);
}

TEST(NetExponential, TheChoiceIsRebuiltFromTheCertificate) {
  const Dataset data = planar_records();
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}};
  const Method& method = find_method("net-exponential");
  Facts facts;
  facts.set("epsilon", 1.0);
  facts.set("row_norm_bound", 2.0);
  facts.set("net_points", std::int64_t{200});
  const auto bits = testing::seeded_bits(1);
  RootMeter meter({.limit = Pure{1}}, *bits);
  const Release release = method.fit(problem, facts, meter);
  const auto rebuilt = method.rebuild_steps(release.certificate.options, release.certificate.assumed_public);
  ASSERT_EQ(rebuilt.size(), 1u);
  EXPECT_EQ(rebuilt[0].scale, meter.steps()[0].scale);
  EXPECT_EQ(rebuilt[0].dimension, meter.steps()[0].dimension);
}

}  // namespace
}  // namespace tacit::heavy_tails
